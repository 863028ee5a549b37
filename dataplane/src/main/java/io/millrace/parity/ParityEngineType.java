package io.millrace.parity;

/**
 * How parity is computed. The results are the same.
 */
public enum ParityEngineType
{
    /** Java without vectors: the reference, which every machine has. */
    SCALAR("scalar"),
    /** The Vector API of the JDK, at the width that the CPU prefers. */
    VECTOR("vector"),
    /** ISA-L. */
    ISAL("isa-l");

    private final String label;

    ParityEngineType(final String label)
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
