package io.millrace.nvmf.initiator.rdma;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.rdma.cm.ConnectAccept;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionHandler;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.Queue;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The controller's side of one queue, which does what a script says. It answers Connect by itself. Everything but its
 * construction is on its reactor.
 */
final class ScriptedController implements AutoCloseable
{
    static final int CONTROLLER_ID = 7;
    static final int CAPSULE_BYTES = 64 + 8192;
    private static final int CAPSULES = 48;
    /** Connections in turn have buffers of their own: of the one before, something may still arrive. */
    private static final int BUFFER_SETS = 3;
    private static final int DATA_OFFSET = BUFFER_SETS * CAPSULES * CAPSULE_BYTES;
    private static final int SEND_OFFSET = 3 << 20;
    private static final int UNKNOWN_ID = 0x123;
    private static final int FABRICS = 0x7F;
    private static final int SGL_TYPE_OFFSET = 39;
    /** More than commands of a test: an answer that finds no room is lost. */
    private static final int MESSAGES_MAX = 512;

    /** What comes for each command but Connect. */
    @FunctionalInterface
    interface Script
    {
        void onCommand(ScriptedController controller, SubmissionQueueEntry entry, long capsuleAddress);
    }

    final Queue<String> events = new ArrayDeque<>();
    private final RdmaNode node;
    private final InetSocketAddress address;
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private final CompletionQueueEntry answer = new CompletionQueueEntry();
    private final UnsafeBuffer buffer;
    private volatile Script script = (controller, command, capsule) -> controller.answer(command.commandId(), 0);
    private volatile ConnectRequest request;
    private volatile byte[] acceptData = new ConnectAccept(64).toBytes();
    private volatile byte[] rejectData;
    private volatile int connectStatus;
    private volatile int connectResult = CONTROLLER_ID;
    private volatile int connectSglType;
    private volatile int connectKeepAliveMs;
    private volatile boolean isSilent;
    private volatile boolean ignoresRequests;
    private volatile boolean speaksFirst;
    private Link link;
    private int links;
    private int sent;

    ScriptedController(final RdmaCore core, final InetAddress host)
    {
        node = new RdmaNode("controller", core);
        buffer = new UnsafeBuffer(node.address(), RdmaNode.BYTES);
        address = node.call(() -> node.manager().listen(new InetSocketAddress(host, 0), 8, (asked) ->
        {
            request = ConnectRequest.read(asked.peerData());
            if (ignoresRequests)
            {
                return;
            }
            if (null != rejectData)
            {
                asked.reject(rejectData);
                return;
            }
            links++;
            asked.accept(
                new QueuePairConfig(MESSAGES_MAX, CAPSULES, 4, 0, 16), new Link(links % BUFFER_SETS), acceptData);
        }));
    }

    InetSocketAddress address()
    {
        return address;
    }

    ConnectRequest request()
    {
        return request;
    }

    ScriptedController script(final Script newScript)
    {
        script = newScript;
        return this;
    }

    void acceptsWith(final byte[] data)
    {
        acceptData = data;
    }

    void rejectsWith(final byte[] data)
    {
        rejectData = data;
    }

    void answersConnectWith(final int status, final int result)
    {
        connectStatus = status;
        connectResult = result;
    }

    void run(final Runnable task)
    {
        node.run(task);
    }

    /** {@return the type of the descriptor that Connect came with} */
    int connectSglType()
    {
        return connectSglType;
    }

    /** {@return the keep-alive time-out that Connect asked for} */
    int connectKeepAliveMs()
    {
        return connectKeepAliveMs;
    }

    /** Whether it leaves Connect unanswered. */
    void keepSilent(final boolean silent)
    {
        isSilent = silent;
    }

    /** Neither accepts nor rejects. */
    void ignoreRequests()
    {
        ignoresRequests = true;
    }

    /** Sends an answer before anything was asked. */
    void speakFirst()
    {
        speaksFirst = true;
        isSilent = true;
    }

    /** Ends the connection. */
    void disconnect()
    {
        link.connection.close("the controller is reset");
    }

    /** Memory for the data of commands. */
    long dataAddress()
    {
        return node.address() + DATA_OFFSET;
    }

    private int key(final long at, final int bytes)
    {
        return (int)link.connection.keys().localKey(at, bytes);
    }

    void answer(final int commandId, final int status)
    {
        answer(commandId, status, 0, 0);
    }

    void answer(final int commandId, final int status, final int result0, final int result1)
    {
        final byte[] bytes = new byte[CompletionQueueEntry.SIZE_BYTES];
        answer.wrap(new UnsafeBuffer(bytes), 0);
        answer.commandId(commandId).statusField(status << 1).result0(result0).result1(result1);
        send(bytes);
    }

    /** Sends a message, whatever it is. */
    void send(final byte[] bytes)
    {
        final int offset = SEND_OFFSET + sent++ % MESSAGES_MAX * 256;
        buffer.putBytes(offset, bytes);
        final long at = node.address() + offset;
        link.connection.queuePair().segment(at, bytes.length, key(at, bytes.length)).postSend(-1, false);
    }

    /** Writes to the host's memory; what follows is sent after it. */
    void write(final long from, final int bytes, final long remoteAddress, final int remoteKey)
    {
        link.connection.queuePair().segment(from, bytes, key(from, bytes))
            .postWrite(-1, false, remoteAddress, remoteKey);
    }

    /** Reads the host's memory, then does something. */
    void read(final long into, final int bytes, final long remoteAddress, final int remoteKey, final Runnable then)
    {
        link.afterReads.add(then);
        link.connection.queuePair().segment(into, bytes, key(into, bytes)).postRead(1, true, remoteAddress, remoteKey);
    }

    /** Answers and has the host invalidate a key. */
    void answerAndInvalidate(final int commandId, final int remoteKey)
    {
        final int offset = SEND_OFFSET + sent++ % MESSAGES_MAX * 256;
        answer.wrap(buffer, offset);
        answer.commandId(commandId).statusField(0).result0(0).result1(0);
        final long at = node.address() + offset;
        final int bytes = CompletionQueueEntry.SIZE_BYTES;
        link.connection.queuePair().segment(at, bytes, key(at, bytes))
            .postSendWithInvalidate(-1, false, remoteKey);
    }

    /** One connection, which its requests are answered by. */
    private final class Link implements ConnectionHandler
    {
        private final Queue<Runnable> afterReads = new ArrayDeque<>();
        private final int buffers;
        private RdmaConnection connection;

        Link(final int set)
        {
            buffers = set * CAPSULES * CAPSULE_BYTES;
        }

        private void postReceive(final int index)
        {
            final long at = node.address() + buffers + (long)index * CAPSULE_BYTES;
            connection.queuePair().segment(at, CAPSULE_BYTES, key(at, CAPSULE_BYTES)).postReceive(index);
        }

        @Override
        public void onQueuePair(final RdmaConnection made)
        {
            connection = made;
            link = this;
            for (int i = 0; i < CAPSULES; i++)
            {
                postReceive(i);
            }
        }

        @Override
        public void onEstablished(final RdmaConnection established)
        {
            events.add("established");
            if (speaksFirst)
            {
                link = this;
                answer(UNKNOWN_ID, 0);
            }
        }

        @Override
        public void onSent(final long id, final CompletionStatus status)
        {
            link = this;
            if (CompletionStatus.SUCCESS == status && 1 == id)
            {
                afterReads.remove().run();
            }
            else if (CompletionStatus.SUCCESS != status)
            {
                events.add("sent " + status);
            }
        }

        @Override
        public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
        {
            if (CompletionStatus.SUCCESS != status)
            {
                return;
            }
            link = this;
            final int offset = buffers + (int)id * CAPSULE_BYTES;
            entry.wrap(buffer, offset);
            if (FABRICS != entry.opcode())
            {
                script.onCommand(ScriptedController.this, entry, node.address() + offset);
            }
            else
            {
                connectKeepAliveMs = entry.cdw12();
                connectSglType = buffer.getByte(offset + SGL_TYPE_OFFSET) & 0xFF;
                if (!isSilent)
                {
                    answer(entry.commandId(), connectStatus, connectResult, 0);
                }
            }
            postReceive((int)id);
        }

        @Override
        public void onClosed(final RdmaConnection closed, final String reason)
        {
            events.add("closed: " + reason);
        }
    }

    static String hex(final long at, final int bytes)
    {
        final byte[] copy = new byte[bytes];
        for (int i = 0; i < bytes; i++)
        {
            copy[i] = NativeMemory.getByte(at + i);
        }
        return HexFormat.of().formatHex(copy);
    }

    @Override
    public void close()
    {
        node.close();
    }
}
