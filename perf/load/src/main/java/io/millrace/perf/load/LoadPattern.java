package io.millrace.perf.load;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Access pattern and direction of a load.
 */
public enum LoadPattern
{
    /** Reads at random. */
    RANDREAD("randread", true, 100),
    /** Writes at random. */
    RANDWRITE("randwrite", true, 0),
    /** Reads and writes at random, mixed. */
    RANDRW("randrw", true, 50),
    /** Reads in ascending order. */
    READ("read", false, 100),
    /** Writes in ascending order. */
    WRITE("write", false, 0);

    private final String label;
    private final boolean random;
    private final int readPercentDefault;

    LoadPattern(final String label, final boolean random, final int readPercentDefault)
    {
        this.label = label;
        this.random = random;
        this.readPercentDefault = readPercentDefault;
    }

    /**
     * {@return its name in configuration}
     */
    public String label()
    {
        return label;
    }

    /**
     * {@return whether blocks are picked at random}
     */
    public boolean isRandom()
    {
        return random;
    }

    /**
     * {@return share of reads unless another mix is asked for}
     */
    public int readPercentDefault()
    {
        return readPercentDefault;
    }

    /**
     * Finds a pattern by its label.
     *
     * @param label that a person wrote.
     * @return the pattern.
     * @throws LoadException naming the labels there are.
     */
    public static LoadPattern of(final String label)
    {
        for (final LoadPattern pattern : values())
        {
            if (pattern.label.equals(label))
            {
                return pattern;
            }
        }
        throw new LoadException("pattern '" + label + "' is unknown: use one of " +
            Arrays.stream(values()).map(LoadPattern::label).collect(Collectors.joining(", ")));
    }

    @Override
    public String toString()
    {
        return label;
    }
}
