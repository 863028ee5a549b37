package io.millrace.rdma;

/**
 * Link layer of a port, in the order of its numbers in verbs. Immutable; any thread.
 */
public enum LinkLayer
{
    /** Not reported. */
    UNSPECIFIED,
    /** InfiniBand. */
    INFINIBAND,
    /** Ethernet: RoCE or iWARP. */
    ETHERNET;

    private static final LinkLayer[] ALL = values();

    /**
     * {@return the link layer by its number, {@code IBV_LINK_LAYER_*}}
     *
     * @param number in verbs; an unknown number becomes {@link #UNSPECIFIED}.
     */
    static LinkLayer of(final int number)
    {
        return number >= 0 && number < ALL.length ? ALL[number] : UNSPECIFIED;
    }
}
