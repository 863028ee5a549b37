package io.millrace.messaging.transport;

/**
 * What a peer may do with an exported region. Immutable; any thread.
 */
public enum ExportAccess
{
    /** Read. */
    READ(1),
    /** Write. */
    WRITE(2),
    /** Both. */
    READ_WRITE(3);

    private final int bits;

    ExportAccess(final int bits)
    {
        this.bits = bits;
    }

    /**
     * {@return its bits in a descriptor}
     */
    public int bits()
    {
        return bits;
    }

    /**
     * {@return whether this allows all that another does}
     *
     * @param other that is asked for.
     */
    public boolean allows(final ExportAccess other)
    {
        return other.bits == (bits & other.bits);
    }
}
