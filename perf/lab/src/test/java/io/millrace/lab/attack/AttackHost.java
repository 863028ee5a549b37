package io.millrace.lab.attack;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectCommand;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.PropertyCommand;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.tcp.pdu.CapsuleCommand;
import io.millrace.nvmf.tcp.pdu.CapsuleResponse;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One connection of a host that does what it likes: sends capsules and data right or wrong, reads answers or leaves
 * them, resets. On a blocking socket; one thread.
 */
final class AttackHost implements AutoCloseable
{
    static final byte[] NOTHING = {};
    static final int CONTROLLER_ID_DYNAMIC = 0xFFFF;

    private static final int TIMEOUT_MS = 20_000;
    private static final int PROPERTY_CONFIGURATION = 0x14;
    private static final int CONFIGURATION_ENABLED = 0x00460001;
    private static final int PROPERTY_STATUS = 0x1C;
    private static final long READY_TIMEOUT_NS = 10_000_000_000L;
    private static final int FEATURE_NUMBER_OF_QUEUES = 0x07;

    private final Socket socket = new Socket();
    private final String hostNqn;
    private DataInputStream in;
    private OutputStream out;
    private int controllerId;

    private AttackHost(final String hostNqn)
    {
        this.hostNqn = hostNqn;
    }

    /**
     * Opens a connection; nothing is sent yet.
     *
     * @param port               of the target on loopback.
     * @param source             loopback address that it comes from, such as 127.0.0.2.
     * @param receiveBufferBytes of its socket; 0 for what the kernel chooses.
     */
    static AttackHost open(final int port, final String source, final int receiveBufferBytes) throws IOException
    {
        return open(port, source, receiveBufferBytes, "nqn.2014-08.org.nvmexpress:uuid:attack-" + source);
    }

    private static AttackHost open(
        final int port, final String source, final int receiveBufferBytes, final String hostNqn) throws IOException
    {
        final AttackHost host = new AttackHost(hostNqn);
        if (0 != receiveBufferBytes)
        {
            host.socket.setReceiveBufferSize(receiveBufferBytes);
        }
        host.socket.setTcpNoDelay(true);
        host.socket.setSoTimeout(TIMEOUT_MS);
        host.socket.bind(new InetSocketAddress(source, 0));
        host.socket.connect(new InetSocketAddress("127.0.0.1", port), TIMEOUT_MS);
        host.in = new DataInputStream(host.socket.getInputStream());
        host.out = host.socket.getOutputStream();
        return host;
    }

    static AttackHost open(final int port) throws IOException
    {
        return open(port, "127.0.0.1", 0);
    }

    /** ICReq and ICResp, without digests. */
    AttackHost initialize() throws IOException
    {
        send(initializeRequest());
        final AttackPdu response = receive();
        if (PduType.IC_RESP != response.type())
        {
            throw new AssertionError("no ICResp but type " + response.type());
        }
        return this;
    }

    /** A Connect of the admin queue; the controller id, or the negated status of the refusal. */
    int connectAdmin(final String nqn) throws IOException
    {
        send(capsule(connect(1, 0, 32), connectData(nqn, CONTROLLER_ID_DYNAMIC)));
        return connected(receive());
    }

    /** Enables the controller and asks for as many I/O queues as there are. */
    AttackHost enable() throws IOException
    {
        send(capsule(propertySet(2, PROPERTY_CONFIGURATION, CONFIGURATION_ENABLED), NOTHING));
        expectSuccess(2);
        // Not ready while a write of the same host, over a connection that is gone, is being carried out.
        final long deadlineNs = System.nanoTime() + READY_TIMEOUT_NS;
        while (!isReady())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("controller " + controllerId + " is not ready");
            }
            LockSupport.parkNanos(1_000_000);
        }
        send(capsule(numberOfQueues(3, 128), NOTHING));
        expectSuccess(3);
        return this;
    }

    private boolean isReady() throws IOException
    {
        send(capsule(propertyGet(4, PROPERTY_STATUS), NOTHING));
        final AttackPdu pdu = receive();
        if (PduType.CAPSULE_RESPONSE != pdu.type() || 4 != pdu.commandId() || 0 != pdu.status())
        {
            throw new AssertionError("controller status was answered with " + Arrays.toString(pdu.bytes()));
        }
        return 0 != (pdu.bytes()[CapsuleResponse.ENTRY_OFFSET] & 1);
    }

    /** A Connect of an I/O queue; the controller id, or the negated status of the refusal. */
    int connectIo(final String nqn, final int controllerId, final int queueId, final int depth) throws IOException
    {
        send(capsule(connect(1, queueId, depth), connectData(nqn, controllerId)));
        return connected(receive());
    }

    /** A controller's admin queue, enabled. */
    static AttackHost admin(final int port, final String source, final String nqn) throws IOException
    {
        return admin(open(port, source, 0), nqn);
    }

    /** A controller's admin queue, enabled, of a host with a name that it chose. */
    static AttackHost admin(
        final int port, final String source, final int receiveBufferBytes, final String hostNqn, final String nqn)
        throws IOException
    {
        return admin(open(port, source, receiveBufferBytes, hostNqn), nqn);
    }

    private static AttackHost admin(final AttackHost host, final String nqn) throws IOException
    {
        host.initialize();
        host.controllerId = host.connectAdmin(nqn);
        if (host.controllerId < 0)
        {
            host.close();
            throw new IOException("Connect was refused with status " + Integer.toHexString(-host.controllerId));
        }
        return host.enable();
    }

    /** The controller that {@link #admin} made. */
    int controllerId()
    {
        return controllerId;
    }

    /** An I/O queue of this admin queue's controller, from the same address. */
    AttackHost io(final String nqn, final int queueId, final int depth, final int receiveBufferBytes)
        throws IOException
    {
        final AttackHost host = open(
            socket.getPort(), socket.getLocalAddress().getHostAddress(), receiveBufferBytes, hostNqn).initialize();
        final int result = host.connectIo(nqn, controllerId, queueId, depth);
        if (result < 0)
        {
            host.close();
            throw new IOException("Connect of queue " + queueId + " was refused with status " +
                Integer.toHexString(-result));
        }
        return host;
    }

    Socket socket()
    {
        return socket;
    }

    void send(final byte[] bytes) throws IOException
    {
        out.write(bytes);
    }

    /** The next PDU. */
    AttackPdu receive() throws IOException
    {
        final byte[] common = in.readNBytes(CommonHeader.SIZE_BYTES);
        if (CommonHeader.SIZE_BYTES != common.length)
        {
            throw new IOException("the target closed the connection");
        }
        final int length = new UnsafeBuffer(common).getInt(CommonHeader.PDU_LENGTH_OFFSET);
        final byte[] whole = Arrays.copyOf(common, length);
        in.readFully(whole, CommonHeader.SIZE_BYTES, length - CommonHeader.SIZE_BYTES);
        return new AttackPdu(whole);
    }

    void expectSuccess(final int commandId) throws IOException
    {
        final AttackPdu pdu = receive();
        if (PduType.CAPSULE_RESPONSE != pdu.type() || commandId != pdu.commandId() || 0 != pdu.status())
        {
            throw new AssertionError("command " + commandId + " was answered with " + Arrays.toString(pdu.bytes()));
        }
    }

    /** Reads answers and forgets them until the connection ends. */
    void readAndDrop()
    {
        final byte[] dropped = new byte[1 << 20];
        try
        {
            while (in.read(dropped) > 0)
            {
                Thread.onSpinWait();
            }
        }
        catch (final IOException _)
        {
            // The connection was reset or closed.
            Thread.onSpinWait();
        }
    }

    /** Closes with a reset, whatever is on the way. */
    void reset() throws IOException
    {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close()
    {
        try
        {
            socket.close();
        }
        catch (final IOException e)
        {
            throw new AssertionError(e);
        }
    }

    static byte[] initializeRequest()
    {
        final byte[] bytes = new byte[ICPdu.SIZE_BYTES];
        final ICPdu pdu = new ICPdu();
        pdu.wrap(new UnsafeBuffer(bytes), 0);
        pdu.build(PduType.IC_REQ, 0, 0, 0);
        return bytes;
    }

    static byte[] capsule(final byte[] entry, final byte[] data)
    {
        final byte[] bytes = new byte[CapsuleCommand.SIZE_BYTES + data.length];
        final CapsuleCommand pdu = new CapsuleCommand();
        pdu.wrap(new UnsafeBuffer(bytes), 0);
        pdu.build(0, 0 == data.length ? 0 : CapsuleCommand.SIZE_BYTES, bytes.length);
        System.arraycopy(entry, 0, bytes, CapsuleCommand.ENTRY_OFFSET, entry.length);
        System.arraycopy(data, 0, bytes, CapsuleCommand.SIZE_BYTES, data.length);
        return bytes;
    }

    /** H2CData for an R2T. */
    static byte[] h2cData(final int commandId, final int transferTag, final byte[] data)
    {
        return h2cData(commandId, transferTag, data, 0, data.length);
    }

    /** H2CData for an R2T that asks for a part. */
    static byte[] h2cData(
        final int commandId, final int transferTag, final byte[] data, final int offset, final int length)
    {
        final byte[] bytes = new byte[DataPdu.SIZE_BYTES + length];
        final DataPdu pdu = new DataPdu();
        pdu.wrap(new UnsafeBuffer(bytes), 0);
        pdu.set(PduType.H2C_DATA, CommonHeader.FLAG_LAST, DataPdu.SIZE_BYTES, DataPdu.SIZE_BYTES, bytes.length);
        pdu.setTransfer(commandId, transferTag, offset, length);
        System.arraycopy(data, offset, bytes, DataPdu.SIZE_BYTES, length);
        return bytes;
    }

    static byte[] connect(final int commandId, final int queueId, final int queueSize)
    {
        final byte[] bytes = entry(AdminOpcode.FABRICS, commandId, 0, SglDescriptor.DATA_BLOCK_OFFSET,
            ConnectData.SIZE_BYTES);
        final ConnectCommand command = new ConnectCommand();
        command.wrap(new UnsafeBuffer(bytes), 0);
        command.fabricsType(FabricsType.CONNECT).queueId(queueId).queueSize(queueSize - 1)
            .attributes(ConnectCommand.ATTRIBUTE_NO_FLOW_CONTROL).keepAliveTimeoutMs(0 == queueId ? 120_000 : 0);
        return bytes;
    }

    byte[] connectData(final String subsystemNqn, final int controller)
    {
        final byte[] bytes = new byte[ConnectData.SIZE_BYTES];
        final ConnectData data = new ConnectData();
        data.wrap(new UnsafeBuffer(bytes), 0);
        final byte[] hostId = new byte[16];
        hostId[0] = 1;
        data.setHostId(hostId).controllerId(controller).subsystemNqn(subsystemNqn).hostNqn(hostNqn);
        return bytes;
    }

    static byte[] propertySet(final int commandId, final int property, final int value)
    {
        final byte[] bytes = entry(AdminOpcode.FABRICS, commandId, 0, 0, 0);
        final PropertyCommand command = new PropertyCommand();
        command.wrap(new UnsafeBuffer(bytes), 0);
        command.fabricsType(FabricsType.PROPERTY_SET).attributes(PropertyCommand.SIZE_4)
            .propertyOffset(property).value(value);
        return bytes;
    }

    private static byte[] propertyGet(final int commandId, final int property)
    {
        final byte[] bytes = entry(AdminOpcode.FABRICS, commandId, 0, 0, 0);
        final PropertyCommand command = new PropertyCommand();
        command.wrap(new UnsafeBuffer(bytes), 0);
        command.fabricsType(FabricsType.PROPERTY_GET).attributes(PropertyCommand.SIZE_4).propertyOffset(property);
        return bytes;
    }

    static byte[] numberOfQueues(final int commandId, final int queues)
    {
        final byte[] bytes = entry(AdminOpcode.SET_FEATURES, commandId, 0, 0, 0);
        view(bytes).cdw10(FEATURE_NUMBER_OF_QUEUES).cdw11((queues - 1) | (queues - 1) << 16);
        return bytes;
    }

    static byte[] read(final int commandId, final long lba, final int blocks, final int lengthBytes)
    {
        final byte[] bytes = entry(IoOpcode.READ, commandId, 1, SglDescriptor.TRANSPORT_DATA_BLOCK, lengthBytes);
        view(bytes).startingLba(lba).cdw12(blocks - 1);
        return bytes;
    }

    /** A write whose data the target asks for with R2T. */
    static byte[] write(final int commandId, final long lba, final int blocks, final int lengthBytes)
    {
        final byte[] bytes = entry(IoOpcode.WRITE, commandId, 1, SglDescriptor.TRANSPORT_DATA_BLOCK, lengthBytes);
        view(bytes).startingLba(lba).cdw12(blocks - 1);
        return bytes;
    }

    /** A write whose data is in its capsule. */
    static byte[] writeInCapsule(final int commandId, final long lba, final int blocks, final int lengthBytes)
    {
        final byte[] bytes = entry(IoOpcode.WRITE, commandId, 1, SglDescriptor.DATA_BLOCK_OFFSET, lengthBytes);
        view(bytes).startingLba(lba).cdw12(blocks - 1);
        return bytes;
    }

    static byte[] entry(
        final int opcode, final int commandId, final int namespaceId, final int sglType, final int lengthBytes)
    {
        final byte[] bytes = new byte[SubmissionQueueEntry.SIZE_BYTES];
        view(bytes).opcode(opcode).flags(SglDescriptor.FLAGS_PSDT_SGL).commandId(commandId).namespaceId(namespaceId)
            .sglType(sglType).sglLength(lengthBytes);
        return bytes;
    }

    private static int connected(final AttackPdu response)
    {
        final int status = response.status();
        return 0 == status ? response.result0() & 0xFFFF : -status;
    }

    private static SubmissionQueueEntry view(final byte[] bytes)
    {
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(bytes), 0);
        return entry;
    }
}
