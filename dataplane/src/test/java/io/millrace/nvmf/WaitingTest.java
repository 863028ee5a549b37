package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferShare;
import io.millrace.memory.BufferWaiter;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ControllerStatus;
import io.millrace.nvme.DatasetRange;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvmf.namespace.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What happens to commands for which there is no room: no buffer, no place at the device, a block that another holds.
 */
class WaitingTest
{
    private static final int BLOCK = 512;
    private static final int MEMORY = 1;
    private static final int MANUAL = 2;

    private final ManualDevice device = ManualDevice.create(2);
    private final TestTarget target = new TestTarget(2);
    private final TestHost admin;
    private final TestHost host;

    WaitingTest()
    {
        target.owned(device);
        target.subsystem().addNamespace(new Namespace(MANUAL, device, UUID.randomUUID()));
        admin = target.admin();
        host = target.io(admin, 1);
    }

    @AfterEach
    void close()
    {
        target.reactor(0).run(() -> device.automatic(BlockStatus.SUCCESS));
        target.close();
    }

    private CompletableFuture<Completion> read(final int nsid, final long lba, final int blocks)
    {
        return host.submit((entry) -> entry.opcode(IoOpcode.READ).namespaceId(nsid).startingLba(lba)
            .cdw12(blocks - 1).sglLength(blocks * BLOCK));
    }

    private CompletableFuture<Completion> write(
        final int nsid, final long lba, final byte[] data, final boolean inCapsule)
    {
        return host.submit((entry) -> entry.opcode(IoOpcode.WRITE).namespaceId(nsid).startingLba(lba)
            .cdw12(data.length / BLOCK - 1), data, inCapsule);
    }

    private void complete(final BlockStatus status)
    {
        target.reactor(0).run(() -> device.completeFirst(status));
    }

    private int waiting()
    {
        return target.reactor(0).call(device::waiting);
    }

    /** A buffer that a test holds. */
    private record Taken(BufferShare share, long address, int lengthBytes)
    {
    }

    /** Takes what the pool has left. */
    private List<Taken> takeAllBuffers()
    {
        return takeAllBuffers(target.reactor(0));
    }

    private static List<Taken> takeAllBuffers(final TestReactor reactor)
    {
        return reactor.call(() ->
        {
            final List<Taken> taken = new ArrayList<>();
            // Each of them takes its share of what those before have left, until the last pages.
            for (int hosts = 0; hosts < 64; hosts++)
            {
                final BufferShare share = reactor.buffers().newShare(new BufferGroup());
                for (int lengthBytes = 1 << 20; lengthBytes >= 4096; lengthBytes >>= 1)
                {
                    long address = reactor.buffers().acquire(share, lengthBytes);
                    while (0 != address)
                    {
                        taken.add(new Taken(share, address, lengthBytes));
                        address = reactor.buffers().acquire(share, lengthBytes);
                    }
                }
            }
            final BufferShare last = reactor.buffers().newShare(new BufferGroup());
            reactor.buffers().await(new BufferWaiter()
            {
                @Override
                public void onBuffer(final long address, final int lengthBytes)
                {
                    taken.add(new Taken(last, address, lengthBytes));
                }
            }, last, 4096);
            reactor.buffers().poll();
            reactor.buffers().poll();
            assertEquals(reactor.buffers().lengthBytes(), reactor.buffers().usedBytes());
            return taken;
        });
    }

    private void releaseLoan(final List<Taken> buffers)
    {
        releaseLoan(target.reactor(0), buffers);
    }

    private static void releaseLoan(final TestReactor reactor, final List<Taken> buffers)
    {
        reactor.run(() -> buffers.forEach((taken) -> reactor.buffers().release(
            taken.share(), taken.address(), taken.lengthBytes())));
    }

    @ParameterizedTest
    @EnumSource(BlockStatus.class)
    void shouldTellHowTheDeviceDid(final BlockStatus status)
    {
        final CompletableFuture<Completion> read = read(MANUAL, 8, 8);
        complete(status);
        final Completion got = TestHost.await(read);
        assertEquals(StatusMap.of(status, BlockOperation.READ), got.status());
        assertEquals(BlockStatus.SUCCESS == status ? 8 * BLOCK : 0, got.data().length);
        final CompletableFuture<Completion> write = write(MANUAL, 8, new byte[BLOCK], true);
        complete(status);
        assertEquals(StatusMap.of(status, BlockOperation.WRITE), TestHost.await(write).status());
    }

    /** What a host writes after it has connected again must not be overtaken by what it wrote before. */
    @Test
    void shouldNotBeReadyWhileADeviceCarriesOutAWriteOfAConnectionThatIsGone()
    {
        write(MANUAL, 0, new byte[BLOCK], false);
        assertEquals(1, waiting());
        host.close();
        final TestHost second = target.admin();
        assertEquals(0, second.status());
        admin.close();
        final TestHost third = target.admin();
        assertEquals(0, second.status());
        assertEquals(0, third.status());
        final int thirdId = third.queuePair().association().id();
        final TestHost early = target.connection();
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY,
            early.connect(TestTarget.NQN, 1, thirdId).status());
        complete(BlockStatus.SUCCESS);
        TestTarget.await("ready", () -> ControllerStatus.READY == second.status());
        TestTarget.await("ready", () -> ControllerStatus.READY == third.status());
        final TestHost queue = target.io(third, 1);
        assertEquals(NvmeStatus.SUCCESS,
            queue.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(MEMORY)).status());
    }

    @Test
    void shouldBeReadyWhileADeviceCarriesOutAReadOfAConnectionThatIsGone()
    {
        read(MANUAL, 0, 1);
        assertEquals(1, waiting());
        host.close();
        assertEquals(ControllerStatus.READY, target.admin().status());
        complete(BlockStatus.SUCCESS);
    }

    @Test
    void shouldWaitInOrderForRoomAtTheDevice()
    {
        final List<CompletableFuture<Completion>> reads = new ArrayList<>();
        for (int i = 0; i < 6; i++)
        {
            reads.add(read(MANUAL, i, 1));
        }
        assertEquals(2, waiting());
        assertEquals(List.of("READ 0+1", "READ 1+1"), device.asked());
        for (int i = 0; i < 6; i++)
        {
            complete(BlockStatus.SUCCESS);
            TestHost.await(reads.get(i));
            final int asked = Math.min(6, i + 3);
            TestTarget.await("next", () -> asked == target.reactor(0).call(() -> device.asked().size()));
        }
        assertEquals(List.of("READ 0+1", "READ 1+1", "READ 2+1", "READ 3+1", "READ 4+1", "READ 5+1"), device.asked());
        assertTrue(target.reactor(0).call(() -> target.reactor(0).pollGroup().channelWaitCount()) >= 4);
    }

    @Test
    void shouldNotOvertakeThoseWhoWait()
    {
        read(MANUAL, 0, 1);
        read(MANUAL, 1, 1);
        read(MANUAL, 2, 1);
        // Room comes and the next command is there before the line has been looked at.
        target.reactor(0).run(() ->
        {
            device.completeFirst(BlockStatus.SUCCESS);
            assertEquals(1, device.waiting());
        });
        final CompletableFuture<Completion> last = read(MANUAL, 3, 1);
        TestTarget.await("next", () -> 2 == waiting());
        assertEquals("READ 2+1", device.asked().getLast());
        assertFalse(last.isDone());
    }

    @Test
    void shouldWaitForABufferToReadInto()
    {
        final List<Taken> buffers = takeAllBuffers();
        final CompletableFuture<Completion> read = read(MANUAL, 0, 8);
        final CompletableFuture<Completion> identify = admin.submit((entry) ->
            entry.opcode(AdminOpcode.IDENTIFY).cdw10(IdentifyCns.CONTROLLER).sglLength(4096));
        final CompletableFuture<Completion> timestamp = admin.submit((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).cdw10(FeatureId.TIMESTAMP).sglLength(8));
        assertEquals(0, waiting());
        releaseLoan(buffers);
        TestTarget.await("read", () -> 1 == waiting());
        complete(BlockStatus.SUCCESS);
        assertEquals(8 * BLOCK, TestHost.await(read).data().length);
        assertEquals(4096, TestHost.await(identify).data().length);
        assertEquals(8, TestHost.await(timestamp).data().length);
        assertEquals(0, target.reactor(0).call(() -> target.reactor(0).buffers().usedBytes()));
    }

    @Test
    void shouldWaitForABufferToReceiveInto()
    {
        final List<Taken> buffers = takeAllBuffers();
        final byte[] data = IoCommandsTest.random(8 * BLOCK);
        host.holdData(true);
        final CompletableFuture<Completion> write = write(MEMORY, 0, data, false);
        assertEquals(0, host.wantedCount());
        releaseLoan(buffers);
        TestTarget.await("wanted", () -> 1 == host.wantedCount());
        assertFalse(write.isDone());
        host.deliverHeld();
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(write).status());
        assertArrayEquals(data, TestHost.await(read(MEMORY, 0, 8)).data());
    }

    @Test
    void shouldLeaveDataInTheCapsuleUntilThereIsABuffer()
    {
        final List<Taken> buffers = takeAllBuffers();
        final CompletableFuture<Completion> write = write(MANUAL, 0, IoCommandsTest.random(BLOCK), true);
        assertTrue(host.isPaused());
        assertFalse(host.retryCapsule());
        assertEquals(0, waiting());
        releaseLoan(buffers);
        TestTarget.await("buffer", host::retryCapsule);
        TestTarget.await("write", () -> 1 == waiting());
        complete(BlockStatus.SUCCESS);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(write).status());
    }

    @Test
    void shouldWriteFromTheCapsuleWithoutABufferWhenTheDeviceIsDoneAtOnce()
    {
        final List<Taken> buffers = takeAllBuffers();
        final byte[] data = IoCommandsTest.random(4 * BLOCK);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(write(MEMORY, 0, data, true)).status());
        assertArrayEquals(data, TestHost.await(read(MEMORY, 0, 4)).data());
        releaseLoan(buffers);
    }

    @Test
    void shouldHoldAWriteUntilItsBlocksAreNotLentAnyMore()
    {
        final byte[] old = IoCommandsTest.random(8 * BLOCK);
        TestHost.await(write(MEMORY, 0, old, true));
        host.holdSends(true);
        final CompletableFuture<Completion> read = read(MEMORY, 0, 8);
        final byte[] young = IoCommandsTest.random(4 * BLOCK);
        final CompletableFuture<Completion> write = write(MEMORY, 2, young, true);
        final CompletableFuture<Completion> elsewhere = write(MEMORY, 800, young, true);
        host.sendHeld();
        // Other blocks are not held up.
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(elsewhere).status());
        assertArrayEquals(old, TestHost.await(read).data());
        host.holdSends(false);
        TestTarget.await("write", () ->
        {
            host.sendHeld();
            return write.isDone();
        });
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(write).status());
        assertArrayEquals(young, TestHost.await(read(MEMORY, 2, 4)).data());
    }

    @Test
    void shouldGiveLoansBackForAConnectionThatCannotSend()
    {
        final byte[] old = IoCommandsTest.random(8 * BLOCK);
        TestHost.await(write(MEMORY, 0, old, true));
        final TestHost slow = target.io(admin, 2);
        slow.holdSends(true);
        final CompletableFuture<Completion> read = slow.submit((entry) ->
            entry.opcode(IoOpcode.READ).namespaceId(MEMORY).cdw12(7).sglLength(8 * BLOCK));
        final CompletableFuture<Completion> write = write(MEMORY, 0, new byte[8 * BLOCK], true);
        final List<Taken> buffers = takeAllBuffers();
        assertFalse(slow.copyHeldLoans());
        assertFalse(write.isDone());
        releaseLoan(buffers);
        assertTrue(slow.copyHeldLoans());
        assertTrue(slow.copyHeldLoans());
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(write).status());
        slow.sendHeld();
        assertArrayEquals(old, TestHost.await(read).data());
    }

    @Test
    void shouldFailACommandWhoseDataIsSpoilt()
    {
        host.holdData(true);
        final CompletableFuture<Completion> write = write(MEMORY, 0, new byte[BLOCK], false);
        host.spoilHeld(NvmeStatus.TRANSIENT_TRANSPORT_ERROR);
        final Completion spoilt = TestHost.await(write);
        assertEquals(NvmeStatus.TRANSIENT_TRANSPORT_ERROR, spoilt.status());
        assertTrue(spoilt.isRetryable());
        host.holdData(false);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(write(MEMORY, 0, new byte[BLOCK], false)).status());
    }

    @Test
    void shouldDeallocateOneRangeAfterAnother()
    {
        final byte[] ranges = new byte[48];
        final DatasetRange range = new DatasetRange();
        range.wrap(new UnsafeBuffer(ranges), 0);
        range.startingLba(100).blocks(10);
        range.wrap(new UnsafeBuffer(ranges), 16);
        range.startingLba(0).blocks(0);
        range.wrap(new UnsafeBuffer(ranges), 32);
        range.startingLba(200).blocks(0xC0000000);
        final CompletableFuture<Completion> answer = host.submit((entry) -> entry.opcode(IoOpcode.DATASET_MANAGEMENT)
            .namespaceId(MANUAL).cdw10(2).cdw11(DatasetRange.DEALLOCATE), ranges, true);
        for (int i = 0; i < 4; i++)
        {
            assertEquals(1, waiting());
            assertFalse(answer.isDone());
            complete(BlockStatus.SUCCESS);
        }
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(answer).status());
        assertEquals(List.of("DEALLOCATE 100+10", "DEALLOCATE 200+1073741824", "DEALLOCATE 1073742024+1073741824",
            "DEALLOCATE 2147483848+1073741824"), device.asked());
    }

    @Test
    void shouldEndADeallocationAtTheFirstFailure()
    {
        final byte[] ranges = new byte[32];
        final DatasetRange range = new DatasetRange();
        for (int i = 0; i < 2; i++)
        {
            range.wrap(new UnsafeBuffer(ranges), i * 16);
            range.startingLba(i).blocks(1);
        }
        final CompletableFuture<Completion> answer = host.submit((entry) -> entry.opcode(IoOpcode.DATASET_MANAGEMENT)
            .namespaceId(MANUAL).cdw10(1).cdw11(DatasetRange.DEALLOCATE), ranges, true);
        complete(BlockStatus.DEVICE_ERROR);
        assertEquals(NvmeStatus.INTERNAL_ERROR, TestHost.await(answer).status());
        assertEquals(1, device.asked().size());
    }

    @Test
    void shouldFlushAllNamespacesOneAfterAnother()
    {
        final CompletableFuture<Completion> flush = host.submit((entry) ->
            entry.opcode(IoOpcode.FLUSH).namespaceId(Namespace.NSID_ALL));
        assertEquals(List.of("FLUSH 0+0"), device.asked());
        assertFalse(flush.isDone());
        complete(BlockStatus.SUCCESS);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(flush).status());
    }

    @Test
    void shouldForceUnitAccess()
    {
        target.reactor(0).run(() -> device.automatic(BlockStatus.SUCCESS));
        host.execute((entry) -> entry.opcode(IoOpcode.WRITE).namespaceId(MANUAL).cdw12(1 << 30), new byte[BLOCK], true);
        host.execute((entry) -> entry.opcode(IoOpcode.WRITE_ZEROES).namespaceId(MANUAL).cdw12(1 << 30 | 7));
        host.execute((entry) -> entry.opcode(IoOpcode.WRITE_ZEROES).namespaceId(MANUAL).cdw12(1 << 25 | 7));
        host.execute((entry) -> entry.opcode(IoOpcode.READ).namespaceId(MANUAL).cdw12(1 << 30).sglLength(BLOCK));
        host.execute((entry) -> entry.opcode(IoOpcode.READ).namespaceId(MANUAL).sglLength(BLOCK));
        assertEquals(List.of("WRITE 0+1 FUA", "WRITE_ZEROES 0+8 FUA", "DEALLOCATE 0+8", "READ 0+1 FUA", "READ 0+1"),
            device.asked());
    }

    @Test
    void shouldAbortWhatWaitsAndNotWhatIsAtTheDevice()
    {
        final int first = host.nextCommandId();
        final List<CompletableFuture<Completion>> reads = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            reads.add(read(MANUAL, i, 1));
        }
        assertEquals(1, abort(1, first).result0());
        assertEquals(0, abort(1, first + 2).result0());
        assertEquals(NvmeStatus.ABORT_REQUESTED, TestHost.await(reads.get(2)).status());
        assertEquals(1, abort(1, 9999).result0());
        assertEquals(1, abort(2, first).result0());
        assertEquals(1, abort(0xFFFF, first).result0());
        complete(BlockStatus.SUCCESS);
        complete(BlockStatus.SUCCESS);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(reads.get(0)).status());
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(reads.get(1)).status());
    }

    @Test
    void shouldAbortWhatWaitsForABufferOnAnotherReactor()
    {
        final TestHost far = target.io(admin, 5, 1);
        final TestReactor reactor = target.reactor(1);
        final List<Taken> buffers = takeAllBuffers(reactor);
        final int commandId = far.nextCommandId();
        final CompletableFuture<Completion> write = far.submit((entry) ->
            entry.opcode(IoOpcode.WRITE).namespaceId(MEMORY), new byte[BLOCK], false);
        assertEquals(0, abort(5, commandId).result0());
        assertEquals(NvmeStatus.ABORT_REQUESTED, TestHost.await(write).status());
        releaseLoan(reactor, buffers);
    }

    private Completion abort(final int queueId, final int commandId)
    {
        final Completion abort = admin.execute((entry) ->
            entry.opcode(AdminOpcode.ABORT).cdw10(commandId << 16 | queueId));
        assertEquals(NvmeStatus.SUCCESS, abort.status());
        return abort;
    }

    @Test
    void shouldRefuseACommandIdThatIsInUse()
    {
        final int commandId = host.nextCommandId();
        final CompletableFuture<Completion> first = read(MANUAL, 0, 1);
        final Completion second = host.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(MEMORY)
            .commandId(commandId));
        assertEquals(NvmeStatus.COMMAND_ID_CONFLICT | NvmeStatus.DO_NOT_RETRY, second.status());
        // The original's mark is still there.
        assertEquals(NvmeStatus.COMMAND_ID_CONFLICT, host.execute((entry) ->
            entry.opcode(IoOpcode.FLUSH).namespaceId(MEMORY).commandId(commandId)).code());
        complete(BlockStatus.SUCCESS);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(first).status());
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) ->
            entry.opcode(IoOpcode.FLUSH).namespaceId(MEMORY).commandId(commandId)).status());
    }

    @Test
    void shouldTakeNoMoreCommandsThanTheQueueHolds()
    {
        for (int i = 0; i < host.queuePair().depth(); i++)
        {
            read(MANUAL, i, 1);
        }
        final CompletableFuture<Completion> beyond = read(MANUAL, 0, 1);
        TestTarget.await("disconnect", beyond::isCompletedExceptionally);
        assertNotNull(host.disconnectReason());
    }

    @Test
    void shouldFreeEverythingWhenAConnectionGoes()
    {
        final List<Taken> buffers = takeAllBuffers();
        read(MANUAL, 0, 1);
        final TestHost paused = target.io(admin, 2, 1);
        paused.close();
        releaseLoan(buffers);
        TestTarget.await("read", () -> 1 == waiting());
        host.holdSends(true);
        host.holdData(true);
        read(MEMORY, 0, 8);
        write(MEMORY, 100, new byte[BLOCK], false);
        read(MANUAL, 1, 1);
        read(MANUAL, 2, 1);
        read(MANUAL, 3, 1);
        final long lentToo = target.reactor(0).call(() -> target.reactor(0).buffers().usedBytes());
        assertTrue(lentToo > 0);
        host.close();
        // What is at the device keeps its buffer until the device is done with it.
        assertEquals(2, waiting());
        assertEquals(2 * 4096L, target.reactor(0).call(() -> target.reactor(0).buffers().usedBytes()));
        complete(BlockStatus.SUCCESS);
        complete(BlockStatus.MEDIA_ERROR);
        assertEquals(0L, target.reactor(0).call(() -> target.reactor(0).buffers().usedBytes()));
        assertEquals(0, target.reactor(0).call(() -> target.reactor(0).pollGroup().requestsInUse()));
        // The loan is back: its blocks can be written.
        final TestHost other = target.io(admin, 3);
        assertEquals(NvmeStatus.SUCCESS, other.execute((entry) ->
            entry.opcode(IoOpcode.WRITE).namespaceId(MEMORY).cdw12(7), new byte[8 * BLOCK], true).status());
    }

    @Test
    void shouldNotBeResetWhileADeviceMayStillWriteWhatWasSentBefore()
    {
        write(MANUAL, 0, new byte[BLOCK], true);
        assertEquals(1, waiting());
        assertEquals(NvmeStatus.SUCCESS, admin.configure(0).status());
        TestTarget.await("disconnect", () -> null != host.disconnectReason());
        assertEquals(ControllerStatus.READY, admin.status());
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR, admin.enable().code());
        complete(BlockStatus.SUCCESS);
        TestTarget.await("not ready", () -> 0 == admin.status());
        assertEquals(NvmeStatus.SUCCESS, admin.enable().status());
    }

    @Test
    void shouldNotKeepAQueueForAReadThatItsDeviceDoesNotFinish()
    {
        read(MANUAL, 0, 1);
        assertEquals(1, waiting());
        host.close();
        target.io(admin, 1);
        complete(BlockStatus.SUCCESS);
        assertEquals(0, target.reactor(0).call(() -> target.reactor(0).pollGroup().requestsInUse()));
    }

    @Test
    void shouldDropWhatWaitsForABufferWhenAConnectionGoes()
    {
        final List<Taken> buffers = takeAllBuffers();
        read(MANUAL, 0, 1);
        write(MANUAL, 0, new byte[BLOCK], true);
        assertTrue(host.isPaused());
        assertEquals(2, target.reactor(0).call(() -> target.reactor(0).buffers().waiting()));
        host.close();
        assertEquals(0, target.reactor(0).call(() -> target.reactor(0).buffers().waiting()));
        releaseLoan(buffers);
        assertEquals(0, waiting());
    }

    @Test
    void shouldForgetAnAbortWhoseConnectionGoes()
    {
        final TestHost far = target.io(admin, 5, 1);
        // Keeps the other reactor from answering before the connection is gone.
        final CompletableFuture<Void> release = new CompletableFuture<>();
        target.reactor(1).reactor().execute(release::join);
        admin.submit((entry) -> entry.opcode(AdminOpcode.ABORT).cdw10(1 << 16 | 5));
        admin.close();
        release.complete(null);
        TestTarget.await("disconnect", () -> null != far.disconnectReason());
        assertEquals(0, target.reactor(0).call(() -> target.reactor(0).pollGroup().requestsInUse()));
    }

    @Test
    void shouldLimitAborts()
    {
        target.io(admin, 5, 1);
        final CompletableFuture<Void> release = new CompletableFuture<>();
        target.reactor(1).reactor().execute(release::join);
        final List<CompletableFuture<Completion>> aborts = new ArrayList<>();
        for (int i = 0; i < 5; i++)
        {
            aborts.add(admin.submit((entry) -> entry.opcode(AdminOpcode.ABORT).cdw10(1 << 16 | 5)));
        }
        assertEquals(NvmeStatus.ABORT_LIMIT_EXCEEDED, TestHost.await(aborts.get(4)).code());
        release.complete(null);
        for (int i = 0; i < 4; i++)
        {
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(aborts.get(i)).status());
        }
        assertEquals(1, abort(5, 1).result0());
    }
}
