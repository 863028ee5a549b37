package io.millrace.nvme;

/**
 * Asymmetric namespace access states: how a controller reaches the namespaces of an ANA group (NVM Express Base 2.0,
 * sections 8.1.3 and 5.16.1.13).
 */
public enum AnaState
{
    /** Access at its best. */
    OPTIMIZED(0x1, NvmeStatus.SUCCESS),
    /** Access that costs more than through another controller. */
    NON_OPTIMIZED(0x2, NvmeStatus.SUCCESS),
    /** No access now. */
    INACCESSIBLE(0x3, NvmeStatus.ASYMMETRIC_ACCESS_INACCESSIBLE),
    /** No access for the life of the controller. */
    PERSISTENT_LOSS(0x4, NvmeStatus.ASYMMETRIC_ACCESS_PERSISTENT_LOSS),
    /** On the way from one of the others to another. */
    CHANGE(0xF, NvmeStatus.ASYMMETRIC_ACCESS_TRANSITION);

    private static final AnaState[] BY_CODE = new AnaState[0x10];

    static
    {
        for (final AnaState state : values())
        {
            BY_CODE[state.code] = state;
        }
    }

    private final int code;
    private final int status;

    AnaState(final int code, final int status)
    {
        this.code = code;
        this.status = status;
    }

    /**
     * {@return number of it in an {@link AnaGroupDescriptor}}
     */
    public int code()
    {
        return code;
    }

    /**
     * {@return status that commands end with which need access; success when they have it. Never with the do-not-retry
     * bit: another controller may have access}
     */
    public int status()
    {
        return status;
    }

    /**
     * {@return whether user data can be accessed}
     */
    public boolean isAccessible()
    {
        return NvmeStatus.SUCCESS == status;
    }

    /**
     * {@return a state, or null when there is none of that number}
     *
     * @param code of an {@link AnaGroupDescriptor}; any number.
     */
    public static AnaState of(final int code)
    {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
