package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.rdma.RdmaTransport;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.nvmf.rdma.cm.RejectStatus;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.model.LinuxDescriptors;
import io.millrace.rdma.model.ModelDevice;
import io.millrace.rdma.model.ModelRdmaCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.seed.TestSeeds;
import io.millrace.status.DataPlaneCounters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What hosts do wrong over RDMA ends their own command or connection: another host never notices. */
class HostileRdmaHostTest
{
    private static final int BLOCK = TransportContractFixture.BLOCK_BYTES;
    private static final int IN_CAPSULE_BYTES = 8192;
    private static final int CAPSULES = 512;
    private static final int REJECTED_FLOOD = 64;
    /** Of an answer: as many RDMA WRITEs as it may take. */
    private static final int PIECES = 16;
    private static final long DEVICE_BYTES = 64L << 20;
    private static final int READS = 14;
    private static final long CONNECT_TIMEOUT_NS = 1_000_000_000L;
    private static final long OPENING_NS = 800_000_000L;

    private final RdmaTargetFixture rdma = new RdmaTargetFixture();
    private final RdmaModel model = rdma.model();
    private final ModelRdmaCore hostileCore = rdma.scriptedCore();
    private final ModelDevice hostileDevice = rdma.scriptedDevice();
    private final ScriptedRdmaHost hostile = rdma.scripted();
    private TransportContractFixture fixture;
    private RemoteController controller;
    private RemoteQueuePair bystander;

    private static RdmaTransportConfig config(final long connectTimeoutNs)
    {
        return new RdmaTransportConfig(IN_CAPSULE_BYTES, CAPSULES, 16, connectTimeoutNs,
            RdmaTransportConfig.CONNECTIONS_MAX_DEFAULT, RdmaTransportConfig.TRANSFER_TIMEOUT_NS_DEFAULT, List.of(),
            false);
    }

    @BeforeEach
    void serve()
    {
        fixture = rdma.serve(RdmaTargetFixture.lendingDevice(DEVICE_BYTES), 1, RdmaTargetFixture.POOL_BYTES,
            config(RdmaTransportConfig.CONNECT_TIMEOUT_NS_DEFAULT));
        controller = fixture.connect();
        bystander = fixture.openQueue(controller);
    }

    /** The other host, which was there first, still has its data moved, and nothing of the hostile one is left. */
    @AfterEach
    void shouldNotDisturbAnotherHost()
    {
        final MemorySegment written = fixture.random(4 * BLOCK, 7);
        final MemorySegment read = fixture.memory(4 * BLOCK);
        assertEquals(NvmeStatus.SUCCESS, fixture.run(bystander,
            (request) -> request.write(1, 8, 4, written.address(), 4 * BLOCK)));
        assertEquals(NvmeStatus.SUCCESS, fixture.run(bystander,
            (request) -> request.read(1, 8, 4, read.address(), 4 * BLOCK)));
        assertEquals(-1, written.mismatch(read));
        rdma.closeScripted();
        fixture.await("the hostile host's connections to end", () -> 2 == fixture.transport().connectionCount());
        fixture.endHosts();
        fixture.await("every connection to be counted out", () ->
            fixture.count(DataPlaneCounters.Value.ACCEPTED) == fixture.count(DataPlaneCounters.Value.CLOSED) &&
                0 == fixture.count(DataPlaneCounters.Value.PENDING_CONNECTIONS));
        rdma.closeTarget();
    }

    private InetSocketAddress target()
    {
        return fixture.address().socketAddress();
    }

    private static byte[] edited(final int offset, final int value)
    {
        final byte[] data = new ConnectRequest(0, 16, 16, 0).toBytes();
        data[offset] = (byte)value;
        data[offset + 1] = (byte)(value >>> 8);
        return data;
    }

    private enum Wrong
    {
        /** RoCE appends zeros, so that it has a length. */
        EMPTY(new byte[0], RejectStatus.INVALID_RECEIVE_QUEUE_SIZE),
        FORMAT(edited(0, 1), RejectStatus.INVALID_FORMAT),
        QUEUE_ID(edited(2, 0xFFFF), RejectStatus.INVALID_QUEUE_ID),
        NO_RECEIVE_QUEUE(edited(4, 0), RejectStatus.INVALID_RECEIVE_QUEUE_SIZE),
        RECEIVE_QUEUE_TOO_SHORT(edited(4, 15), RejectStatus.INVALID_RECEIVE_QUEUE_SIZE),
        SEND_QUEUE_OF_ONE(edited(6, 0), RejectStatus.INVALID_SEND_QUEUE_SIZE),
        SEND_QUEUE_TOO_LONG(edited(6, 0xFFFF), RejectStatus.INVALID_SEND_QUEUE_SIZE);

        private final byte[] data;
        private final RejectStatus status;

        Wrong(final byte[] data, final RejectStatus status)
        {
            this.data = data;
            this.status = status;
        }
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void shouldRejectWrongPrivateDataWithItsStatus(final Wrong wrong)
    {
        final long accepted = fixture.count(DataPlaneCounters.Value.ACCEPTED);
        assertEquals(wrong.status, hostile.connect(target(), wrong.data, 1, 0).rejection());
        assertEquals(accepted, fixture.count(DataPlaneCounters.Value.ACCEPTED));
    }

    @Test
    void shouldRejectWhatItHasNoReceiveBuffersForAndTakeOthersAfterwards()
    {
        final byte[] large = new ConnectRequest(0, 128, 128, 0).toBytes();
        final List<ScriptedRdmaHost.Queue> all = new ArrayList<>();
        for (int i = 0; i < REJECTED_FLOOD; i++)
        {
            all.add(hostile.connect(target(), large, 1, 0));
        }
        int rejected = 0;
        final List<ScriptedRdmaHost.Queue> taken = new ArrayList<>();
        for (final ScriptedRdmaHost.Queue each : all)
        {
            if (each.established.handle((_, failure) -> null != failure).join())
            {
                assertEquals(RejectStatus.NO_RESOURCES, each.rejection());
                rejected++;
            }
            else
            {
                taken.add(each);
            }
        }
        assertTrue(rejected > REJECTED_FLOOD / 2 && !taken.isEmpty(), () -> "taken " + taken.size());
        taken.forEach(ScriptedRdmaHost.Queue::end);
        fixture.await("the buffers to be back", () -> 2 == fixture.transport().connectionCount());
        ScriptedRdmaHost.await(hostile.connect(target(), large, 1, 0).established);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 16, 63})
    void shouldEndAConnectionWithAShortCapsule(final int bytes)
    {
        final ScriptedRdmaHost.Queue queue = hostile.open(target(), 0, 0);
        queue.send(new byte[bytes]);
        ScriptedRdmaHost.await(queue.closed);
        assertEquals(0, queue.answers.size());
    }

    @Test
    void shouldEndAConnectionWithACapsuleThatIsTooLong()
    {
        final ScriptedRdmaHost.Queue queue = hostile.open(target(), 0, 0);
        queue.send(new byte[64 + IN_CAPSULE_BYTES + 1]);
        ScriptedRdmaHost.await(queue.closed);
    }

    /** Commands before Connect are answered, and do not put off the end of a connection that never sends one. */
    @Test
    void shouldRefuseCommandsOfAConnectionThatIsNoQueueAndEndIt()
    {
        try (RdmaTransport impatient = new RdmaTransport(fixture.target(), List.of(fixture.group(0)),
            config(CONNECT_TIMEOUT_NS), model.targetCore(), rdma.registry()))
        {
            final TransportAddress address = impatient.listen(TransportAddress.of(
                TransportAddress.Type.RDMA, new InetSocketAddress(RdmaModel.address(2), 0)));
            final ScriptedRdmaHost.Queue queue = hostile.open(address.socketAddress(), 0, 0);
            queue.send(ScriptedRdmaHost.command(false, 1, hostile.dataAddress(), BLOCK, 0), 20);
            assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY, queue.answer().status());
            ScriptedRdmaHost.await(queue.closed);
            assertEquals(1, impatient.counters().get(DataPlaneCounters.Value.CONNECT_TIMEOUTS));
        }
    }

    /** To register memory may take a device long, and is no fault of the host: its time begins when it is accepted. */
    @Test
    void shouldNotCountTheOpeningOfADeviceAsTheHostsTime()
    {
        final ModelRdmaCore slowCore = new ModelRdmaCore(model.network(), new LinuxDescriptors())
        {
            @Override
            public long registerMr(
                final long pdAddress, final long address, final long lengthBytes, final int access)
            {
                LockSupport.parkNanos(OPENING_NS);
                return super.registerMr(pdAddress, address, lengthBytes, access);
            }
        };
        slowCore.addDevice(RdmaModel.address(4));
        try (RdmaTransport slow = new RdmaTransport(fixture.target(), List.of(fixture.group(0)),
            config(OPENING_NS / 8), slowCore, rdma.registry()))
        {
            final TransportAddress address = slow.listen(TransportAddress.of(
                TransportAddress.Type.RDMA, new InetSocketAddress(RdmaModel.address(4), 0)));
            final ScriptedRdmaHost.Queue queue = hostile.open(address.socketAddress(), 0, 0);
            ScriptedRdmaHost.await(queue.closed);
            assertEquals(1, slow.counters().get(DataPlaneCounters.Value.CONNECT_TIMEOUTS), "it said nothing");
        }
    }

    private ScriptedRdmaHost.Queue openIo()
    {
        return rdma.openController();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldMoveWhatAHostWithRightKeysAsksFor(final boolean isWrite)
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        queue.send(ScriptedRdmaHost.command(isWrite, 9, hostile.dataAddress(), BLOCK, queue.key()));
        final ScriptedRdmaHost.Answer answer = queue.answer();
        assertEquals(9, answer.commandId());
        assertEquals(NvmeStatus.SUCCESS, answer.status());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndAConnectionWhoseKeyIsWrong(final boolean isWrite)
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        queue.send(ScriptedRdmaHost.command(isWrite, 9, hostile.dataAddress(), BLOCK, ~queue.key()));
        ScriptedRdmaHost.await(queue.closed);
        assertEquals(0, queue.answers.size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndAConnectionWhoseMemoryEndsTooEarly(final boolean isWrite)
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        queue.send(ScriptedRdmaHost.command(isWrite, 9, hostile.endAddress() - BLOCK / 2, BLOCK, queue.key()));
        ScriptedRdmaHost.await(queue.closed);
        assertEquals(0, queue.answers.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, BLOCK - 1, BLOCK + 1, 0xFFFFFF})
    void shouldFailCommandsWhoseKeyedLengthIsNotTheirs(final int bytes)
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        for (int i = 0; i < 2; i++)
        {
            queue.send(ScriptedRdmaHost.command(0 != i, 9, hostile.dataAddress(), bytes, queue.key()));
            assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID | NvmeStatus.DO_NOT_RETRY, queue.answer().status());
        }
        queue.send(ScriptedRdmaHost.command(false, 9, hostile.dataAddress(), BLOCK, queue.key()));
        assertEquals(NvmeStatus.SUCCESS, queue.answer().status());
    }

    /** The block's data is said to be in the capsule, where less of it came. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, BLOCK - 1})
    void shouldFailWritesWhoseDataIsNotInTheirCapsule(final int bytes)
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        queue.send(Arrays.copyOf(ScriptedRdmaHost.inCapsule(9, 0, BLOCK), 64 + bytes));
        assertEquals(NvmeStatus.SGL_OFFSET_INVALID | NvmeStatus.DO_NOT_RETRY, queue.answer().status());
        queue.send(Arrays.copyOf(ScriptedRdmaHost.inCapsule(9, 0, BLOCK), 64 + BLOCK));
        assertEquals(NvmeStatus.SUCCESS, queue.answer().status());
    }

    /** More commands than the queue has entries, over a network so slow that they overtake the answers. */
    @Test
    void shouldSurviveMoreCapsulesThanTheQueueHasEntries()
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        model.network().delay(1_000_000, 1_000_000);
        for (int i = 0; i < 2; i++)
        {
            queue.send(ScriptedRdmaHost.command(true, 9 + i, hostile.dataAddress(), BLOCK, queue.key()), 31);
        }
        final CompletableFuture<String> closed = queue.closed;
        fixture.await("an end or answers", () -> closed.isDone() || queue.answers.size() >= 31);
        model.network().delay(0, 0);
    }

    /** Every write of such a host would fail. */
    @Test
    void shouldRejectAHostThatServesNoReads()
    {
        hostileCore.readsMax(0);
        final byte[] data = new ConnectRequest(0, 16, 16, 0).toBytes();
        assertEquals(RejectStatus.INVALID_READS_SERVED, hostile.connect(target(), data, 16, 0).rejection());
    }

    /** A READ more than the host serves at a time would block the answers behind it in the send queue. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void shouldReadNoMoreAtATimeThanTheHostServes(final int reads)
    {
        hostileCore.readsMax(reads);
        final ScriptedRdmaHost.Queue queue = openIo();
        final int key = queue.key();
        model.network().delay(2_000_000, 2_000_000);
        for (int i = 0; i < ScriptedRdmaHost.ENTRIES - 1; i++)
        {
            queue.send(ScriptedRdmaHost.command(true, i, hostile.dataAddress(), BLOCK, key));
        }
        for (int i = 0; i < ScriptedRdmaHost.ENTRIES - 1; i++)
        {
            assertEquals(NvmeStatus.SUCCESS, queue.answer().status());
        }
        model.network().delay(0, 0);
        assertEquals(0, model.network().blockedReads());
    }

    @Test
    void shouldInvalidateAKeyWithTheAnswer()
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        final int key = queue.key();
        hostileCore.allowInvalidation(hostileDevice, key);
        queue.send(ScriptedRdmaHost.invalidating(
            ScriptedRdmaHost.command(false, 9, hostile.dataAddress(), BLOCK, key)));
        // Its own device ends the connection, when it is: the key was that of its receive buffers, too.
        fixture.await("an answer or an end", () -> queue.closed.isDone() || !queue.answers.isEmpty());
        queue.send(ScriptedRdmaHost.command(false, 10, hostile.dataAddress(), BLOCK, key));
        ScriptedRdmaHost.await(queue.closed);
        assertTrue(queue.answers.size() <= 1);
    }

    /** A descriptor without length names no memory, so there is no key to invalidate, whatever stands there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldInvalidateNoKeyOfADescriptorWithoutLength(final boolean isWrite)
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        queue.send(ScriptedRdmaHost.invalidating(
            ScriptedRdmaHost.command(isWrite, 9, hostile.dataAddress(), 0, ~queue.key())));
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID | NvmeStatus.DO_NOT_RETRY, queue.answer().status());
        queue.send(ScriptedRdmaHost.command(isWrite, 10, hostile.dataAddress(), BLOCK, queue.key()));
        assertEquals(NvmeStatus.SUCCESS, queue.answer().status());
    }

    /** The key of memory that was registered for good. */
    @Test
    void shouldEndAConnectionWhoseKeyCannotBeInvalidated()
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        queue.send(ScriptedRdmaHost.invalidating(
            ScriptedRdmaHost.command(false, 9, hostile.dataAddress(), BLOCK, queue.key())));
        ScriptedRdmaHost.await(queue.closed);
        assertEquals(0, queue.answers.size());
    }

    /** The first answer takes the key away that the following ones use. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndAConnectionWhoseKeyIsRevokedMeanwhile(final boolean isWrite)
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        final int key = queue.key();
        hostileCore.allowInvalidation(hostileDevice, key);
        model.network().delay(1_000_000, 1_000_000);
        for (int i = 0; i < ScriptedRdmaHost.ENTRIES - 1; i++)
        {
            queue.send(ScriptedRdmaHost.invalidating(
                ScriptedRdmaHost.command(isWrite, i, hostile.dataAddress(), BLOCK, key)));
        }
        ScriptedRdmaHost.await(queue.closed);
        model.network().delay(0, 0);
        assertTrue(queue.answers.size() < ScriptedRdmaHost.ENTRIES - 1);
    }

    /** The size of its receive queue is a lie: no answer can be delivered. */
    @Test
    void shouldEndAConnectionThatPostsNoReceiveRequests()
    {
        final ScriptedRdmaHost.Queue queue = hostile.connect(
            target(), new ConnectRequest(0, 16, 16, 0).toBytes(), 0, 0);
        ScriptedRdmaHost.await(queue.established);
        queue.send(ScriptedRdmaHost.command(false, 1, hostile.dataAddress(), BLOCK, 0));
        ScriptedRdmaHost.await(queue.closed);
        assertEquals(0, queue.answers.size());
    }

    /** Commands with random data pointers, some of whose bytes are right. */
    @RepeatedTest(20)
    void shouldSurviveAnyCapsule()
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        final int key = queue.key();
        final RandomGenerator random = TestSeeds.random();
        for (int i = 0; i < ScriptedRdmaHost.ENTRIES && !queue.closed.isDone(); i++)
        {
            final byte[] capsule = ScriptedRdmaHost.command(random.nextBoolean(), i, random.nextInt(64), 1,
                hostile.dataAddress(), BLOCK, key);
            for (int edits = random.nextInt(4); edits > 0; edits--)
            {
                // Of the data pointer rather than of the rest.
                final int at = random.nextBoolean() ? 24 + random.nextInt(16) : random.nextInt(capsule.length);
                capsule[at] = (byte)random.nextInt();
            }
            queue.send(Arrays.copyOf(capsule, capsule.length + random.nextInt(2) * random.nextInt(BLOCK)));
        }
    }

    /** In each phase of a connection, the host goes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void shouldSurviveADisconnectInAnyPhase(final int phase)
    {
        if (0 == phase)
        {
            hostile.connect(target(), new ConnectRequest(0, 16, 16, 0).toBytes(), 16, 0).end();
        }
        else if (1 == phase)
        {
            hostile.open(target(), 0, 0).end();
        }
        else if (2 == phase)
        {
            final ScriptedRdmaHost.Queue queue = hostile.open(target(), 0, 0);
            queue.send(ScriptedRdmaHost.command(false, 1, 0, BLOCK, 0));
            queue.end();
        }
        else
        {
            final ScriptedRdmaHost.Queue queue = openIo();
            model.network().delay(500_000, 500_000);
            queue.send(ScriptedRdmaHost.command(3 == phase, 9, hostile.dataAddress(), BLOCK, queue.key()), 12);
            queue.end();
            model.network().delay(0, 0);
        }
    }

    /**
     * Its device acknowledges nothing any more. Its first answers fill the send queue, the last ones wait behind them:
     * whatever of it is lent, the writer gets it.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldLetAWriterPassAReaderThatTakesNothing(final int writtenLba) throws InterruptedException
    {
        final ScriptedRdmaHost.Queue queue = openIo();
        final int key = queue.key();
        final Runnable release = rdma.block();
        for (int i = 0; i < READS; i++)
        {
            queue.send(ScriptedRdmaHost.command(
                false, i, i < READS / 2 ? 0 : 64, PIECES, hostile.dataAddress(), PIECES * BLOCK, key));
        }
        fixture.await("the capsules to be in the target's memory", queue::hasDelivered);
        rdma.cut();
        release.run();
        final MemorySegment written = fixture.random(PIECES * BLOCK, 8);
        assertEquals(NvmeStatus.SUCCESS, fixture.run(bystander,
            (request) -> request.write(1, writtenLba, PIECES, written.address(), PIECES * BLOCK)));
        assertEquals(0 != writtenLba, 0 != fixture.count(DataPlaneCounters.Value.COPIED_LOANS));
        rdma.reconnect();
    }
}
