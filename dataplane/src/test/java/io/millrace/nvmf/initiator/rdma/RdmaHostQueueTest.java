package io.millrace.nvmf.initiator.rdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRole;
import io.millrace.memory.RandomSegments;
import io.millrace.memory.Segments;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.rdma.cm.ConnectAccept;
import io.millrace.nvmf.rdma.cm.ConnectReject;
import io.millrace.nvmf.rdma.cm.RejectStatus;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A host's queue over RDMA, and a controller that follows the specification or does not. */
class RdmaHostQueueTest
{
    private static final int KEYED = IdentifyControllerIo.SGL_ANY_ALIGNMENT | IdentifyControllerIo.SGL_KEYED;
    private static final CapsuleLimits ONE_DESCRIPTOR = new CapsuleLimits(0, KEYED, 1);
    private static final CapsuleLimits IN_CAPSULE =
        new CapsuleLimits(8192, KEYED | IdentifyControllerIo.SGL_OFFSET, 1);
    private static final CapsuleLimits SEVERAL_DESCRIPTORS =
        new CapsuleLimits(256, KEYED | IdentifyControllerIo.SGL_OFFSET, 16);
    private static final int SGL_OFFSET = 24;
    private static final long KEY_MASK = 0xFFFF_FFFFL;

    private final RdmaHostFixture fixture = new RdmaHostFixture();
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void shouldLeaveNothing()
    {
        fixture.close();
        arena.close();
    }

    private void open(final CapsuleLimits limits)
    {
        fixture.openReady(limits, UnaryOperator.identity());
    }

    private String refusal(final CapsuleLimits limits)
    {
        return Waits.get(fixture.open(limits, UnaryOperator.identity()).closed);
    }

    /** Executes reads and writes on memory of its own, whatever descriptors name their payload. */
    static void execute(
        final ScriptedController controller, final SubmissionQueueEntry entry, final long capsule)
    {
        final int id = entry.commandId();
        final long at = controller.dataAddress() + entry.cdw10();
        final long sgl = capsule + SGL_OFFSET;
        final int type = NativeMemory.getByte(sgl + 15) & 0xFF;
        if (SglDescriptor.DATA_BLOCK_OFFSET == type)
        {
            NativeMemory.copy(capsule + 64, at, NativeMemory.getInt(sgl + 8));
            controller.answer(id, 0);
        }
        else if (SglDescriptor.LAST_SEGMENT_OFFSET == type)
        {
            execute(controller, entry.opcode(), id, at, capsule + 64, NativeMemory.getInt(sgl + 8) / 16);
        }
        else
        {
            assertEquals(SglDescriptor.KEYED_ADDRESS, type);
            execute(controller, entry.opcode(), id, at, sgl, 1);
        }
    }

    private static void execute(
        final ScriptedController controller,
        final int opcode,
        final int id,
        final long data,
        final long descriptors,
        final int count)
    {
        long at = data;
        for (int i = 0; i < count; i++)
        {
            final long descriptor = descriptors + i * 16L;
            final long rest = NativeMemory.getLong(descriptor + 8);
            final int bytes = (int)(rest & SglDescriptor.KEYED_BYTES_MAX);
            final int key = (int)(rest >>> 24 & KEY_MASK);
            final boolean isLast = count - 1 == i;
            if (IoOpcode.WRITE == opcode)
            {
                controller.read(at, bytes, NativeMemory.getLong(descriptor), key, () ->
                {
                    if (isLast)
                    {
                        controller.answer(id, 0);
                    }
                });
            }
            else
            {
                controller.write(at, bytes, NativeMemory.getLong(descriptor), key);
            }
            at += bytes;
        }
        if (IoOpcode.WRITE != opcode)
        {
            controller.answer(id, 0);
        }
    }

    @Test
    void shouldAskForTheQueueThatConnectIsFor()
    {
        open(ONE_DESCRIPTOR);
        assertEquals(1, fixture.controller.request().queueId());
        assertEquals(ScriptedController.CONTROLLER_ID, fixture.controller.request().controllerId());
        assertEquals(RdmaHostFixture.SLOTS + 1, fixture.controller.request().sendQueueSize());
        assertEquals(RdmaHostFixture.SLOTS + 1, fixture.controller.request().receiveQueueSize());
        assertEquals(RdmaHostFixture.SLOTS, fixture.queue().depth());
    }

    /** No controller is known yet, nor what its capsules may carry. */
    @Test
    void shouldAskForAnAdminQueueWithoutAController()
    {
        fixture.open(0, 0xFFFF, 33, CapsuleLimits.ofAdmin(0), (settings) -> settings.keepAliveMs(12_000));
        Waits.get(fixture.ready);
        assertEquals(12_000, fixture.controller.connectKeepAliveMs());
        assertEquals(0, fixture.controller.request().queueId());
        assertEquals(0, fixture.controller.request().controllerId());
        assertEquals(ScriptedController.CONTROLLER_ID, fixture.call(() -> fixture.queue().controllerId()));
    }

    /** The controller receives more capsules than the queue has entries. */
    @Test
    void shouldKeepToTheEntriesOfItsQueue()
    {
        fixture.open(
            1, ScriptedController.CONTROLLER_ID, 9, ONE_DESCRIPTOR, (settings) -> settings.keepAliveMs(12_000));
        Waits.get(fixture.ready);
        assertEquals(0, fixture.controller.connectKeepAliveMs());
        assertEquals(8, fixture.queue().depth());
        assertEquals(9, fixture.controller.request().sendQueueSize());
    }

    @Test
    void shouldKeepToTheCapsulesThatTheControllerReceives()
    {
        fixture.controller.acceptsWith(new ConnectAccept(3).toBytes());
        open(ONE_DESCRIPTOR);
        assertEquals(3, fixture.queue().depth());
    }

    /** In pieces and in one, in registered memory and not: every byte, whatever way it takes. */
    @ParameterizedTest
    @ValueSource(strings = {"one", "in-capsule", "several"})
    void shouldMoveEveryPayload(final String kind)
    {
        fixture.controller.script(RdmaHostQueueTest::execute);
        open("one".equals(kind) ? ONE_DESCRIPTOR : "several".equals(kind) ? SEVERAL_DESCRIPTORS : IN_CAPSULE);
        final MemorySegment heap = arena.allocate(2 << 20, 4096);
        final int spreadBytes = 512 << 10;
        for (int round = 0; round < 40; round++)
        {
            final Random random = TestSeeds.random(round);
            final int bytes = 4096 << random.nextInt(5);
            final long base = random.nextBoolean() ? fixture.memory.address() : heap.address();
            fillRandom(random, base, spreadBytes);
            final Segments from = pieces(random, base, bytes);
            final Segments into = pieces(random,
                (random.nextBoolean() ? fixture.memory.address() : heap.address()) + (1 << 20), bytes);
            assertEquals(0, Waits.get(fixture.submit((request) -> request.write(1, 0, 1, from))));
            assertEquals(0, Waits.get(fixture.submit((request) -> request.read(1, 0, 1, into))));
            assertArrayEquals(RandomSegments.bytes(from), RandomSegments.bytes(into),
                kind + ", round " + round + ", " + from + ", " + into);
        }
        assertEquals(0, fixture.call(() -> fixture.queue().exchange().bounce().takenBytes()));
    }

    private static Segments pieces(final Random random, final long base, final int bytes)
    {
        if (random.nextBoolean())
        {
            final Segments one = new Segments();
            one.set(base + random.nextInt(64), bytes);
            return one;
        }
        return RandomSegments.spread(random, Segments.COUNT_MAX, base, bytes);
    }

    private static void fillRandom(final Random random, final long base, final int bytes)
    {
        for (int i = 0; i < bytes; i += Long.BYTES)
        {
            NativeMemory.putLong(base + i, random.nextLong());
        }
    }

    /** Registered memory in one piece is never copied; several pieces are when one descriptor is taken. */
    @Test
    void shouldCopyOnlyWhatOneDescriptorCannotName()
    {
        open(ONE_DESCRIPTOR);
        final long at = fixture.memory.address();
        Waits.get(fixture.submit((request) -> request.read(1, 0, 1, at, 65536)));
        assertEquals(0, bounced());
        final Segments two = new Segments();
        two.add(at, 4096);
        two.add(at + 8192, 4096);
        Waits.get(fixture.submit((request) -> request.read(1, 0, 1, two)));
        assertEquals(1, bounced());
    }

    private long bounced()
    {
        return fixture.call(() -> fixture.queue().exchange().sender().bouncedCommands());
    }

    /** A target may read and write what it has a key of: blocks that a device lends, or has itself, are copied. */
    @Test
    void shouldGiveTargetsNoAccessToMemoryOfDevices()
    {
        final long bytes = 2 << 20;
        final long lent = arena.allocate(bytes, 4096).address();
        final long ofDevice = arena.allocate(bytes, 4096).address();
        final List<MemoryRegion> regions = List.of(
            MemoryRegion.imported(MemoryRole.LENT, MemoryDomain.HOST, lent, bytes, 4096),
            MemoryRegion.imported(
                MemoryRole.BUFFERS, MemoryDomain.ofDevice("test device"), ofDevice, bytes, 4096));
        regions.forEach(fixture.registry()::add);
        open(ONE_DESCRIPTOR);
        Waits.get(fixture.submit((request) -> request.read(1, 0, 1, lent, 4096)));
        assertEquals(1, bounced());
        Waits.get(fixture.submit((request) -> request.read(1, 0, 1, ofDevice, 4096)));
        assertEquals(2, bounced());
        regions.forEach(fixture.registry()::remove);
    }

    /** What a write was copied from is not written back: another thread may have changed it meanwhile. */
    @Test
    void shouldNotChangeThePayloadOfAWriteThatWasCopied()
    {
        final MemorySegment heap = arena.allocate(4096, 4096);
        heap.fill((byte)0x5A);
        fixture.controller.script((controller, entry, capsule) ->
        {
            heap.fill((byte)0x11);
            controller.answer(entry.commandId(), 0);
        });
        open(ONE_DESCRIPTOR);
        assertEquals(0, Waits.get(fixture.submit((request) -> request.write(1, 0, 1, heap.address(), 4096))));
        assertEquals(1, bounced());
        assertEquals("11".repeat(4096), ScriptedController.hex(heap.address(), 4096));
    }

    /** Its group does not sleep before it has been torn down. */
    @Test
    void shouldStayAwakeUntilAQueueWithoutAConnectionHasEnded()
    {
        assertTrue(fixture.call(() ->
        {
            fixture.openHere(1, ScriptedController.CONTROLLER_ID, 2,
                new CapsuleLimits(0, IdentifyControllerIo.SGL_ANY_ALIGNMENT, 1), UnaryOperator.identity());
            return !fixture.queue().arm();
        }));
        Waits.get(fixture.closed);
    }

    /** More than the bounce buffer holds at once: they wait, and each has its own answer. */
    @Test
    void shouldQueueCommandsThatFindNoRoomToBeCopied()
    {
        open(ONE_DESCRIPTOR);
        final MemorySegment heap = arena.allocate(1 << 20, 4096);
        final List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < RdmaHostFixture.SLOTS; i++)
        {
            all.add(fixture.submit((request) -> request.write(1, 0, 256, heap.address(), 1 << 20)));
        }
        all.forEach((each) -> assertEquals(0, Waits.get(each)));
        assertEquals(0, fixture.call(() -> fixture.queue().exchange().bounce().takenBytes()));
    }

    @Test
    void shouldFailACommandThatIsTooLongAndGoOn()
    {
        open(ONE_DESCRIPTOR);
        final Segments parts = new Segments();
        for (int i = 0; i < 5; i++)
        {
            parts.add(fixture.memory.address() + i * (2L << 20), 1 << 20);
        }
        assertEquals(NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY,
            Waits.get(fixture.submit((request) -> request.read(1, 0, 1, parts))));
        assertEquals(0, Waits.get(fixture.submit((request) -> request.flush(1))));
    }

    /** What the controller did not write is not what another command left behind. */
    @Test
    void shouldNotShowOneCommandThePayloadOfAnother()
    {
        open(ONE_DESCRIPTOR);
        final MemorySegment heap = arena.allocate(4096, 4096);
        heap.fill((byte)0x5A);
        Waits.get(fixture.submit((request) -> request.write(1, 0, 1, heap.address(), 4096)));
        Waits.get(fixture.submit((request) -> request.read(1, 0, 1, heap.address(), 4096)));
        assertEquals("00".repeat(16), ScriptedController.hex(heap.address(), 16));
    }

    @ParameterizedTest
    @EnumSource(value = RejectStatus.class, mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void shouldSayWhyTheConnectionWasRefused(final RejectStatus status)
    {
        fixture.controller.rejectsWith(new ConnectReject(status).toBytes());
        final String reason = refusal(ONE_DESCRIPTOR);
        assertTrue(reason.startsWith("rdma://") && reason.endsWith("refused the connection: " + status.text()), reason);
    }

    @Test
    void shouldRefuseAControllerThatReceivesNothing()
    {
        fixture.controller.acceptsWith(new ConnectAccept(0).toBytes());
        final String reason = refusal(ONE_DESCRIPTOR);
        assertTrue(reason.contains("CRQSIZE 0"), reason);
    }

    @Test
    void shouldRefuseAControllerOfAnotherFormat()
    {
        final byte[] data = new ConnectAccept(64).toBytes();
        data[0] = 1;
        fixture.controller.acceptsWith(data);
        final String reason = refusal(ONE_DESCRIPTOR);
        assertTrue(reason.contains("private data of an unknown length or format"), reason);
    }

    @Test
    void shouldRefuseAControllerWithoutKeyedBlocks()
    {
        final String reason = refusal(new CapsuleLimits(0, IdentifyControllerIo.SGL_ANY_ALIGNMENT, 1));
        assertTrue(reason.contains("takes no keyed SGL data blocks"), reason);
    }

    @Test
    void shouldSayWhyConnectWasRefused()
    {
        fixture.controller.answersConnectWith(NvmeStatus.CONNECT_INVALID_HOST, 0);
        final String reason = refusal(ONE_DESCRIPTOR);
        assertTrue(reason.contains("does not allow host"), reason);
    }

    /**
     * Each is a message that no controller may send; the command is lost once, and the connection says why. Of one that
     * is too long, the device reports the request and the queue pair, in any order.
     */
    @ParameterizedTest
    @ValueSource(strings = {"unknown", "repeated", "short", "empty", "long"})
    void shouldEndTheConnectionOfAControllerThatSendsWhatItMayNot(final String kind)
    {
        fixture.controller.script((controller, entry, capsule) ->
        {
            final int id = entry.commandId();
            switch (kind)
            {
                case "unknown" -> controller.answer(id ^ 0x1000, 0);
                case "repeated" ->
                {
                    controller.answer(id, 0);
                    controller.answer(id, 0);
                }
                case "short" -> controller.send(new byte[15]);
                case "empty" -> controller.send(new byte[1]);
                default -> controller.send(new byte[17]);
            }
        });
        open(ONE_DESCRIPTOR);
        final CompletableFuture<Integer> done =
            fixture.submit((request) -> request.read(1, 0, 1, fixture.memory.address(), 4096));
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains(switch (kind)
        {
            case "unknown" -> "which is not outstanding";
            case "repeated" -> "an answer to command";
            case "short" -> "an answer of 15 bytes where 16 were expected";
            case "empty" -> "an answer of 1 bytes";
            default -> "longer than its buffer";
        }) || "long".equals(kind) && reason.contains("a request of the peer was invalid"), reason);
        assertEquals("repeated".equals(kind), done.isDone());
        assertEquals("repeated".equals(kind) ? 0 : 1, fixture.lost.size());
    }

    /** The device takes its memory back by itself, and answers nothing. */
    @Test
    void shouldLoseItsCommandsWhenTheDeviceDisassociates()
    {
        fixture.controller.script((controller, entry, capsule) ->
        {
            // It never answers.
        });
        open(ONE_DESCRIPTOR);
        final CompletableFuture<Integer> done =
            fixture.submit((request) -> request.read(1, 0, 1, fixture.memory.address(), 4096));
        fixture.model.hostDevice().disassociate();
        fixture.model.hostDevice().endHardware();
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains("the RDMA device was removed"), reason);
        assertEquals(1, fixture.lost.size());
        assertFalse(done.isDone());
    }

    /**
     * A WRITE is on its way when the host gives the command up: it lands before the command is given back, or nowhere.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLetNoLateWriteIntoMemoryThatWasGivenBack(final boolean isTimeOut)
    {
        final long at = fixture.memory.address();
        final CompletableFuture<Void> posted = new CompletableFuture<>();
        fixture.model.network().delay(20_000_000, 60_000_000);
        fixture.controller.script((controller, entry, capsule) ->
        {
            final long rest = NativeMemory.getLong(capsule + SGL_OFFSET + 8);
            for (int i = 0; i < 32; i++)
            {
                controller.write(controller.dataAddress(), 4096, at, (int)(rest >>> 24 & KEY_MASK));
            }
            posted.complete(null);
        });
        fixture.controller.run(() -> NativeMemory.fill(fixture.controller.dataAddress(), 4096, (byte)0x77));
        fixture.openReady(ONE_DESCRIPTOR, (settings) -> isTimeOut ? settings.commandTimeoutMs(200) : settings);
        fixture.onLost(() -> NativeMemory.fill(at, 4096, (byte)0x11));
        final CompletableFuture<Integer> done = fixture.submit((request) -> request.read(1, 0, 1, at, 4096));
        Waits.get(posted);
        if (!isTimeOut)
        {
            fixture.call(() ->
            {
                fixture.queue().close("the test closes it");
                assertFalse(fixture.queue().isClosed(), "the peer still has a queue pair to write through");
                return null;
            });
        }
        final String reason = Waits.get(fixture.closed);
        assertTrue(isTimeOut ? reason.contains("did not answer a command within 200 ms") :
            "the test closes it".equals(reason), reason);
        assertEquals(1, fixture.lost.size());
        assertFalse(done.isDone());
        // All that was on its way has arrived or was refused when the peer knows of the end.
        Waits.until("the peer to see the end", () ->
        {
            final boolean[] ended = new boolean[1];
            fixture.controller.run(() -> ended[0] =
                fixture.controller.events.stream().anyMatch((event) -> event.startsWith("closed")));
            return ended[0];
        });
        assertEquals("11".repeat(4096), ScriptedController.hex(at, 4096));
    }

    /** Any messages in any order: the host ends the connection or goes on, and each command has one end at most. */
    @Test
    void shouldSurviveAnyMessages()
    {
        final Random random = TestSeeds.random();
        fixture.controller.script((controller, entry, capsule) ->
        {
            final int choice = random.nextInt(10);
            if (choice < 7)
            {
                controller.answer(entry.commandId(), random.nextInt(4) > 0 ? 0 : random.nextInt(1 << 11));
            }
            else if (choice < 9)
            {
                final byte[] bytes = new byte[16];
                random.nextBytes(bytes);
                controller.send(bytes);
            }
            else
            {
                controller.send(new byte[1 + random.nextInt(40)]);
            }
        });
        open(ONE_DESCRIPTOR);
        final List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 400 && !fixture.closed.isDone(); i++)
        {
            // In one task of the reactor: between two the queue may end.
            fixture.call(() ->
            {
                if (fixture.queue().isReady() && fixture.queue().inFlight() < 8)
                {
                    all.add(fixture.submitHere((request) -> request.flush(1)));
                }
                return null;
            });
        }
        fixture.call(() ->
        {
            fixture.queue().close("the test ends");
            return null;
        });
        Waits.get(fixture.closed);
        final long answered = all.stream().filter(CompletableFuture::isDone).count();
        assertEquals(all.size(), answered + fixture.lost.size());
    }
}
