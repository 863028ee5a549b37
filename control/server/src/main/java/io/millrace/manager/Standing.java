package io.millrace.manager;

import io.millrace.control.codec.Change;
import io.millrace.control.message.DriftInfo;
import java.util.List;
import java.util.function.Consumer;

/**
 * How far a data plane is what it should be, as far as is known, and what it refuses. The manager's thread.
 */
final class Standing
{
    private enum State
    {
        /** Not compared since something happened of which it is not known what came of it. */
        UNKNOWN,
        /** As it should be. */
        EQUAL,
        /** Not so. */
        DIFFERENT
    }

    private final String name;
    private final PlaneOwner owner;
    private final Consumer<String> log;
    private State state = State.UNKNOWN;
    private long appliedVersion;
    private int differences;
    private String refusal = "";
    private String refusedRepair = "";
    private List<DriftInfo> drift = List.of();

    Standing(final String name, final PlaneOwner owner, final Consumer<String> log)
    {
        this.name = name;
        this.owner = owner;
        this.log = log;
    }

    /** Only a comparison can tell now. */
    void doubt()
    {
        state = State.UNKNOWN;
    }

    /** Is as the ledger says when it was before, and all changes since were answered. */
    void follow(final Ledger ledger)
    {
        if (State.EQUAL == state && appliedVersion != ledger.version() && ledger.isSettled())
        {
            appliedVersion = ledger.version();
        }
    }

    /** It was compared, and so many differences are left. */
    void onCompared(final int left, final List<DriftInfo> differencesLeft)
    {
        differences = left;
        drift = differencesLeft;
        state = 0 == left ? State.EQUAL : State.DIFFERENT;
        refusal = 0 == left ? "" : refusal;
        refusedRepair = 0 == left ? "" : refusedRepair;
    }

    /** Something is refused: told when it is not what was told last. */
    void onRefused(final String text)
    {
        if (!text.equals(refusal))
        {
            log.accept("not settled: " + text);
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

    /** What the last comparison left. */
    List<DriftInfo> drift()
    {
        return drift;
    }

    /** What is refused; empty: nothing is. */
    String refusal()
    {
        return refusal;
    }

    /** Differences that the last comparison left. */
    int differences()
    {
        return differences;
    }

    /** Last that it was known to be as; 0: none. */
    long appliedVersion()
    {
        return appliedVersion;
    }

    /** Whether it is known to be as the ledger says, but for what was accepted since. */
    boolean isWell(final Ledger ledger)
    {
        return 0 == differences && appliedVersion == ledger.version() && ledger.isKnown();
    }
}
