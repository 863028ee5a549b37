package io.millrace.lab.attack;

import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A well-behaved host beside an attack on buffers: all of its I/O needs some. It writes blocks whose data the target
 * asks for, in as many parts as it likes, and reads them back, one after the other, and compares. On a thread of its
 * own until it is closed.
 */
final class PooledBystander implements AutoCloseable
{
    private static final int ASIDE_BYTES = 4096;
    private static final int DEPTH = 128;
    private static final int BLOCKS = 64;
    private static final int COMMAND_ID = 1;
    private static final int ASIDE_ID_FIRST = 16;

    private final AttackHost admin;
    private final AttackHost io;
    private final long firstLba;
    private final int blockBytes;
    private final Thread thread = new Thread(this::run, "pooled-bystander");
    private volatile boolean isEnding;
    private volatile int asideNsid;
    private volatile long verified;
    private volatile long longestNs;
    private volatile Exception failure;

    /**
     * Connects and begins.
     *
     * @param port       of the target.
     * @param source     loopback address that it comes from.
     * @param nqn        of the subsystem, whose namespace 1 has blocks of 512 bytes.
     * @param firstLba   of blocks that nobody else touches.
     * @param blockBytes of each of its 64 blocks.
     */
    PooledBystander(
        final int port, final String source, final String nqn, final long firstLba, final int blockBytes)
        throws IOException
    {
        this.firstLba = firstLba;
        this.blockBytes = blockBytes;
        admin = AttackHost.admin(port, source, nqn);
        io = admin.io(nqn, 1, DEPTH, 0);
        thread.start();
    }

    /** Pairs of a write and a read that were right. */
    long verified()
    {
        return verified;
    }

    /** The longest pair since the last call. */
    long takeLongestMs()
    {
        final long longestMs = TimeUnit.NANOSECONDS.toMillis(longestNs);
        longestNs = 0;
        return longestMs;
    }

    /** Sends reads of another namespace too, over the same connection, before it goes on. */
    void readAside(final int nsid)
    {
        asideNsid = nsid;
    }

    /**
     * {@return verified pairs a second}
     *
     * @param ms how long to count.
     */
    long rate(final long ms) throws InterruptedException
    {
        final long before = verified;
        final long startNs = System.nanoTime();
        Thread.sleep(ms);
        if (null != failure)
        {
            throw new AssertionError("the bystander's I/O failed", failure);
        }
        return (verified - before) * TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - startNs);
    }

    @Override
    public void close()
    {
        isEnding = true;
        try
        {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        io.close();
        admin.close();
        if (null != failure)
        {
            throw new AssertionError("the bystander's I/O failed", failure);
        }
    }

    private void run()
    {
        final byte[] data = new byte[blockBytes];
        try
        {
            for (long turn = 0; !isEnding; turn++)
            {
                if (0 != asideNsid)
                {
                    sendAside(asideNsid);
                    asideNsid = 0;
                }
                final long lba = firstLba + turn % BLOCKS * (blockBytes / BufferAttackTest.BLOCK);
                Arrays.fill(data, (byte)(turn * 31 + 7));
                data[0] = (byte)(turn >> 8);
                final long startNs = System.nanoTime();
                write(lba, data);
                io.send(AttackHost.capsule(AttackHost.read(
                    COMMAND_ID, lba, blockBytes / BufferAttackTest.BLOCK, blockBytes), AttackHost.NOTHING));
                compare(data);
                longestNs = Math.max(longestNs, System.nanoTime() - startNs);
                verified = turn + 1;
            }
        }
        catch (final IOException | AssertionError e)
        {
            failure = e instanceof IOException exception ? exception : new IOException(e);
        }
    }

    private void sendAside(final int nsid) throws IOException
    {
        for (int id = ASIDE_ID_FIRST; id < DEPTH - 2; id++)
        {
            final int opcode = 0 == (id & 1) ? IoOpcode.READ : IoOpcode.WRITE;
            io.send(AttackHost.capsule(BufferAttackTest.command(opcode, id, nsid, SglDescriptor.TRANSPORT_DATA_BLOCK,
                ASIDE_BYTES), AttackHost.NOTHING));
        }
    }

    private void write(final long lba, final byte[] data) throws IOException
    {
        io.send(AttackHost.capsule(
            AttackHost.write(COMMAND_ID, lba, blockBytes / BufferAttackTest.BLOCK, blockBytes), AttackHost.NOTHING));
        AttackPdu pdu = io.receive();
        // Data of writes aside is sent as it is asked for.
        while (PduType.READY_TO_TRANSFER == pdu.type())
        {
            sendData(pdu, data);
            pdu = io.receive();
        }
        if (PduType.CAPSULE_RESPONSE != pdu.type() || COMMAND_ID != pdu.commandId() || 0 != pdu.status())
        {
            throw new IOException("write was answered with " + Arrays.toString(pdu.bytes()));
        }
    }

    private void sendData(final AttackPdu asked, final byte[] data) throws IOException
    {
        io.send(AttackHost.h2cData(
            asked.commandId(), asked.transferTag(), data, asked.offsetBytes(), asked.lengthBytes()));
    }

    private void compare(final byte[] expected) throws IOException
    {
        int compared = 0;
        while (true)
        {
            final AttackPdu pdu = io.receive();
            if (PduType.READY_TO_TRANSFER == pdu.type())
            {
                sendData(pdu, expected);
                continue;
            }
            if (PduType.C2H_DATA != pdu.type())
            {
                throw new IOException("read was answered with type " + pdu.type() + " and status " + pdu.status());
            }
            final byte[] bytes = pdu.bytes();
            if (compared != pdu.offsetBytes() || !Arrays.equals(expected, compared, compared + pdu.lengthBytes(),
                bytes, DataPdu.SIZE_BYTES, DataPdu.SIZE_BYTES + pdu.lengthBytes()))
            {
                throw new IOException("the bystander read something else than it had written");
            }
            compared += pdu.lengthBytes();
            if (blockBytes == compared)
            {
                if (!pdu.isSuccess())
                {
                    io.expectSuccess(COMMAND_ID);
                }
                return;
            }
        }
    }
}
