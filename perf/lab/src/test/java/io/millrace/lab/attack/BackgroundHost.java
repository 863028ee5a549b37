package io.millrace.lab.attack;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A well-behaved host beside an attack: writes blocks and reads them back, one after the other, and compares. On a
 * thread of its own until it is closed.
 */
abstract class BackgroundHost implements AutoCloseable
{
    private static final int BLOCKS = 64;

    final AttackHost io;
    private final AttackHost admin;
    private final byte[] data;
    private final Thread thread = new Thread(this::run, "bystander");
    private volatile boolean isEnding;
    private volatile long verified;
    private volatile long longestNs;
    private volatile Exception failure;

    BackgroundHost(final int port, final String source, final String nqn, final int depth, final int blockBytes)
        throws IOException
    {
        data = new byte[blockBytes];
        admin = AttackHost.admin(port, source, nqn);
        io = admin.io(nqn, 1, depth, 0);
    }

    final void start()
    {
        thread.start();
    }

    /**
     * Writes a block, reads it back and compares.
     *
     * @param index of the block, below 64.
     * @param block to write.
     */
    abstract void writeAndRead(long index, byte[] block) throws IOException;

    /** Pairs of a write and a read that were right. */
    final long verified()
    {
        return verified;
    }

    /** The longest pair so far. */
    final long longestMs()
    {
        return TimeUnit.NANOSECONDS.toMillis(longestNs);
    }

    /** The longest pair since the last call. */
    final long takeLongestMs()
    {
        final long longestMs = longestMs();
        longestNs = 0;
        return longestMs;
    }

    /** Fails when something went wrong, or when nothing goes on within a time. */
    final void expectProgress(final long withinMs) throws InterruptedException
    {
        final long before = verified;
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
        while (verified < before + 2)
        {
            expectNoFailure();
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("the bystander's I/O stood still for " + withinMs + " ms");
            }
            Thread.sleep(1);
        }
    }

    /**
     * {@return verified pairs a second}
     *
     * @param ms how long to count: a measurement, so nothing ends it earlier.
     */
    final long rate(final long ms) throws InterruptedException
    {
        final long before = verified;
        final long startNs = System.nanoTime();
        Thread.sleep(ms);
        expectNoFailure();
        return (verified - before) * TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - startNs);
    }

    private void expectNoFailure()
    {
        if (null != failure)
        {
            throw new AssertionError("the bystander's I/O failed", failure);
        }
    }

    @Override
    public final void close()
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
        expectNoFailure();
    }

    private void run()
    {
        try
        {
            for (long turn = 0; !isEnding; turn++)
            {
                Arrays.fill(data, (byte)(turn * 31 + 7));
                data[0] = (byte)(turn >> 8);
                final long startNs = System.nanoTime();
                writeAndRead(turn % BLOCKS, data);
                longestNs = Math.max(longestNs, System.nanoTime() - startNs);
                verified = turn + 1;
            }
        }
        catch (final IOException | AssertionError e)
        {
            failure = e instanceof IOException exception ? exception : new IOException(e);
        }
    }
}
