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
final class ScriptedController implements ConnectionHandler, AutoCloseable
{
    static final int CONTROLLER_ID = 7;
    static final int CAPSULE_BYTES = 64 + 8192;
    private static final int CAPSULES = 80;
    private static final int DATA_OFFSET = CAPSULES * CAPSULE_BYTES;
    private static final int SEND_OFFSET = 3 << 20;
    private static final int FABRICS = 0x7F;
    private static final int MESSAGES_MAX = 128;

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
    private final Queue<Runnable> afterSends = new ArrayDeque<>();
    private volatile Script script = (controller, command, capsule) -> controller.answer(command.commandId(), 0);
    private volatile ConnectRequest request;
    private volatile byte[] acceptData = new ConnectAccept(64).toBytes();
    private volatile byte[] rejectData;
    private volatile int connectStatus;
    private volatile int connectResult = CONTROLLER_ID;
    private RdmaConnection connection;
    private int sent;

    ScriptedController(final RdmaCore core, final InetAddress host)
    {
        node = new RdmaNode("controller", core);
        buffer = new UnsafeBuffer(node.address(), RdmaNode.BYTES);
        address = node.call(() -> node.manager().listen(new InetSocketAddress(host, 0), 8, (asked) ->
        {
            request = ConnectRequest.read(asked.peerData());
            if (null != rejectData)
            {
                asked.reject(rejectData);
                return;
            }
            asked.accept(new QueuePairConfig(MESSAGES_MAX, CAPSULES, 4, 0, 16), this, acceptData);
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

    RdmaConnection connection()
    {
        return connection;
    }

    /** Memory for the data of commands. */
    long dataAddress()
    {
        return node.address() + DATA_OFFSET;
    }

    private int key(final long at, final int bytes)
    {
        return (int)connection.keys().localKey(at, bytes);
    }

    private void postReceive(final int index)
    {
        final long at = node.address() + (long)index * CAPSULE_BYTES;
        connection.queuePair().segment(at, CAPSULE_BYTES, key(at, CAPSULE_BYTES)).postReceive(index);
    }

    void answer(final int commandId, final int status)
    {
        answer(commandId, status, 0);
    }

    private void answer(final int commandId, final int status, final int result)
    {
        final byte[] bytes = new byte[CompletionQueueEntry.SIZE_BYTES];
        answer.wrap(new UnsafeBuffer(bytes), 0);
        answer.commandId(commandId).statusField(status << 1).result0(result);
        send(bytes);
    }

    /** Sends a message, whatever it is. */
    void send(final byte[] bytes)
    {
        final int offset = SEND_OFFSET + sent++ % MESSAGES_MAX * 256;
        buffer.putBytes(offset, bytes);
        final long at = node.address() + offset;
        connection.queuePair().segment(at, bytes.length, key(at, bytes.length)).postSend(-1, false);
    }

    /** Writes to the host's memory; what follows is sent after it. */
    void write(final long from, final int bytes, final long remoteAddress, final int remoteKey)
    {
        connection.queuePair().segment(from, bytes, key(from, bytes)).postWrite(-1, false, remoteAddress, remoteKey);
    }

    /** Reads the host's memory, then does something. */
    void read(final long into, final int bytes, final long remoteAddress, final int remoteKey, final Runnable then)
    {
        afterSends.add(then);
        connection.queuePair().segment(into, bytes, key(into, bytes)).postRead(1, true, remoteAddress, remoteKey);
    }

    @Override
    public void onQueuePair(final RdmaConnection made)
    {
        connection = made;
        for (int i = 0; i < CAPSULES; i++)
        {
            postReceive(i);
        }
    }

    @Override
    public void onEstablished(final RdmaConnection established)
    {
        events.add("established");
    }

    @Override
    public void onSent(final long id, final CompletionStatus status)
    {
        if (CompletionStatus.SUCCESS == status && 1 == id)
        {
            afterSends.remove().run();
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
        entry.wrap(buffer, (int)id * CAPSULE_BYTES);
        if (FABRICS == entry.opcode())
        {
            answer(entry.commandId(), connectStatus, connectResult);
        }
        else
        {
            script.onCommand(this, entry, node.address() + id * CAPSULE_BYTES);
        }
        postReceive((int)id);
    }

    @Override
    public void onClosed(final RdmaConnection closed, final String reason)
    {
        events.add("closed: " + reason);
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
