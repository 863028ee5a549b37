package io.millrace.nvmf.initiator.tcp;

import io.millrace.nvmf.initiator.Waits;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;

/**
 * A target that does what a test tells it to, on one connection. Writes PDUs by the numbers of the specification and
 * with the JDK's CRC32C, not with the code under test.
 */
final class ScriptedPeer implements AutoCloseable
{
    static final int LAST = 1 << 2;
    static final int SUCCESS = 1 << 3;

    private final ServerSocket listener;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Script script;
    private Socket socket;
    private DataInputStream in;
    private OutputStream out;
    private boolean headerDigest;
    private boolean dataDigest;

    ScriptedPeer(final Script script)
    {
        this.script = script;
        try
        {
            listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        }
        catch (final IOException e)
        {
            throw new AssertionError(e);
        }
        Thread.ofPlatform().daemon().name("test-peer").start(this::run);
    }

    InetSocketAddress address()
    {
        return (InetSocketAddress)listener.getLocalSocketAddress();
    }

    private void run()
    {
        try
        {
            socket = listener.accept();
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(15_000);
            in = new DataInputStream(socket.getInputStream());
            out = socket.getOutputStream();
            script.run(this);
            done.complete(null);
        }
        catch (final Throwable t)
        {
            done.completeExceptionally(t);
        }
    }

    /** Waits until the script has come to its end, and fails if it failed. */
    void await()
    {
        Waits.get(done);
    }

    Pdu read() throws IOException
    {
        return readRest(readHeader());
    }

    byte[] readHeader() throws IOException
    {
        final byte[] header = new byte[8];
        in.readFully(header);
        return header;
    }

    Pdu readRest(final byte[] header) throws IOException
    {
        final int length = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(4);
        final byte[] bytes = Arrays.copyOf(header, length);
        in.readFully(bytes, 8, length - 8);
        return new Pdu(bytes, headerDigest, dataDigest);
    }

    /** Reads until the host has closed. */
    void awaitEnd() throws IOException
    {
        try
        {
            while (in.read() >= 0)
            {
                Thread.onSpinWait();
            }
        }
        catch (final IOException e)
        {
            if (e instanceof java.net.SocketTimeoutException)
            {
                throw e;
            }
        }
    }

    boolean isAtEnd() throws IOException
    {
        try
        {
            in.readByte();
            return false;
        }
        catch (final EOFException | java.net.SocketException e)
        {
            return true;
        }
    }

    void write(final byte[] bytes) throws IOException
    {
        out.write(bytes);
        out.flush();
    }

    /** Answers ICReq and Connect. */
    void accept(final int alignment, final int maxDataBytes) throws IOException
    {
        final Pdu request = read();
        final int digests = request.bytes[11];
        write(initializeResponse(0, alignment, digests, maxDataBytes));
        headerDigest = 0 != (digests & 1);
        dataDigest = 0 != (digests & 2);
        final Pdu connect = read();
        write(response(connect.commandId(), 0, 7));
    }

    static byte[] initializeResponse(
        final int version, final int alignment, final int digests, final int maxDataBytes)
    {
        final ByteBuffer pdu = pdu(128, 0x01, 0, 128, 0);
        pdu.putShort(8, (short)version).put(10, (byte)alignment).put(11, (byte)digests).putInt(12, maxDataBytes);
        return pdu.array();
    }

    private static ByteBuffer pdu(
        final int length, final int type, final int flags, final int headerLength, final int dataOffset)
    {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN)
            .put(0, (byte)type).put(1, (byte)flags).put(2, (byte)headerLength).put(3, (byte)dataOffset)
            .putInt(4, length);
    }

    private int digestFlags(final boolean data)
    {
        return (headerDigest ? 1 : 0) | (data && dataDigest ? 2 : 0);
    }

    byte[] response(final int commandId, final int status, final int result0)
    {
        final ByteBuffer pdu = pdu(headerDigest ? 28 : 24, 0x05, digestFlags(false), 24, 0);
        pdu.putInt(8, result0).putShort(20, (short)commandId).putShort(22, (short)(status << 1));
        return sealed(pdu).array();
    }

    byte[] readyToTransfer(final int commandId, final int tag, final int offset, final int length)
    {
        final ByteBuffer pdu = pdu(headerDigest ? 28 : 24, 0x09, digestFlags(false), 24, 0);
        pdu.putShort(8, (short)commandId).putShort(10, (short)tag).putInt(12, offset).putInt(16, length);
        return sealed(pdu).array();
    }

    byte[] data(final int commandId, final int offset, final byte[] data, final int flags)
    {
        return data(commandId, offset, data, flags, 0);
    }

    /** With so many bytes of padding in front of the data. */
    byte[] data(final int commandId, final int offset, final byte[] data, final int flags, final int padding)
    {
        final int dataOffset = (headerDigest ? 28 : 24) + padding;
        final ByteBuffer pdu = pdu(dataOffset + data.length + (dataDigest ? 4 : 0), 0x07, flags | digestFlags(true), 24,
            dataOffset);
        pdu.putShort(8, (short)commandId).putInt(12, offset).putInt(16, data.length);
        sealed(pdu).put(dataOffset, data);
        if (dataDigest)
        {
            pdu.putInt(dataOffset + data.length, crc(data, 0, data.length));
        }
        return pdu.array();
    }

    byte[] termination(final int status, final int information)
    {
        final ByteBuffer pdu = pdu(24, 0x03, 0, 24, 0);
        pdu.putShort(8, (short)status).putInt(10, information);
        return pdu.array();
    }

    private ByteBuffer sealed(final ByteBuffer pdu)
    {
        return headerDigest ? pdu.putInt(24, crc(pdu.array(), 0, 24)) : pdu;
    }

    static int crc(final byte[] bytes, final int offset, final int length)
    {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int)crc.getValue();
    }

    @Override
    public void close() throws IOException
    {
        listener.close();
        if (null != socket)
        {
            socket.close();
        }
    }

    /** What the peer does once a host has connected. */
    @FunctionalInterface
    interface Script
    {
        void run(ScriptedPeer peer) throws IOException;
    }

    /** A PDU of the host, its digests and padding checked. */
    static final class Pdu
    {
        final byte[] bytes;
        private final ByteBuffer buffer;
        private final int headerDigestBytes;
        private final int dataDigestBytes;

        Pdu(final byte[] bytes, final boolean headerDigest, final boolean dataDigest)
        {
            this.bytes = bytes;
            buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            final boolean sealed = 0 != type() && 2 != type();
            headerDigestBytes = sealed && headerDigest ? 4 : 0;
            dataDigestBytes = sealed && dataDigest && dataOffset() > 0 ? 4 : 0;
            if (headerDigestBytes > 0 && crc(bytes, 0, headerLength()) != buffer.getInt(headerLength()))
            {
                throw new AssertionError("header digest is wrong in PDU of type " + type());
            }
            for (int pad = headerLength() + headerDigestBytes; sealed && pad < dataOffset(); pad++)
            {
                if (0 != bytes[pad])
                {
                    throw new AssertionError("padding has " + bytes[pad] + " in PDU of type " + type());
                }
            }
            if (dataDigestBytes > 0 &&
                crc(bytes, dataOffset(), data().length) != buffer.getInt(bytes.length - dataDigestBytes))
            {
                throw new AssertionError("data digest is wrong in PDU of type " + type());
            }
            if (sealed && (flags() & 3) != ((headerDigestBytes > 0 ? 1 : 0) | (dataDigestBytes > 0 ? 2 : 0)))
            {
                throw new AssertionError("digest flags are " + flags() + " in PDU of type " + type());
            }
        }

        int type()
        {
            return bytes[0];
        }

        int flags()
        {
            return bytes[1];
        }

        int headerLength()
        {
            return bytes[2] & 0xFF;
        }

        int dataOffset()
        {
            return bytes[3] & 0xFF;
        }

        int commandId()
        {
            return 0x06 == type() ? shortAt(8) : shortAt(8 + 2);
        }

        int shortAt(final int offset)
        {
            return buffer.getShort(offset) & 0xFFFF;
        }

        int intAt(final int offset)
        {
            return buffer.getInt(offset);
        }

        byte[] data()
        {
            return 0 == dataOffset() ? new byte[0] :
                Arrays.copyOfRange(bytes, dataOffset(), bytes.length - dataDigestBytes);
        }
    }
}
