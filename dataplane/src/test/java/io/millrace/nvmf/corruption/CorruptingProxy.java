package io.millrace.nvmf.corruption;

import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands between a host and a target of NVMe/TCP, hands PDUs on as they come, and damages one when asked to. Of
 * connections that are not admin queues: PDUs of their I/O commands, and greetings of whichever connection is next.
 */
public final class CorruptingProxy implements AutoCloseable
{
    private static final int FABRICS = 0x7F;
    private static final int OPCODE_OFFSET = 8;
    private static final int FABRICS_TYPE_OFFSET = 12;
    private static final int CONNECT = 1;
    private static final int CONNECT_QUEUE_ID_OFFSET = 8 + 42;

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final int endDelayMs;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private Incident armed;

    /**
     * Listens on a port of 127.0.0.1.
     *
     * @param target to connect hosts with.
     */
    public CorruptingProxy(final InetSocketAddress target) throws IOException
    {
        this(target, 0);
    }

    /**
     * Listens on a port of 127.0.0.1, for the host of a Linux kernel. A PDU that ends the connection stays in its
     * socket, and when its work was queued once more meanwhile, Linux 6.1 takes it up again as the data of a command:
     * {@code nvme_tcp_recv_skb} then copies it into memory of that command, whose data the next attempt sends, or ends
     * with an Oops. So nothing else reaches the host just before such a PDU, and nothing just after it.
     *
     * @param target     to connect hosts with.
     * @param endDelayMs milliseconds before and after what makes the host end a connection.
     */
    public CorruptingProxy(final InetSocketAddress target, final int endDelayMs) throws IOException
    {
        this.target = target;
        this.endDelayMs = endDelayMs;
        listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    /** Where hosts connect to. */
    public InetSocketAddress address()
    {
        return (InetSocketAddress)listener.getLocalSocketAddress();
    }

    /**
     * Damages the next PDU that fits.
     *
     * @param corruption which.
     * @return what becomes of it.
     */
    public synchronized Incident arm(final Corruption corruption)
    {
        armed = new Incident(corruption);
        return armed;
    }

    private void start(final Runnable body)
    {
        final Thread thread = Thread.ofPlatform().daemon().name("corrupting-proxy").unstarted(body);
        threads.add(thread);
        thread.start();
    }

    private void accept()
    {
        while (!listener.isClosed())
        {
            try
            {
                final Connection connection = new Connection(listener.accept());
                start(() -> connection.pump(true));
                start(() -> connection.pump(false));
            }
            catch (final IOException e)
            {
                // The proxy is closed, or the target took no connection: the host's end is closed.
                continue;
            }
        }
    }

    private synchronized byte[] handOn(final Connection connection, final byte[] pdu)
    {
        connection.observe(pdu);
        byte[] handedOn = pdu;
        if (null != armed && armed.corruption().isOf(pdu) && connection.mayBeDamaged(pdu))
        {
            handedOn = armed.apply(pdu);
            if (armed.isApplied())
            {
                connection.incident = armed;
                armed = null;
            }
        }
        else if (null != connection.incident)
        {
            connection.incident.onPdu(pdu);
        }
        connection.onHandedOn(pdu);
        return handedOn;
    }

    private synchronized void onEnd(final Connection connection, final boolean isHost)
    {
        if (null != connection.incident)
        {
            connection.incident.onEnd(isHost);
        }
    }

    private static void close(final Socket socket)
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

    @Override
    public void close() throws IOException
    {
        listener.close();
        sockets.forEach(CorruptingProxy::close);
        for (final Thread thread : threads)
        {
            try
            {
                thread.join(5_000);
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** One connection: two sockets. */
    private final class Connection
    {
        private final Socket host;
        private final Socket other;
        private int queueId;
        /** Connect was answered. */
        private boolean isAssociated;
        private boolean isHostDone;
        private boolean isTargetDone;
        private Incident incident;

        private Connection(final Socket host) throws IOException
        {
            this.host = host;
            sockets.add(host);
            other = new Socket();
            sockets.add(other);
            try
            {
                other.connect(target);
                host.setTcpNoDelay(true);
                other.setTcpNoDelay(true);
            }
            catch (final IOException e)
            {
                CorruptingProxy.close(host);
                throw e;
            }
        }

        private void observe(final byte[] pdu)
        {
            if (PduType.CAPSULE_COMMAND == pdu[CommonHeader.TYPE_OFFSET] && FABRICS == pdu[OPCODE_OFFSET] &&
                CONNECT == pdu[FABRICS_TYPE_OFFSET])
            {
                queueId = ByteBuffer.wrap(pdu).order(ByteOrder.LITTLE_ENDIAN).getShort(CONNECT_QUEUE_ID_OFFSET);
            }
        }

        private boolean mayBeDamaged(final byte[] pdu)
        {
            final int type = pdu[CommonHeader.TYPE_OFFSET];
            return PduType.IC_REQ == type || PduType.IC_RESP == type || isAssociated && 0 != queueId;
        }

        private void onHandedOn(final byte[] pdu)
        {
            isAssociated |= PduType.CAPSULE_RESPONSE == pdu[CommonHeader.TYPE_OFFSET];
        }

        private void pump(final boolean isFromHost)
        {
            final Socket from = isFromHost ? host : other;
            final Socket to = isFromHost ? other : host;
            final InputStream in = stream(from);
            boolean isTaken = true;
            byte[] pdu = next(in);
            while (null != pdu)
            {
                final byte[] handedOn = handOn(this, pdu);
                final boolean ends = !isFromHost && (handedOn != pdu || PduType.C2H_TERM_REQ == pdu[0]);
                delay(ends);
                // What is sent to a side that has closed is read all the same, up to its end.
                isTaken = isTaken && write(to, handedOn);
                delay(ends);
                pdu = next(in);
            }
            onEnd(this, isFromHost);
            shutDownOutput(to);
            end(isFromHost);
        }

        private void delay(final boolean isNeeded)
        {
            if (isNeeded && 0 != endDelayMs)
            {
                LockSupport.parkNanos(endDelayMs * 1_000_000L);
            }
        }

        /** Not to be closed at the end of the stream: the other direction goes on. */
        private static InputStream stream(final Socket from)
        {
            try
            {
                return new BufferedInputStream(from.getInputStream(), 1 << 17);
            }
            catch (final IOException e)
            {
                return InputStream.nullInputStream();
            }
        }

        private static boolean write(final Socket to, final byte[] pdu)
        {
            try
            {
                to.getOutputStream().write(pdu);
                return true;
            }
            catch (final IOException e)
            {
                return false;
            }
        }

        private static void shutDownOutput(final Socket to)
        {
            try
            {
                to.shutdownOutput();
            }
            catch (final IOException e)
            {
                // It has closed already, and what it sent before is still to be read.
                return;
            }
        }

        /** The next PDU; null at the end of the stream, or when it is cut. */
        private static byte[] next(final InputStream in)
        {
            try
            {
                final byte[] header = in.readNBytes(CommonHeader.SIZE_BYTES);
                if (header.length < CommonHeader.SIZE_BYTES)
                {
                    return null;
                }
                final int length =
                    ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(CommonHeader.PDU_LENGTH_OFFSET);
                final byte[] pdu = Arrays.copyOf(header, length);
                final int rest = length - CommonHeader.SIZE_BYTES;
                return rest == in.readNBytes(pdu, CommonHeader.SIZE_BYTES, rest) ? pdu : null;
            }
            catch (final IOException e)
            {
                return null;
            }
        }

        private synchronized void end(final boolean isFromHost)
        {
            isHostDone |= isFromHost;
            isTargetDone |= !isFromHost;
            if (isHostDone && isTargetDone)
            {
                CorruptingProxy.close(host);
                CorruptingProxy.close(other);
                sockets.remove(host);
                sockets.remove(other);
            }
        }
    }
}
