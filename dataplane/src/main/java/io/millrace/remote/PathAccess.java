package io.millrace.remote;

/**
 * How good a path is for I/O, best first.
 */
enum PathAccess
{
    /** Asymmetric namespace access is optimized, or not reported. */
    OPTIMIZED,
    /** Access that costs more than through another controller. */
    NON_OPTIMIZED,
    /** No access now: not connected, inaccessible, in transition, or the namespace is not there. */
    UNAVAILABLE,
    /** Another namespace is where the device's namespace was: no I/O, whatever happens to it. */
    FOREIGN;

    /**
     * {@return whether I/O may use the path}
     */
    boolean isUsable()
    {
        return this == OPTIMIZED || this == NON_OPTIMIZED;
    }
}
