package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.Initiator;
import io.millrace.block.StatusRecorder;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.IoOpcode;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A controller that misbehaves while it serves: what becomes of requests, of their memory and of the controller.
 */
class NvmeRecoveryTest
{
    private static final int SIZE_BYTES = 4 << 20;
    private static final int BLOCK = 512;
    /** Commands that nothing is done to are to be answered well within it: each that is not makes for a reset more. */
    private static final long TIMEOUT_NS = 400_000_000L;

    private final ModelOptions options = new ModelOptions();
    private DmaMemory arena;
    private NvmeFixture fixture;
    private ModelController model;
    private Initiator initiator;
    private StatusRecorder reported;
    private int nvmeStatus;

    @BeforeEach
    void mapArena()
    {
        arena = DmaMemory.map(4 << 20);
    }

    @AfterEach
    void close()
    {
        if (null != initiator)
        {
            initiator.close();
        }
        if (null != fixture)
        {
            fixture.close();
        }
        arena.close();
    }

    private void open()
    {
        model = new ModelController(NvmeFixture.ADDRESS, options, 1).with(1, ModelNamespace.of(SIZE_BYTES, BLOCK));
        fixture = NvmeFixture.open(model, arena, NvmeFixture.config().withTimeoutNs(TIMEOUT_NS));
        reported = new StatusRecorder(fixture.device::status);
        fixture.device.start(reported);
        initiator = new Initiator("recovery", fixture);
    }

    /** Does something to the first read, and to each of its repetitions as far as told. */
    private void spoilReads(final ModelScript.Action action, final int times)
    {
        final AtomicInteger left = new AtomicInteger(times);
        model.script = (command) -> command.isIo() && IoOpcode.READ == command.opcode() && left.getAndDecrement() > 0 ?
            action : ModelScript.Action.COMPLETE;
    }

    private BlockStatus read()
    {
        NativeMemory.fill(arena.address(), BLOCK, (byte)0x5A);
        final Initiator.Io io = initiator.io().then((done) ->
        {
            if (model.mayWrite(arena.address(), BLOCK))
            {
                model.fault("a read ended while the controller may still write to its memory");
            }
        });
        Initiator.fill(io.request(), BlockOperation.READ, 3, 1, false, arena.address(), BLOCK);
        initiator.send(io);
        final BlockStatus status = initiator.await(io);
        nvmeStatus = io.request().nvmeStatus();
        return status;
    }

    private void assertNoted(final String text)
    {
        assertTrue(fixture.controller.notes().stream().anyMatch((note) -> note.contains(text)),
            () -> text + " is not in " + fixture.controller.notes());
    }

    private void awaitState(final ControllerState wanted)
    {
        while (wanted != fixture.controller.state())
        {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldAbortACommandThatTakesTooLongAndTryItAgain()
    {
        open();
        spoilReads(ModelScript.Action.HOLD, 1);
        assertEquals(BlockStatus.SUCCESS, read());
        assertEquals(0, NativeMemory.getByte(arena.address()));
        assertEquals(0, fixture.controller.resets());
        assertNoted("asked to abort it");
    }

    @ParameterizedTest
    @EnumSource(value = ModelScript.Action.class, names = {"HOLD", "TWICE", "UNKNOWN_ID", "WRONG_QUEUE", "FATAL"})
    void shouldResetAndGoOn(final ModelScript.Action action)
    {
        options.doAbortsWork = false;
        open();
        spoilReads(action, 1);
        assertEquals(BlockStatus.SUCCESS, read());
        while (0 == fixture.controller.resets())
        {
            Thread.onSpinWait();
        }
        assertEquals(1, fixture.controller.resets());
        assertEquals(BlockStatus.SUCCESS, read());
        assertEquals(ControllerState.LIVE, fixture.controller.state());
    }

    @Test
    void shouldGiveUpACommandThatNeverCompletesAfterSomeResets()
    {
        options.doAbortsWork = false;
        open();
        spoilReads(ModelScript.Action.HOLD, Integer.MAX_VALUE);
        assertEquals(BlockStatus.DEVICE_ERROR, read());
        assertEquals(ChannelRequests.TRIES_MAX, fixture.controller.resets());
        model.script = ModelScript.GOOD;
        assertEquals(BlockStatus.SUCCESS, read());
    }

    @Test
    void shouldTryAgainWhatTheDriveLetsTryAgain()
    {
        open();
        spoilReads(ModelScript.Action.ERROR, ChannelRequests.TRIES_MAX - 1);
        assertEquals(BlockStatus.SUCCESS, read());
        spoilReads(ModelScript.Action.ERROR, ChannelRequests.TRIES_MAX);
        assertEquals(BlockStatus.DEVICE_ERROR, read());
        final int before = model.fetched();
        spoilReads(ModelScript.Action.FINAL_ERROR, 1);
        assertEquals(BlockStatus.DEVICE_ERROR, read());
        assertEquals(ModelController.FINAL_ERROR_STATUS, nvmeStatus);
        assertEquals(before + 1, model.fetched());
        assertEquals(BlockStatus.SUCCESS, read());
        assertEquals(0, nvmeStatus);
    }

    @Test
    void shouldSayThatMemoryIsOutOfTheDrivesReach()
    {
        open();
        spoilReads(ModelScript.Action.UNREACHABLE, 2);
        assertEquals(BlockStatus.DEVICE_ERROR, read());
        assertEquals(BlockStatus.DEVICE_ERROR, read());
        assertEquals(BlockStatus.SUCCESS, read());
        // What was noted before is there when this is answered.
        assertNotNull(fixture.controller.description());
        assertNoted("cannot reach the memory of a command");
    }

    @Test
    void shouldEndEveryRequestWhenTheDriveIsPulledOut()
    {
        open();
        spoilReads(ModelScript.Action.GONE, 1);
        assertEquals(BlockStatus.DEVICE_ERROR, read());
        assertEquals(BlockStatus.DEVICE_ERROR, read());
        assertEquals(ControllerState.FAILED, fixture.controller.state());
        assertTrue(model.isClosed());
        assertNoted("was removed");
        final DeviceStatus failed = reported.next();
        assertEquals(DeviceHealth.FAILED, failed.health());
        assertTrue(failed.reason().contains("was removed"), failed.reason());
        assertTrue(reported.isEmpty());
    }

    @Test
    void shouldStopAndGiveTheFunctionBackWhenItsRemovalIsAnnounced()
    {
        open();
        spoilReads(ModelScript.Action.HOLD, 1);
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), BlockOperation.READ, 0, 1, false, arena.address(), BLOCK);
        initiator.send(io);
        model.isAnnouncedGone = true;
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(io));
        assertTrue(model.isClosed());
        assertFalse(model.isReady());
    }

    @Test
    void shouldNoticeAFatalStatusWithoutAnyRequest()
    {
        open();
        model.fail();
        while (0 == fixture.controller.resets())
        {
            Thread.onSpinWait();
        }
        assertEquals(BlockStatus.SUCCESS, read());
        assertNoted("CSTS.CFS");
        final DeviceStatus recovering = reported.next();
        assertEquals(DeviceHealth.RECOVERING, recovering.health());
        assertTrue(recovering.reason().contains("CSTS.CFS"), recovering.reason());
        assertEquals(DeviceStatus.ONLINE, reported.next());
    }

    @Test
    void shouldNoticeThatSomebodyElseResetIt()
    {
        open();
        assertEquals(BlockStatus.SUCCESS, read());
        model.resetByOthers(50_000_000);
        while (0 == fixture.controller.resets())
        {
            Thread.onSpinWait();
        }
        assertEquals(BlockStatus.SUCCESS, read());
        assertNoted("was reset by somebody else");
        assertEquals(ControllerState.LIVE, fixture.controller.state());
    }

    @Test
    void shouldResetTheFunctionOfAControllerThatDoesNotStop()
    {
        options.doAbortsWork = false;
        options.timeoutUnits = 0;
        open();
        options.neverStops = true;
        spoilReads(ModelScript.Action.HOLD, 1);
        assertEquals(BlockStatus.SUCCESS, read());
        assertEquals(1, model.functionResets());
    }

    @Test
    void shouldKeepAControllerOffTheBusThatNothingStops()
    {
        options.doAbortsWork = false;
        options.hasFunctionReset = false;
        options.timeoutUnits = 0;
        open();
        options.neverStops = true;
        spoilReads(ModelScript.Action.HOLD, 1);
        assertEquals(BlockStatus.DEVICE_ERROR, read());
        awaitState(ControllerState.FAILED);
        assertNoted("kept off the bus");
    }

    @Test
    void shouldGiveUpAControllerThatDoesNotComeBack()
    {
        options.doAbortsWork = false;
        options.timeoutUnits = 0;
        open();
        options.neverReady = true;
        spoilReads(ModelScript.Action.HOLD, 1);
        assertEquals(BlockStatus.DEVICE_ERROR, read());
        assertNoted("did not become ready within 500 ms");
        assertEquals(BlockStatus.DEVICE_ERROR, read());
    }

    @Test
    void shouldResetWhenTheAdminQueueFallsSilent()
    {
        open();
        model.script = (command) -> command.isIo() ? ModelScript.Action.COMPLETE : ModelScript.Action.HOLD;
        final BlockDeviceException refused = org.junit.jupiter.api.Assertions.assertThrows(
            BlockDeviceException.class, () -> fixture.controller.logPage(2, 512));
        assertTrue(refused.getMessage().startsWith("drive 0000:01:00.0 did not answer Get Log Page"),
            refused.getMessage());
        // It does not come back either, with an admin queue like that.
        awaitState(ControllerState.FAILED);
        assertEquals(BlockStatus.DEVICE_ERROR, read());
    }

    @Test
    void shouldEndWhatIsOutstandingWhenAChannelIsClosed()
    {
        open();
        spoilReads(ModelScript.Action.HOLD, Integer.MAX_VALUE);
        options.doAbortsWork = false;
        final Initiator.Io io = initiator.io().then((done) ->
            assertFalse(model.mayWrite(arena.address(), BLOCK), "memory may be written"));
        Initiator.fill(io.request(), BlockOperation.READ, 0, 1, false, arena.address(), BLOCK);
        initiator.send(io);
        initiator.closeChannel();
        assertEquals(BlockStatus.ABORTED, io.result().join());
        assertEquals(1, model.submissionQueues());
    }

    @Test
    void shouldCloseAChannelWhileTheControllerIsReset()
    {
        options.doAbortsWork = false;
        open();
        try (Initiator other = new Initiator("other", fixture))
        {
            spoilReads(ModelScript.Action.HOLD, Integer.MAX_VALUE);
            final Initiator.Io io = other.io();
            Initiator.fill(io.request(), BlockOperation.READ, 0, 1, false, arena.address(), BLOCK);
            other.send(io);
            fixture.device.controller().reset();
            other.closeChannel();
            assertNotNull(io.result().join());
        }
        model.script = ModelScript.GOOD;
        assertEquals(BlockStatus.SUCCESS, read());
    }

    @Test
    void shouldSayThatAllQueuePairsAreUsed()
    {
        options.queuePairs = 1;
        open();
        final Throwable thrown = assertThrows(AssertionError.class, () -> new Initiator("second", fixture));
        assertTrue(thrown.getCause().getCause().getMessage().equals("drive 0000:01:00.0 has 1 I/O queue pairs, which " +
            "are all used: each reactor takes one, use fewer reactors"), () -> thrown.getCause().toString());
        assertEquals(BlockStatus.SUCCESS, read());
    }

    @Test
    void shouldRefusePayloadThatIsNotMapped()
    {
        open();
        final DmaMemory foreign = DmaMemory.map(4096);
        assertEquals(BlockStatus.DEVICE_ERROR,
            initiator.run(BlockOperation.READ, 0, 1, false, foreign.address(), BLOCK));
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.WRITE, 0, 2, false,
            arena.address(), BLOCK, foreign.address(), BLOCK));
        foreign.close();
        assertEquals(BlockStatus.SUCCESS, read());
        while (fixture.controller.notes().isEmpty())
        {
            Thread.onSpinWait();
        }
        assertNoted("not mapped");
    }
}
