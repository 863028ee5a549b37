package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.StripedDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.RandomSegments;
import io.millrace.memory.Segments;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.Discovery;
import io.millrace.nvmf.initiator.DiscoveryEntry;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.transport.Transport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.seed.TestSeeds;
import io.millrace.status.DataPlaneCounters;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every transport has to do, seen from a host of the same transport. A transport passes by a subclass that makes
 * both sides of it.
 */
public abstract class TransportContractTest
{
    private static final int BLOCK = TransportContractFixture.BLOCK_BYTES;
    private static final String NQN = TransportContractFixture.NQN;
    private static final int LARGE_BYTES = 1 << 20;

    /** Where the commands of a host are when its connection ends. */
    enum Phase
    {
        /** There are none. */
        IDLE,
        /** Their capsules have been sent just now. */
        SENT,
        /** Their data is on its way. */
        RECEIVING,
        /** They are more than there are buffers for: some are at the device, the others wait. */
        AWAITING_BUFFER,
        /** Writes are at the device. */
        WRITING,
        /** Reads are at the device. */
        READING,
        /** Answers are on their way. */
        ANSWERING
    }

    private TransportContractFixture fixture;

    /**
     * {@return the target's side, listening nowhere}
     *
     * @param target   that is served.
     * @param groups   of running reactors.
     * @param registry of their buffers.
     */
    protected abstract Transport transport(Target target, List<PollGroup> groups, MemoryRegistry registry);

    /**
     * {@return the host's side on a running reactor}
     *
     * @param reactor to live on.
     */
    protected abstract HostPollGroup hosts(Reactor reactor);

    /**
     * {@return how many of the largest commands a host has outstanding at once, at least, if it is given more}
     */
    protected int outstandingMax()
    {
        return Integer.MAX_VALUE;
    }

    /**
     * A host has memory for payload.
     *
     * @param memory of whole pages.
     */
    protected void onHostMemory(final MemorySegment memory)
    {
        // Most transports take any.
    }

    /**
     * {@return an address of this machine, with a service that takes any that is free}
     */
    protected abstract TransportAddress anyAddress();

    /**
     * {@return an address of another transport}
     */
    protected abstract TransportAddress foreignAddress();

    private TransportContractFixture serve(final BlockDevice device, final int reactors, final long poolBytes)
    {
        final MemoryRegistry registry = new MemoryRegistry();
        fixture = new TransportContractFixture(device, reactors, poolBytes, registry,
            (target, groups) -> transport(target, groups, registry), this::hosts, this::onHostMemory);
        fixture.listen(anyAddress());
        return fixture;
    }

    private TransportContractFixture serveMemory()
    {
        return serve(MemoryDevice.create("mem0", 64L << 20, BLOCK), 1, 16L << 20);
    }

    private LaterDevice serveLater(final long poolBytes)
    {
        final LaterDevice device = new LaterDevice(BLOCK, 64L << 20);
        serve(device, 1, poolBytes);
        return device;
    }

    /** Whatever a test did, nothing of it is left, and every connection was counted in and out. */
    @AfterEach
    void shouldLeaveNothing()
    {
        if (null != fixture)
        {
            fixture.endHosts();
            fixture.awaitNothing();
            fixture.await("every connection to be counted out", () ->
                fixture.count(DataPlaneCounters.Value.ACCEPTED) == fixture.count(DataPlaneCounters.Value.CLOSED) &&
                    0 == fixture.count(DataPlaneCounters.Value.PENDING_CONNECTIONS) &&
                    0 == fixture.count(DataPlaneCounters.Value.DISCOVERY_CONNECTIONS));
            fixture.close();
        }
    }

    @Test
    void shouldConnectAndCount()
    {
        serveMemory();
        for (final DataPlaneCounters.Value value : DataPlaneCounters.Value.values())
        {
            assertEquals(0, fixture.count(value), value + " before the first host");
        }
        assertEquals(0, fixture.transport().connectionCount());
        final RemoteController controller = fixture.connect();
        fixture.openQueue(controller);
        assertEquals(2, fixture.transport().connectionCount());
        assertEquals(2, fixture.count(DataPlaneCounters.Value.ACCEPTED));
        assertEquals(0, fixture.count(DataPlaneCounters.Value.PENDING_CONNECTIONS));
        assertEquals(0, fixture.count(DataPlaneCounters.Value.STATE), "is none of connections");
        assertTrue(fixture.transport().refusedByAddress().isEmpty());
        assertEquals(anyAddress().transportType(), fixture.transport().config().type());
        final QueuePair queuePair = fixture.queuePair(controller, 1);
        assertEquals(fixture.address(), queuePair.local());
        controller.close();
        fixture.await("the connections to end", () -> 0 == fixture.transport().connectionCount());
        assertEquals(2, fixture.count(DataPlaneCounters.Value.CLOSED));
    }

    @ParameterizedTest
    @ValueSource(ints = {BLOCK, 2 * BLOCK, 4 * BLOCK, 32 * BLOCK, LARGE_BYTES - BLOCK, LARGE_BYTES})
    void shouldReadLentMemoryWhatWasWritten(final int lengthBytes)
    {
        serveMemory();
        verify(lengthBytes);
    }

    /** The device lends what it answers in several pieces. */
    @ParameterizedTest
    @ValueSource(ints = {BLOCK, 2 * BLOCK, 4 * BLOCK, 32 * BLOCK, LARGE_BYTES - BLOCK, LARGE_BYTES})
    void shouldReadLentStripesWhatWasWritten(final int lengthBytes)
    {
        serve(new StripedDevice(64L << 20, BLOCK, lengthBytes > 8 * BLOCK ? 32 : 1, 2), 1, 16L << 20);
        verify(lengthBytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {BLOCK, 2 * BLOCK, 4 * BLOCK, 32 * BLOCK, LARGE_BYTES - BLOCK, LARGE_BYTES})
    void shouldReadFromBuffersWhatWasWritten(final int lengthBytes)
    {
        serveLater(16L << 20);
        verify(lengthBytes);
    }

    /** The smallest goes with its capsule where the transport has that, the others are fetched. */
    private void verify(final int lengthBytes)
    {
        final RemoteController controller = fixture.connect();
        final RemoteQueuePair queue = fixture.openQueue(controller);
        final MemorySegment data = fixture.random(lengthBytes, lengthBytes);
        final MemorySegment read = fixture.memory(lengthBytes);
        final int blocks = lengthBytes / BLOCK;
        for (int round = 0; round < 5; round++)
        {
            final long lba = 17L + round * blocks;
            assertEquals(NvmeStatus.SUCCESS, fixture.run(queue,
                (request) -> request.write(1, lba, blocks, data.address(), lengthBytes)));
            read.fill((byte)0);
            assertEquals(NvmeStatus.SUCCESS, fixture.run(queue,
                (request) -> request.read(1, lba, blocks, read.address(), lengthBytes)));
            assertEquals(-1, data.mismatch(read), "first byte that is different");
        }
        assertEquals(NvmeStatus.SUCCESS, fixture.run(queue, (request) -> request.flush(1)));
        assertNotEquals(NvmeStatus.SUCCESS, fixture.run(queue,
            (request) -> request.read(1, 1L << 40, 1, read.address(), BLOCK)), "beyond the end");
    }

    /** A host's payload in pieces that begin and end at any byte: with the capsule, fetched, and received. */
    @ParameterizedTest
    @ValueSource(ints = {BLOCK, 2 * BLOCK, 32 * BLOCK, LARGE_BYTES})
    void shouldMovePayloadsInPieces(final int lengthBytes)
    {
        serveMemory();
        final RemoteQueuePair queue = fixture.openQueue(fixture.connect());
        final int blocks = lengthBytes / BLOCK;
        final long spreadBytes = lengthBytes + RandomSegments.SPREAD_BYTES;
        for (int round = 0; round < 10; round++)
        {
            final Random random = TestSeeds.random(round);
            final Segments from = RandomSegments.spread(
                random, Segments.COUNT_MAX, fixture.random(spreadBytes, round).address(), lengthBytes);
            final Segments into = RandomSegments.spread(
                random, Segments.COUNT_MAX, fixture.memory(spreadBytes).address(), lengthBytes);
            assertEquals(NvmeStatus.SUCCESS, fixture.run(queue, (request) -> request.write(1, 3, blocks, from)));
            assertEquals(NvmeStatus.SUCCESS, fixture.run(queue, (request) -> request.read(1, 3, blocks, into)));
            assertArrayEquals(RandomSegments.bytes(from), RandomSegments.bytes(into));
            assertEquals(NvmeStatus.SUCCESS, fixture.run(queue, (request) -> request.compare(1, 3, blocks, from)));
            final long last = from.address(from.count() - 1) + from.lengthBytes(from.count() - 1) - 1;
            NativeMemory.putByte(last, (byte)~NativeMemory.getByte(last));
            assertEquals(NvmeStatus.COMPARE_FAILURE,
                fixture.run(queue, (request) -> request.compare(1, 3, blocks, from)) & ~NvmeStatus.DO_NOT_RETRY);
        }
    }

    @Test
    void shouldTakeSmallWritesWithTheirCapsules()
    {
        serveMemory();
        final RemoteController controller = fixture.connect();
        final int inCapsuleBytes = fixture.queuePair(controller, 0).transport().dataPointers().inCapsuleDataBytesMax();
        assertEquals(inCapsuleBytes, controller.info().inCapsuleDataBytes(), "what hosts are told");
    }

    /** More at once than there are buffers for: commands wait, move in parts, and every byte is where it belongs. */
    @Test
    void shouldMoveLargeTransfersInPartsWhereBuffersAreScarce()
    {
        serveLater(4L << 20);
        final int count = 16;
        final RemoteQueuePair queue = fixture.openQueue(fixture.connect());
        final MemorySegment data = fixture.random((long)count * LARGE_BYTES, 7);
        final MemorySegment read = fixture.memory((long)count * LARGE_BYTES);
        for (final boolean isWrite : new boolean[]{true, false})
        {
            final MemorySegment memory = isWrite ? data : read;
            final List<CompletableFuture<Integer>> all = IntStream.range(0, count).mapToObj((i) ->
                fixture.submit(queue, (request) -> transfer(request, isWrite, i, memory))).toList();
            all.forEach((each) -> assertEquals(NvmeStatus.SUCCESS, TransportContractFixture.get(each)));
        }
        assertEquals(-1, data.mismatch(read), "first byte that is different");
    }

    /** A transport that cannot send the device's memory copies it, when it finds a buffer. */
    @Test
    void shouldReadLentMemoryWhereBuffersAreScarce()
    {
        serve(MemoryDevice.create("mem0", 64L << 20, BLOCK), 1, 4L << 20);
        final int count = 16;
        final RemoteQueuePair queue = fixture.openQueue(fixture.connect());
        final MemorySegment data = fixture.random((long)count * LARGE_BYTES, 7);
        final MemorySegment read = fixture.memory((long)count * LARGE_BYTES);
        moveAll(queue, true, data, count).forEach(TransportContractTest::assertSuccess);
        moveAll(queue, false, read, count).forEach(TransportContractTest::assertSuccess);
        assertEquals(-1, data.mismatch(read), "first byte that is different");
    }

    private static void assertSuccess(final CompletableFuture<Integer> each)
    {
        assertEquals(NvmeStatus.SUCCESS, TransportContractFixture.get(each));
    }

    /** Payloads in one piece each. */
    private List<CompletableFuture<Integer>> moveAll(
        final RemoteQueuePair queue, final boolean isWrite, final MemorySegment memory, final int count)
    {
        final int blocks = LARGE_BYTES / BLOCK;
        return IntStream.range(0, count).mapToObj((i) -> fixture.submit(queue, (request) ->
        {
            final long address = memory.address() + (long)i * LARGE_BYTES;
            return isWrite ? request.write(1, (long)i * blocks, blocks, address, LARGE_BYTES) :
                request.read(1, (long)i * blocks, blocks, address, LARGE_BYTES);
        })).toList();
    }

    private static HostRequest transfer(
        final HostRequest request, final boolean isWrite, final int index, final MemorySegment memory)
    {
        final int blocks = LARGE_BYTES / BLOCK;
        final long address = memory.address() + (long)index * LARGE_BYTES;
        if (1 == index % 2)
        {
            // In pieces that adjoin, cut anywhere.
            final Segments segments = new Segments();
            for (int i = 0; i < Segments.COUNT_MAX; i++)
            {
                final int from = i * 65_521;
                segments.add(address + from, (Segments.COUNT_MAX - 1 == i ? LARGE_BYTES : from + 65_521) - from);
            }
            return isWrite ? request.write(1, (long)index * blocks, blocks, segments) :
                request.read(1, (long)index * blocks, blocks, segments);
        }
        return isWrite ? request.write(1, (long)index * blocks, blocks, address, LARGE_BYTES) :
            request.read(1, (long)index * blocks, blocks, address, LARGE_BYTES);
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldSurviveTheLossOfAConnectionInAnyPhase(final Phase phase)
    {
        final LaterDevice device = serveLater(Phase.AWAITING_BUFFER == phase ? 4L << 20 : 16L << 20);
        final int count = Phase.IDLE == phase ? 0 : 16;
        final RemoteQueuePair queue = fixture.openQueue(fixture.connect());
        final MemorySegment data = fixture.random((long)count * LARGE_BYTES, 3);
        device.hold(Phase.AWAITING_BUFFER == phase || Phase.WRITING == phase || Phase.READING == phase);
        final boolean isWrite = Phase.READING != phase && Phase.ANSWERING != phase;
        final List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final int index = i;
            all.add(fixture.submit(queue, (request) -> transfer(request, isWrite, index, data)));
        }
        fixture.await(phase.name(), () -> switch (phase)
        {
            case IDLE, SENT -> true;
            case RECEIVING -> device.submitted() > 0;
            case AWAITING_BUFFER ->
                fixture.requestsInUse() >= Math.min(count, outstandingMax()) && device.held() > 0 &&
                    device.held() < Math.min(count, fixture.requestsInUse());
            case WRITING, READING -> device.held() > 0;
            case ANSWERING -> all.stream().anyMatch(CompletableFuture::isDone);
        });
        fixture.cut();
        fixture.await("the connections to end", () -> 0 == fixture.transport().connectionCount());
        device.hold(false);
        all.forEach(TransportContractFixture::get);
        fixture.awaitNothing();

        final RemoteQueuePair next = fixture.openQueue(fixture.connect());
        final MemorySegment read = fixture.memory(BLOCK);
        assertEquals(NvmeStatus.SUCCESS, fixture.run(next,
            (request) -> request.write(1, 0, 1, fixture.random(BLOCK, 9).address(), BLOCK)));
        assertEquals(NvmeStatus.SUCCESS, fixture.run(next,
            (request) -> request.read(1, 0, 1, read.address(), BLOCK)));
        assertEquals(-1, fixture.random(BLOCK, 9).mismatch(read));
    }

    @Test
    void shouldEndAConnectionWhoseControllerIsTakenAway()
    {
        final LaterDevice device = serveLater(16L << 20);
        final RemoteController controller = fixture.connect();
        final RemoteQueuePair queue = fixture.openQueue(controller);
        final MemorySegment data = fixture.random(LARGE_BYTES, 1);
        device.hold(true);
        final CompletableFuture<Integer> write =
            fixture.submit(queue, (request) -> transfer(request, true, 0, data));
        fixture.await("the write at the device", () -> device.held() > 0);
        fixture.subsystem().controllers().disconnect(controller.info().controllerId(), "the test takes it away");
        assertNotEquals(NvmeStatus.SUCCESS, TransportContractFixture.get(write));
        device.hold(false);
        fixture.await("the connections to end", () -> 0 == fixture.transport().connectionCount());
    }

    @Test
    void shouldListenStopAndListenAgain()
    {
        serveMemory();
        final TransportAddress address = fixture.address();
        assertNotEquals("0", address.serviceId());
        assertEquals(List.of(address), fixture.target().listeners());
        final IllegalStateException refused =
            assertThrows(IllegalStateException.class, () -> fixture.transport().listen(address));
        assertTrue(refused.getMessage().contains(address.hostAndPort()), refused.getMessage());
        assertEquals(List.of(address), fixture.target().listeners(), "what failed is told nobody");

        final RemoteQueuePair queue = fixture.openQueue(fixture.connect());
        assertTrue(fixture.transport().stopListening(address));
        assertFalse(fixture.transport().stopListening(address));
        assertEquals(List.of(), fixture.target().listeners());
        assertThrows(ExecutionException.class, () -> fixture.begin(address, NQN).get());
        assertEquals(NvmeStatus.SUCCESS, fixture.run(queue, (request) -> request.flush(1)), "who is connected stays");

        assertEquals(address, fixture.transport().listen(address));
        fixture.openQueue(fixture.connect());
        final TransportAddress second = fixture.transport().listen(anyAddress());
        assertNotEquals(address, second);
        assertEquals(List.of(address, second), fixture.target().listeners());
        assertEquals(NQN, TransportContractFixture.get(fixture.begin(second, NQN)).config().subsystemNqn());
    }

    @Test
    void shouldAnswerDiscoveryAloneWhereItIsToldTo()
    {
        serveMemory();
        final TransportAddress address = fixture.transport().listenForDiscovery(anyAddress());
        assertThrows(ExecutionException.class, () -> fixture.begin(address, NQN).get());
        final RemoteController discovery =
            TransportContractFixture.get(fixture.begin(address, ConnectionConfig.DISCOVERY_NQN));
        assertEquals(1, fixture.count(DataPlaneCounters.Value.DISCOVERY_CONNECTIONS));
        final List<DiscoveryEntry> entries = TransportContractFixture.get(Discovery.read(discovery));
        assertTrue(entries.stream().anyMatch((each) -> NQN.equals(each.subsystemNqn()) &&
            fixture.address().address().equals(each.address()) &&
            fixture.address().serviceId().equals(each.service()) &&
            fixture.address().transportType().toString().equals(each.transportName())), entries::toString);
    }

    @Test
    void shouldRefuseAddressesOfOtherTransports()
    {
        serveMemory();
        final IllegalStateException refused =
            assertThrows(IllegalStateException.class, () -> fixture.transport().listen(foreignAddress()));
        assertTrue(refused.getMessage().contains(foreignAddress().toString()), refused.getMessage());
        assertThrows(IllegalStateException.class, () -> fixture.transport().listenForDiscovery(foreignAddress()));
        assertFalse(fixture.transport().stopListening(foreignAddress()));
        assertEquals(List.of(fixture.address()), fixture.target().listeners());
    }

    @Test
    void shouldEndEveryConnectionWhenClosed()
    {
        serveMemory();
        fixture.openQueue(fixture.connect());
        final TransportAddress address = fixture.address();
        fixture.transport().close();
        assertEquals(List.of(), fixture.target().listeners());
        assertEquals(0, fixture.transport().connectionCount());
        assertThrows(ExecutionException.class, () -> fixture.begin(address, NQN).get());
    }
}
