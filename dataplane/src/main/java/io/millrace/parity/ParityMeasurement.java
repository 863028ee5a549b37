package io.millrace.parity;

import java.lang.foreign.Arena;

/**
 * How fast engines are on this machine, on one stripe in memory of its own. One thread.
 */
public final class ParityMeasurement implements AutoCloseable
{
    private static final int ALIGNMENT = 4096;
    private static final int ROUNDS = 8;
    private static final double SECOND_NS = 1e9;

    private final Arena arena = Arena.ofShared();
    private final int dataCount;
    private final int stripBytes;
    private final long[] strips;

    /** What is measured. */
    public enum Operation
    {
        /** P and Q of data. */
        PQ("P+Q"),
        /** Two lost strips of data. */
        TWO_LOSSES("two losses");

        private final String label;

        Operation(final String label)
        {
            this.label = label;
        }

        /**
         * {@return its name for people}
         */
        public String label()
        {
            return label;
        }
    }

    /**
     * Allocates a stripe.
     *
     * @param dataCount  strips of data, 2 to {@link ParityEngine#DATA_MAX}.
     * @param stripBytes length of each, P and Q too; at least 1.
     * @throws IllegalArgumentException when a number is out of bounds.
     */
    public ParityMeasurement(final int dataCount, final int stripBytes)
    {
        Bounds.check("dataCount", dataCount, 2, ParityEngine.DATA_MAX);
        Bounds.check("stripBytes", stripBytes, 1, Integer.MAX_VALUE - ParityEngine.CALL_BYTES);
        this.dataCount = dataCount;
        this.stripBytes = stripBytes;
        strips = new long[dataCount + 2];
        for (int i = 0; i < strips.length; i++)
        {
            strips[i] = arena.allocate(stripBytes, ALIGNMENT).fill((byte)(i + 1)).address();
        }
    }

    /**
     * Runs an engine for some time.
     *
     * @param engine    to measure.
     * @param operation to run.
     * @param ns        to run it for; one call more than that at most for each of some rounds.
     * @return bytes of data in a second, P and Q not counted, in the best of the rounds.
     */
    public double bytesPerSecond(final ParityEngine engine, final Operation operation, final long ns)
    {
        double best = 0;
        for (int round = 0; round < ROUNDS; round++)
        {
            long bytes = 0;
            final long start = System.nanoTime();
            long elapsed;
            do
            {
                run(engine, operation);
                bytes += (long)dataCount * stripBytes;
                elapsed = System.nanoTime() - start;
            }
            while (elapsed < ns / ROUNDS);
            best = Math.max(best, bytes * SECOND_NS / Math.max(elapsed, 1));
        }
        return best;
    }

    private void run(final ParityEngine engine, final Operation operation)
    {
        if (Operation.PQ == operation)
        {
            engine.generatePq(strips, dataCount, stripBytes);
        }
        else
        {
            engine.recoverPq(strips, dataCount, stripBytes, 0, dataCount - 1);
        }
    }

    /**
     * Frees the stripe.
     */
    @Override
    public void close()
    {
        arena.close();
    }
}
