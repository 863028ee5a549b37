package io.millrace.manager.plane;

import io.millrace.control.codec.Change;
import io.millrace.control.message.DriftInfo;
import io.millrace.manager.change.Ledger;
import java.util.List;
import java.util.function.Consumer;

/**
 * Sync status of a data plane: version, drift and refused steps. The manager's thread.
 */
final class SyncStatus
{
    private enum State
    {
        /** A comparison is needed, as the outcome of a command is unknown. */
        UNKNOWN,
        /** The actual state matches the desired state. */
        IN_SYNC,
        /** There are differences. */
        DRIFTED
    }

    private final String name;
    private final PlaneListener owner;
    private final Consumer<String> log;
    private State state = State.UNKNOWN;
    private long appliedVersion;
    private int driftSteps;
    private String refusal = "";
    private String refusedRepair = "";
    private List<DriftInfo> drift = List.of();

    SyncStatus(final String name, final PlaneListener owner, final Consumer<String> log)
    {
        this.name = name;
        this.owner = owner;
        this.log = log;
    }

    /** The status is unknown until the next comparison. */
    void invalidate()
    {
        state = State.UNKNOWN;
    }

    /** Advances the applied version if the data plane was in sync and all changes since were applied. */
    void follow(final Ledger ledger)
    {
        if (State.IN_SYNC == state && appliedVersion != ledger.version() && ledger.isSettled())
        {
            appliedVersion = ledger.version();
        }
    }

    /** A comparison ended with the given differences. */
    void onCompared(final int left, final List<DriftInfo> differencesLeft)
    {
        driftSteps = left;
        drift = differencesLeft;
        state = 0 == left ? State.IN_SYNC : State.DRIFTED;
        refusal = 0 == left ? "" : refusal;
        refusedRepair = 0 == left ? "" : refusedRepair;
    }

    /** A step was refused: reported if it differs from the last report. */
    void onRefused(final String text)
    {
        if (!text.equals(refusal))
        {
            log.accept("not resolved: " + text);
            owner.onManaged(name, Change.REFUSED, text);
        }
        refusal = text;
    }

    /**
     * Whether a repair that came to nothing came to that before, so that it is not told again.
     *
     * @param text what was refused, and why; empty: something was done.
     */
    boolean isRefusedAgain(final String text)
    {
        final boolean isAgain = !text.isEmpty() && text.equals(refusedRepair);
        refusedRepair = text;
        return isAgain;
    }

    /** Differences of the last comparison. */
    List<DriftInfo> drift()
    {
        return drift;
    }

    /** Message about a refused step; empty: none. */
    String refusal()
    {
        return refusal;
    }

    /** Number of differences of the last comparison. */
    int driftSteps()
    {
        return driftSteps;
    }

    /** Last applied version; 0: none. */
    long appliedVersion()
    {
        return appliedVersion;
    }

    /** Whether the last version of the ledger is applied without differences. */
    boolean isInSync(final Ledger ledger)
    {
        return 0 == driftSteps && appliedVersion == ledger.version() && ledger.isKnown();
    }
}
