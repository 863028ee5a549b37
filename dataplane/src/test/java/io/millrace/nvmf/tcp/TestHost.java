package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.tcp.pdu.ReadyToTransfer;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A host on a plain blocking socket, for tests: sends what it is told to, right or wrong, and takes the answers apart.
 */
final class TestHost implements AutoCloseable
{
    static final String HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-000000000001";
    private static final int TIMEOUT_MS = 10_000;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private Digests digests = Digests.NONE;
    private int dataOffset = DataPdu.SIZE_BYTES;
    private int maxH2CDataBytes;
    private int controllerId;
    private ManualTarget manualTarget;
    private TcpConnection manualConnection;

    private TestHost(final InetSocketAddress address, final int receiveBufferBytes, final String source)
        throws IOException
    {
        socket = new Socket();
        if (null != source)
        {
            socket.bind(new InetSocketAddress(source, 0));
        }
        if (0 != receiveBufferBytes)
        {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.connect(address, TIMEOUT_MS);
        in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16));
        out = socket.getOutputStream();
    }

    /**
     * A socket on which nothing has been said.
     */
    static TestHost open(final InetSocketAddress address) throws IOException
    {
        return new TestHost(address, 0, null);
    }

    /**
     * As another host: its connections come from a loopback address of their own.
     */
    static TestHost openFrom(final InetSocketAddress address, final String source) throws IOException
    {
        return new TestHost(address, 0, source);
    }

    static TestHost open(final InetSocketAddress address, final int receiveBufferBytes) throws IOException
    {
        return new TestHost(address, receiveBufferBytes, null);
    }

    /**
     * An admin queue with an enabled controller.
     */
    static TestHost admin(final InetSocketAddress address, final String nqn, final Digests digests) throws IOException
    {
        final TestHost host = open(address);
        host.initialize(digests, 0);
        host.connectAdmin(nqn);
        return host;
    }

    /**
     * An I/O queue of a controller.
     */
    static TestHost io(
        final InetSocketAddress address,
        final String nqn,
        final TestHost admin,
        final int queueId,
        final int depth,
        final Digests digests) throws IOException
    {
        final TestHost host = open(address);
        host.initialize(digests, 0);
        host.connectIo(nqn, admin.controllerId, queueId, depth);
        return host;
    }

    WirePdu initialize(final Digests asked, final int dataAlignment) throws IOException
    {
        send(WirePdu.initializeRequest(dataAlignment, asked, 0));
        final WirePdu response = expect(PduType.IC_RESP);
        digests = Digests.of(response.header()[ICPdu.DIGESTS_OFFSET]);
        maxH2CDataBytes = WirePdu.getInt(response.header(), ICPdu.MAXIMUM_OFFSET);
        final int alignment = (dataAlignment + 1) * 4;
        dataOffset = (DataPdu.SIZE_BYTES + digests.headerBytes() + alignment - 1) / alignment * alignment;
        return response;
    }

    void connectAdmin(final String nqn) throws IOException
    {
        sendCapsule(WireCommand.connect(1, 0, 32), WireCommand.connectData(nqn, HOST_NQN, 0xFFFF));
        final WirePdu connected = expect(PduType.CAPSULE_RESPONSE);
        assertEquals(0, connected.status(), connected.toString());
        controllerId = connected.result0() & 0xFFFF;
        sendCapsule(WireCommand.propertySet(2, 0x14, 0x00460001), WirePdu.NOTHING);
        final WirePdu enabled = expect(PduType.CAPSULE_RESPONSE);
        assertEquals(0, enabled.status(), enabled.toString());
        int ready = 0;
        for (int i = 0; i < 1000 && 0 == ready; i++)
        {
            sendCapsule(WireCommand.propertyGet(3, 0x1C), WirePdu.NOTHING);
            ready = expect(PduType.CAPSULE_RESPONSE).result0() & 1;
        }
        assertEquals(1, ready);
        sendCapsule(WireCommand.numberOfQueues(4, 128), WirePdu.NOTHING);
        expectSuccess(4);
    }

    void connectIo(final String nqn, final int controller, final int queueId, final int depth) throws IOException
    {
        sendCapsule(WireCommand.connect(1, queueId, depth), WireCommand.connectData(nqn, HOST_NQN, controller));
        final WirePdu connected = expect(PduType.CAPSULE_RESPONSE);
        assertEquals(0, connected.status(), connected.toString());
    }

    int controllerId()
    {
        return controllerId;
    }

    Digests digests()
    {
        return digests;
    }

    Socket socket()
    {
        return socket;
    }

    /**
     * From now on what is sent is delivered to a target that the test turns by hand.
     */
    void manual(final ManualTarget target, final TcpConnection connection)
    {
        manualTarget = target;
        manualConnection = connection;
    }

    void send(final byte[] bytes) throws IOException
    {
        if (null == manualTarget)
        {
            out.write(bytes);
        }
        else
        {
            manualTarget.deliver(this, manualConnection, bytes, 0, bytes.length);
        }
    }

    void sendRaw(final byte[] bytes, final int from, final int to) throws IOException
    {
        out.write(bytes, from, to - from);
    }

    void sendCapsule(final byte[] entry, final byte[] data) throws IOException
    {
        send(WirePdu.capsule(digests, entry, data));
    }

    /**
     * The next PDU, its digests and lengths checked.
     */
    WirePdu receive() throws IOException
    {
        final byte[] common = new byte[CommonHeader.SIZE_BYTES];
        in.readFully(common);
        final int type = common[0] & 0xFF;
        final int flags = common[1] & 0xFF;
        final int headerLength = common[2] & 0xFF;
        final int pduLength = WirePdu.getInt(common, 4);
        final byte[] whole = Arrays.copyOf(common, pduLength);
        in.readFully(whole, CommonHeader.SIZE_BYTES, pduLength - CommonHeader.SIZE_BYTES);
        final byte[] header = Arrays.copyOf(whole, headerLength);
        if (PduType.C2H_TERM_REQ == type)
        {
            assertEquals(TerminationRequest.SIZE_BYTES, headerLength);
            return new WirePdu(type, flags, header, Arrays.copyOfRange(whole, headerLength, pduLength));
        }
        if (PduType.IC_RESP == type)
        {
            return new WirePdu(type, flags, header, WirePdu.NOTHING);
        }
        assertEquals(digests.headerFlag(), flags & CommonHeader.FLAG_HEADER_DIGEST);
        if (0 != digests.headerBytes())
        {
            assertEquals(WirePdu.crc32c(whole, 0, headerLength), WirePdu.getInt(whole, headerLength), "header digest");
        }
        if (PduType.C2H_DATA != type)
        {
            assertEquals(headerLength + digests.headerBytes(), pduLength);
            return new WirePdu(type, flags, header, WirePdu.NOTHING);
        }
        assertEquals(dataOffset, common[3] & 0xFF, "data offset");
        for (int pad = headerLength + digests.headerBytes(); pad < dataOffset; pad++)
        {
            assertEquals(0, whole[pad], "padding");
        }
        assertEquals(digests.dataFlag(), flags & CommonHeader.FLAG_DATA_DIGEST);
        final int dataLength = WirePdu.getInt(header, DataPdu.DATA_LENGTH_OFFSET);
        assertEquals(dataOffset + dataLength + digests.dataBytes(), pduLength);
        if (0 != digests.dataBytes())
        {
            assertEquals(WirePdu.crc32c(whole, dataOffset, dataLength),
                WirePdu.getInt(whole, dataOffset + dataLength), "data digest");
        }
        return new WirePdu(type, flags, header, Arrays.copyOfRange(whole, dataOffset, dataOffset + dataLength));
    }

    /**
     * Bytes that can be received without waiting.
     */
    int available() throws IOException
    {
        return in.available();
    }

    WirePdu expect(final int type) throws IOException
    {
        final WirePdu pdu = receive();
        assertEquals(type, pdu.type(), pdu.toString());
        return pdu;
    }

    void expectTermination(final FatalErrorStatus status, final int information) throws IOException
    {
        final WirePdu pdu = expect(PduType.C2H_TERM_REQ);
        assertEquals(status, pdu.fatalStatus(), pdu.toString());
        assertEquals(information, pdu.fatalInformation(), pdu.toString());
        expectEnd();
    }

    /**
     * The target closes without another word.
     */
    void expectEnd() throws IOException
    {
        try
        {
            final int next = in.read();
            assertEquals(-1, next, "more came where the end of the stream was due");
        }
        catch (final EOFException | SocketException e)
        {
            assertTrue(socket.isConnected());
        }
    }

    /**
     * Reads blocks, whichever way success is reported.
     */
    byte[] read(final int commandId, final long lba, final int blocks, final int lengthBytes) throws IOException
    {
        sendCapsule(WireCommand.read(commandId, lba, blocks, lengthBytes), WirePdu.NOTHING);
        return receiveRead(commandId);
    }

    byte[] receiveRead(final int commandId) throws IOException
    {
        final WirePdu pdu = expect(PduType.C2H_DATA);
        assertEquals(commandId, pdu.commandId());
        assertTrue(pdu.has(CommonHeader.FLAG_LAST));
        if (!pdu.has(CommonHeader.FLAG_SUCCESS))
        {
            final WirePdu response = expect(PduType.CAPSULE_RESPONSE);
            assertEquals(commandId, response.commandId());
            assertEquals(0, response.status(), response.toString());
        }
        return pdu.data();
    }

    /**
     * Opens an I/O queue of this admin queue's controller and reads block 1000 over it, which nobody writes.
     */
    byte[] readThroughNewQueue(final InetSocketAddress address, final String nqn, final int queueId) throws IOException
    {
        try (TestHost host = io(address, nqn, this, queueId, 32, Digests.NONE))
        {
            return host.read(1, 1000, 1, TargetFixture.BLOCK_BYTES);
        }
    }

    void writeInCapsule(final int commandId, final long lba, final int blocks, final byte[] data) throws IOException
    {
        sendCapsule(WireCommand.writeInCapsule(commandId, lba, blocks, data.length), data);
        expectSuccess(commandId);
    }

    void write(final int commandId, final long lba, final int blocks, final byte[] data) throws IOException
    {
        sendCapsule(WireCommand.write(commandId, lba, blocks, data.length), WirePdu.NOTHING);
        final WirePdu ready = expect(PduType.READY_TO_TRANSFER);
        assertEquals(commandId, ready.commandId());
        assertEquals(data.length, WirePdu.getInt(ready.header(), ReadyToTransfer.DATA_LENGTH_OFFSET));
        for (int offset = 0; offset < data.length; offset += maxH2CDataBytes)
        {
            final int length = Math.min(maxH2CDataBytes, data.length - offset);
            send(WirePdu.h2cData(digests, commandId, ready.transferTag(), data, offset, length,
                offset + length == data.length));
        }
        expectSuccess(commandId);
    }

    /**
     * Writes blocks in as many parts as are asked for.
     *
     * @return how many.
     */
    int writeParts(final int commandId, final long lba, final int blocks, final byte[] data) throws IOException
    {
        sendCapsule(WireCommand.write(commandId, lba, blocks, data.length), WirePdu.NOTHING);
        final List<WirePdu> received = sendParts(commandId, data);
        final int parts = received.size() - 1;
        assertEquals(data.length, endOfPart(received.get(parts - 1)));
        assertEquals(0, received.get(parts).status(), received.get(parts).toString());
        return parts;
    }

    /**
     * Sends as much of the data of a command as is asked for.
     *
     * @return what asked for each part, and the answer at last.
     */
    List<WirePdu> sendParts(final int commandId, final byte[] data) throws IOException
    {
        final List<WirePdu> received = new ArrayList<>();
        int offset = 0;
        WirePdu pdu = receive();
        while (PduType.READY_TO_TRANSFER == pdu.type())
        {
            received.add(pdu);
            assertEquals(commandId, pdu.commandId());
            assertEquals(offset, WirePdu.getInt(pdu.header(), ReadyToTransfer.BUFFER_OFFSET_OFFSET));
            final int end = endOfPart(pdu);
            while (offset < end)
            {
                final int length = Math.min(maxH2CDataBytes, end - offset);
                send(WirePdu.h2cData(
                    digests, commandId, pdu.transferTag(), data, offset, length, offset + length == end));
                offset += length;
            }
            pdu = receive();
        }
        assertEquals(commandId, pdu.commandId());
        received.add(pdu);
        return received;
    }

    private static int endOfPart(final WirePdu ready)
    {
        return WirePdu.getInt(ready.header(), ReadyToTransfer.BUFFER_OFFSET_OFFSET) +
            WirePdu.getInt(ready.header(), ReadyToTransfer.DATA_LENGTH_OFFSET);
    }

    /**
     * Reads data of any command in as many parts as come, whichever way success is reported.
     */
    byte[] receiveParts(final int commandId) throws IOException
    {
        byte[] data = {};
        while (true)
        {
            final WirePdu pdu = expect(PduType.C2H_DATA);
            assertEquals(commandId, pdu.commandId());
            assertEquals(data.length, WirePdu.getInt(pdu.header(), DataPdu.BUFFER_OFFSET_OFFSET));
            final int before = data.length;
            data = Arrays.copyOf(data, before + pdu.data().length);
            System.arraycopy(pdu.data(), 0, data, before, pdu.data().length);
            if (pdu.has(CommonHeader.FLAG_LAST))
            {
                if (!pdu.has(CommonHeader.FLAG_SUCCESS))
                {
                    expectSuccess(commandId);
                }
                return data;
            }
        }
    }

    void expectSuccess(final int commandId) throws IOException
    {
        final WirePdu response = expect(PduType.CAPSULE_RESPONSE);
        assertEquals(commandId, response.commandId());
        assertEquals(0, response.status(), response.toString());
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
}
