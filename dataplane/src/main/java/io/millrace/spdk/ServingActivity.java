package io.millrace.spdk;

/**
 * When SPDK's front ends had something to do, by which the reactor that polls them sleeps: they poll for what hosts
 * send, and wake nobody. It stays awake for {@link #AWAKE_NS}, and sleeps a 64th of the time since after that,
 * {@link #SLEEP_NS_MAX} at most. The reactor's thread only.
 */
final class ServingActivity
{
    private static final int SLEEP_SHIFT = 6;
    private static final long SLEEP_NS_MIN = 50_000;
    private static final long SLEEP_NS_MAX = 10_000_000;
    private static final long AWAKE_NS = SLEEP_NS_MIN << SLEEP_SHIFT;

    /** Kinds of SPDK threads. */
    private enum Kind
    {
        /** Has no front ends. */
        NONE,
        /** May have some that JSON-RPC made. */
        POSSIBLE,
        /** Has those that were configured. */
        KNOWN
    }

    private Kind kind;
    private boolean wasBusy;
    private long lastBusyNs;

    private ServingActivity(final Kind kind)
    {
        this.kind = kind;
    }

    /**
     * {@return of an SPDK thread without front ends}
     */
    static ServingActivity none()
    {
        return new ServingActivity(Kind.NONE);
    }

    /**
     * {@return of the SPDK thread that front ends are on when there are any}
     */
    static ServingActivity possible()
    {
        return new ServingActivity(Kind.POSSIBLE);
    }

    /** Front ends are configured from now on. */
    void know()
    {
        kind = Kind.KNOWN;
    }

    /**
     * {@return whether there are front ends for sure}
     */
    boolean isKnown()
    {
        return Kind.KNOWN == kind;
    }

    /**
     * A thread of SPDK's modules had something to do.
     *
     * @param nowNs time.
     */
    void onBusy(final long nowNs)
    {
        wasBusy = true;
        lastBusyNs = nowNs;
    }

    /**
     * {@return whether the reactor must not sleep}
     *
     * @param nowNs time.
     */
    boolean keepsAwake(final long nowNs)
    {
        return Kind.NONE != kind && wasBusy && nowNs - lastBusyNs < AWAKE_NS;
    }

    /**
     * {@return how long the reactor may sleep where there are front ends, in ns}
     *
     * @param nowNs time.
     */
    long sleepNs(final long nowNs)
    {
        return wasBusy ? Math.clamp(nowNs - lastBusyNs >> SLEEP_SHIFT, SLEEP_NS_MIN, SLEEP_NS_MAX) : SLEEP_NS_MAX;
    }
}
