package io.millrace.nvmf.initiator.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.rdma.cm.ConnectAccept;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a controller may do to its host over RDMA beyond what its keys allow: end its own connection. */
class HostileRdmaControllerTest
{
    private static final CapsuleLimits LIMITS =
        new CapsuleLimits(0, IdentifyControllerIo.SGL_ANY_ALIGNMENT | IdentifyControllerIo.SGL_KEYED, 1);
    private static final int SGL_OFFSET = 24;
    private static final int KEY_SHIFT = 24;
    private static final int CAPSULES_MAX = 0xFFFF;
    private static final int MANY_SLOTS = 256;

    private RdmaHostFixture fixture = new RdmaHostFixture();

    @AfterEach
    void shouldLeaveNothing()
    {
        fixture.close();
    }

    private static long address(final long capsule)
    {
        return NativeMemory.getLong(capsule + SGL_OFFSET);
    }

    private static int key(final long capsule)
    {
        return (int)(NativeMemory.getLong(capsule + SGL_OFFSET + Long.BYTES) >>> KEY_SHIFT);
    }

    private static UnaryOperator<ConnectionConfig.Builder> same()
    {
        return UnaryOperator.identity();
    }

    /** Past either end of the memory that a key opens, with a key that is none, or into what it may only read. */
    @ParameterizedTest
    @ValueSource(strings = {"behind the end", "before the beginning", "unknown key", "far away"})
    void shouldHaveWritesOutsideOfItsKeysRefused(final String kind)
    {
        final long begin = fixture.memory.address();
        final long end = begin + RdmaHostFixture.MEMORY_BYTES;
        final long last = end - 4096;
        fixture.controller.script((controller, entry, capsule) ->
        {
            NativeMemory.fill(controller.dataAddress(), 8192, (byte)0x66);
            switch (kind)
            {
                case "behind the end" -> controller.write(controller.dataAddress(), 4097, last, key(capsule));
                case "before the beginning" -> controller.write(controller.dataAddress(), 8, begin - 1, key(capsule));
                case "unknown key" -> controller.write(controller.dataAddress(), 8, last, key(capsule) ^ 0x4000);
                default -> controller.write(controller.dataAddress(), 8, Long.MAX_VALUE - 2, key(capsule));
            }
            controller.answer(entry.commandId(), 0);
        });
        fixture.openReady(LIMITS, same());
        NativeMemory.fill(begin, 4096, (byte)0x11);
        NativeMemory.fill(last, 4096, (byte)0x11);
        final CompletableFuture<Integer> read = fixture.submit((request) -> request.read(1, 0, 1, last, 4096));
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains("broke"), reason);
        assertFalse(read.isDone());
        assertEquals(1, fixture.lost.size());
        assertEquals("11".repeat(4096), ScriptedController.hex(last, 4096));
        assertEquals("11".repeat(4096), ScriptedController.hex(begin, 4096));
    }

    /** The host's keys are registered regions, of which none is a controller's to invalidate. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndAConnectionWhoseControllerInvalidatesAKey(final boolean isAllowedByTheDevice)
    {
        fixture.controller.script((controller, entry, capsule) ->
        {
            if (isAllowedByTheDevice)
            {
                fixture.model.hostCore().allowInvalidation(fixture.model.hostDevice(), key(capsule));
            }
            controller.answerAndInvalidate(entry.commandId(), key(capsule));
        });
        fixture.openReady(LIMITS, same());
        final CompletableFuture<Integer> read =
            fixture.submit((request) -> request.read(1, 0, 1, fixture.memory.address(), 4096));
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains(isAllowedByTheDevice ? "invalidates key 0x" : "broke"), reason);
        assertFalse(read.isDone());
        assertEquals(1, fixture.lost.size());
    }

    /** It says that it receives as many as can be said, and has fewer buffers: slower, and nothing is lost. */
    @Test
    void shouldSendAgainWhatAControllerHadNoBufferFor()
    {
        fixture.close();
        fixture = new RdmaHostFixture(MANY_SLOTS);
        fixture.controller.acceptsWith(new ConnectAccept(CAPSULES_MAX).toBytes());
        fixture.openReady(LIMITS, same());
        assertEquals(MANY_SLOTS, fixture.queue().depth());
        final List<CompletableFuture<Integer>> all = fixture.call(() ->
        {
            final List<CompletableFuture<Integer>> sent = new ArrayList<>();
            for (int i = 0; i < MANY_SLOTS; i++)
            {
                sent.add(fixture.submitHere((request) -> request.flush(1)));
            }
            return sent;
        });
        all.forEach((each) -> assertEquals(0, Waits.get(each)));
    }

    /** Both messages are there when the host looks: the second one comes from a peer that it has given up. */
    @Test
    void shouldTakeNoAnswerAfterAMessageThatEndedTheConnection()
    {
        final CompletableFuture<int[]> arrived = new CompletableFuture<>();
        fixture.controller.script((controller, entry, capsule) ->
            arrived.complete(new int[]{entry.commandId(), key(capsule)}));
        fixture.openReady(LIMITS, same());
        final long at = fixture.memory.address();
        final CompletableFuture<Integer> write = fixture.submit((request) -> request.write(1, 0, 1, at, 4096));
        final int[] command = Waits.get(arrived);
        fixture.call(() ->
        {
            // A read that has come back is behind both.
            final CompletableFuture<Void> isBehind = new CompletableFuture<>();
            fixture.controller.run(() ->
            {
                fixture.controller.answer(command[0] ^ 0x1000, 0);
                fixture.controller.answer(command[0], 0);
                fixture.controller.read(
                    fixture.controller.dataAddress(), 8, at, command[1], () -> isBehind.complete(null));
            });
            return Waits.get(isBehind);
        });
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains("which is not outstanding"), reason);
        assertFalse(write.isDone());
        assertEquals(1, fixture.lost.size());
    }

    @Test
    void shouldGiveUpAControllerThatDoesNotAnswerConnect()
    {
        fixture.controller.keepSilent(true);
        fixture.open(LIMITS, (settings) -> settings.connectTimeoutMs(300));
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains("did not answer Connect within 300 ms"), reason);
        // Connect is the queue's own: its owner has nothing to send again.
        assertEquals(0, fixture.lost.size());
        fixture.controller.keepSilent(false);
        fixture.openReady(LIMITS, same());
        assertEquals(0, Waits.get(fixture.submit((request) -> request.flush(1))));
    }

    @Test
    void shouldRefuseAControllerThatAnswersBeforeItIsAsked()
    {
        fixture.controller.speakFirst();
        fixture.open(LIMITS, same());
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains("which is not outstanding"), reason);
        assertEquals(0, fixture.lost.size());
    }

    @Test
    void shouldGiveUpAControllerThatAnswersNoRequestToConnect()
    {
        fixture.controller.ignoreRequests();
        fixture.open(LIMITS, (settings) -> settings.connectTimeoutMs(300));
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.startsWith("cannot connect to rdma://10.0.0.2:"), reason);
        assertEquals(0, fixture.lost.size());
    }
}
