package io.millrace.lab.attack;

import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A well-behaved host beside an attack: writes blocks and reads them back, one after the other, and compares. On a
 * thread of its own until it is closed.
 */
final class Bystander implements AutoCloseable
{
    private static final int BLOCK_BYTES = 4096;
    private static final int DEPTH = 32;
    private static final int BLOCKS = 64;

    private final AttackHost admin;
    private final AttackHost io;
    private final long firstLba;
    private final Thread thread = new Thread(this::run, "bystander");
    private volatile boolean isEnding;
    private volatile long verified;
    private volatile long longestNs;
    private volatile Exception failure;

    /**
     * Connects and begins.
     *
     * @param port     of the target.
     * @param nqn      of the subsystem, whose namespace 1 has blocks of 4 KiB.
     * @param firstLba of 64 blocks that nobody else touches.
     */
    Bystander(final int port, final String nqn, final long firstLba) throws IOException
    {
        this.firstLba = firstLba;
        admin = AttackHost.admin(port, "127.0.0.99", nqn);
        io = admin.io(nqn, 1, DEPTH, 0);
        thread.start();
    }

    /** Pairs of a write and a read that were right. */
    long verified()
    {
        return verified;
    }

    /** The longest pair so far. */
    long longestMs()
    {
        return TimeUnit.NANOSECONDS.toMillis(longestNs);
    }

    /** Fails when something went wrong, or when nothing goes on within a time. */
    void expectProgress(final long withinMs) throws InterruptedException
    {
        final long before = verified;
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
        while (verified < before + 2)
        {
            if (null != failure)
            {
                throw new AssertionError("the bystander's I/O failed", failure);
            }
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("the bystander's I/O stood still for " + withinMs + " ms");
            }
            Thread.sleep(1);
        }
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
        final byte[] data = new byte[BLOCK_BYTES];
        try
        {
            for (long turn = 0; !isEnding; turn++)
            {
                final long lba = firstLba + turn % BLOCKS;
                Arrays.fill(data, (byte)(turn * 31 + 7));
                data[0] = (byte)(turn >> 8);
                final long startNs = System.nanoTime();
                io.send(AttackHost.capsule(AttackHost.writeInCapsule(1, lba, 1, BLOCK_BYTES), data));
                io.expectSuccess(1);
                io.send(AttackHost.capsule(AttackHost.read(2, lba, 1, BLOCK_BYTES), AttackHost.NOTHING));
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

    private void compare(final byte[] expected) throws IOException
    {
        final AttackPdu pdu = io.receive();
        if (PduType.C2H_DATA != pdu.type())
        {
            throw new IOException("read was answered with type " + pdu.type() + " and status " + pdu.status());
        }
        if (!pdu.isSuccess())
        {
            io.expectSuccess(2);
        }
        final byte[] bytes = pdu.bytes();
        if (!Arrays.equals(expected, 0, BLOCK_BYTES, bytes, DataPdu.SIZE_BYTES, DataPdu.SIZE_BYTES + BLOCK_BYTES))
        {
            throw new IOException("the bystander read something else than it had written");
        }
    }
}
