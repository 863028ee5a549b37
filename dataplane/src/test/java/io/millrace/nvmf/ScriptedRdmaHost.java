package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.initiator.AssociationCommand;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.rdma.cm.ConnectReject;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.nvmf.rdma.cm.RejectStatus;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionHandler;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaNode;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/** A host's side of NVMe/RDMA queues that sends any bytes as capsules, with a thread and memory of its own. */
final class ScriptedRdmaHost implements AutoCloseable
{
    static final int ENTRIES = 16;
    private static final HostConfig HOST = HostConfig.random();
    private static final int RECEIVES = 64;
    private static final int CAPSULE_AREA = 1 << 20;
    private static final int CAPSULE_STRIDE = 16 << 10;
    private static final int DATA_AREA = 2 << 20;
    private static final int TIMEOUT_S = 20;
    private static final int CONFIGURATION_OFFSET = 0x14;
    private static final int CONFIGURATION_ENABLED = 6 << 16 | 4 << 20 | 1;
    private static final long CONNECT_NS = 10_000_000_000L;

    private final RdmaNode node;
    private final UnsafeBuffer memory;

    ScriptedRdmaHost(final RdmaCore core)
    {
        node = new RdmaNode("scripted-host", core);
        memory = new UnsafeBuffer(node.address(), RdmaNode.BYTES);
    }

    /** One completion. */
    record Answer(int commandId, int status, int result)
    {
    }

    /** One connection. */
    final class Queue implements ConnectionHandler
    {
        final CompletableFuture<Void> established = new CompletableFuture<>();
        final CompletableFuture<String> closed = new CompletableFuture<>();
        final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        private final int receives;
        private final int part;
        private volatile RdmaConnection connection;
        private volatile byte[] rejectData = {};
        private int posted;
        private int acknowledged;

        private Queue(final int receives, final int part)
        {
            this.receives = receives;
            this.part = part;
        }

        @Override
        public void onQueuePair(final RdmaConnection made)
        {
            connection = made;
            for (int i = 0; i < receives; i++)
            {
                receive(i);
            }
        }

        private void receive(final int index)
        {
            final long at = node.address() + (part * RECEIVES + index) * CompletionQueueEntry.SIZE_BYTES;
            connection.queuePair().segment(at, CompletionQueueEntry.SIZE_BYTES,
                (int)connection.keys().localKey(at, CompletionQueueEntry.SIZE_BYTES)).postReceive(index);
        }

        @Override
        public void onEstablished(final RdmaConnection opened)
        {
            established.complete(null);
        }

        @Override
        public void onSent(final long id, final CompletionStatus status)
        {
            if (CompletionStatus.SUCCESS == status)
            {
                acknowledged++;
            }
        }

        @Override
        public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
        {
            if (CompletionStatus.SUCCESS == status)
            {
                final CompletionQueueEntry entry = new CompletionQueueEntry();
                entry.wrap(memory, (part * RECEIVES + (int)id) * CompletionQueueEntry.SIZE_BYTES);
                answers.add(new Answer(entry.commandId(), entry.statusField() >>> 1, entry.result0()));
                receive((int)id);
            }
        }

        @Override
        public void onClosed(final RdmaConnection ended, final String reason)
        {
            rejectData = ended.peerData();
            closed.complete(reason);
            established.completeExceptionally(new IllegalStateException(reason));
        }

        /** What the target rejected it with. */
        RejectStatus rejection()
        {
            await(closed);
            return ConnectReject.read(rejectData).status();
        }

        Answer answer()
        {
            try
            {
                final Answer answer = answers.poll(TIMEOUT_S, TimeUnit.SECONDS);
                if (null == answer)
                {
                    throw new AssertionError("no answer; closed: " + closed.getNow("no"));
                }
                return answer;
            }
            catch (final InterruptedException e)
            {
                throw new AssertionError(e);
            }
        }

        /** Sends a capsule. */
        void send(final byte[] bytes)
        {
            node.run(() -> post(bytes, bytes.length));
        }

        /** Sends several at once. */
        void send(final byte[] bytes, final int times)
        {
            node.run(() ->
            {
                for (int i = 0; i < times; i++)
                {
                    post(bytes, bytes.length);
                }
            });
        }

        private void post(final byte[] bytes, final int lengthBytes)
        {
            final int offset = CAPSULE_AREA + (part * RECEIVES / 2 + posted++ % (RECEIVES / 2)) * CAPSULE_STRIDE;
            memory.putBytes(offset, bytes);
            final long at = node.address() + offset;
            connection.queuePair().segment(at, lengthBytes, (int)connection.keys().localKey(at, lengthBytes))
                .postSend(-1, true);
        }

        /** {@return whether the target's device has acknowledged all capsules, so that they are in its memory} */
        boolean hasDelivered()
        {
            return node.call(() -> posted == acknowledged);
        }

        int key()
        {
            return node.call(() -> (int)connection.keys().remoteKey(dataAddress(), 1));
        }

        void end()
        {
            node.run(() -> connection.close("the host ends it"));
        }

        /** Associates it. */
        Answer associate(final String nqn, final int queueId, final int controllerId)
        {
            AssociationCommand.writeData(new UnsafeBuffer(dataAddress(), ConnectData.SIZE_BYTES), HOST, nqn,
                controllerId);
            send(connectCapsule(queueId, ENTRIES));
            return answer();
        }

        /** {@return a Connect command whose data is in its capsule} */
        byte[] connectCapsule(final int queueId, final int entries)
        {
            final byte[] capsule = new byte[SubmissionQueueEntry.SIZE_BYTES + ConnectData.SIZE_BYTES];
            final UnsafeBuffer view = new UnsafeBuffer(capsule);
            final SubmissionQueueEntry entry = new SubmissionQueueEntry();
            entry.wrap(view, 0);
            entry.opcode(AdminOpcode.FABRICS).flags(SglDescriptor.FLAGS_PSDT_SGL).commandId(0)
                .namespaceId(FabricsType.CONNECT).cdw10(queueId << 16).cdw11(entries - 1)
                .sglAddress(0).sglLength(ConnectData.SIZE_BYTES).sglType(SglDescriptor.DATA_BLOCK_OFFSET);
            data(ConnectData.SIZE_BYTES).getBytes(0, capsule, SubmissionQueueEntry.SIZE_BYTES, ConnectData.SIZE_BYTES);
            return capsule;
        }
    }

    /** Enables the controller of an admin queue. */
    static void enable(final Queue admin)
    {
        final byte[] capsule = new byte[SubmissionQueueEntry.SIZE_BYTES];
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(capsule), 0);
        entry.opcode(AdminOpcode.FABRICS).flags(SglDescriptor.FLAGS_PSDT_SGL).commandId(1)
            .namespaceId(FabricsType.PROPERTY_SET).cdw11(CONFIGURATION_OFFSET).cdw12(CONFIGURATION_ENABLED);
        admin.send(capsule);
        assertEquals(NvmeStatus.SUCCESS, admin.answer().status());
    }

    /** A write of one block whose data is said to be in its capsule. */
    static byte[] inCapsule(final int commandId, final int offset, final int bytes)
    {
        final byte[] capsule = command(true, commandId, offset, 0, 0);
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(capsule), 0);
        entry.sglLength(bytes).sglType(SglDescriptor.DATA_BLOCK_OFFSET);
        return capsule;
    }

    /** A command of one block, whose data is in the host's memory. */
    static byte[] command(
        final boolean isWrite, final int commandId, final long address, final int bytes, final int key)
    {
        return command(isWrite, commandId, 0, 1, address, bytes, key);
    }

    /** A command whose data is in the host's memory. */
    static byte[] command(
        final boolean isWrite,
        final int commandId,
        final int lba,
        final int blocks,
        final long address,
        final int bytes,
        final int key)
    {
        final byte[] capsule = new byte[SubmissionQueueEntry.SIZE_BYTES];
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(capsule), 0);
        entry.opcode(isWrite ? IoOpcode.WRITE : IoOpcode.READ)
            .flags(SglDescriptor.FLAGS_PSDT_SGL)
            .commandId(commandId).namespaceId(1).startingLba(lba).cdw12(blocks - 1)
            .sglAddress(address).sglKeyedLength(bytes)
            .sglKey(key).sglType(SglDescriptor.KEYED_ADDRESS);
        return capsule;
    }

    /** The same command, with whose answer the target is to invalidate the key. */
    static byte[] invalidating(final byte[] capsule)
    {
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(capsule), 0);
        entry.sglType(SglDescriptor.KEYED_ADDRESS_INVALIDATE);
        return capsule;
    }

    long endAddress()
    {
        return node.address() + RdmaNode.BYTES;
    }

    long dataAddress()
    {
        return node.address() + DATA_AREA;
    }

    UnsafeBuffer data(final int bytes)
    {
        return new UnsafeBuffer(dataAddress(), bytes);
    }

    /** Begins to connect. */
    Queue connect(final InetSocketAddress target, final byte[] data, final int receives, final int part)
    {
        final Queue queue = new Queue(receives, part);
        node.run(() -> queue.connection = node.manager().connect(target,
            new QueuePairConfig(RECEIVES, RECEIVES, 1, 0, 16), queue, data, CONNECT_NS));
        return queue;
    }

    /** A connection for a queue, established. */
    Queue open(final InetSocketAddress target, final int queueId, final int part)
    {
        final Queue queue = connect(
            target, new ConnectRequest(queueId, ENTRIES, ENTRIES, 0).toBytes(), ENTRIES, part);
        await(queue.established);
        return queue;
    }

    static <T> T await(final CompletableFuture<T> future)
    {
        return TransportContractFixture.get(future);
    }

    @Override
    public void close()
    {
        node.close();
    }
}
