package io.millrace.block.raid;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Replacements of members in sync: the one that is under way, and those that a stop or a crash interrupted, and that
 * have not begun anew. {@link Membership}'s, on its reactor.
 */
final class Replacements
{
    private final RaidDevice device;
    private final Deque<Replacement> interrupted;
    /** Null: none. */
    private Replacement present;

    /**
     * None is under way.
     *
     * @param device that has been assembled.
     */
    Replacements(final RaidDevice device)
    {
        this.device = device;
        interrupted = new ArrayDeque<>(device.replacements());
    }

    /**
     * {@return members that are to replace others, and have not begun}
     */
    List<RaidMember> waiting()
    {
        return interrupted.stream().map(Replacement::replacement).toList();
    }

    /**
     * {@return whether one that was interrupted can begin}
     */
    boolean isDue()
    {
        return !interrupted.isEmpty() && null == present && null == device.view().target();
    }

    /**
     * {@return the next that was interrupted, which is waiting no longer; one {@link #isDue is due}}
     */
    Replacement next()
    {
        return interrupted.removeFirst();
    }

    /**
     * A member is being replaced.
     *
     * @param replaced    member in sync.
     * @param replacement that gets its slot.
     */
    void begin(final RaidMember replaced, final RaidMember replacement)
    {
        present = new Replacement(replaced, replacement);
    }

    /**
     * {@return whether the one under way has ended}
     */
    boolean isOver()
    {
        return null != present && null == device.view().target();
    }

    /**
     * {@return the one that {@link #isOver has ended}, which is under way no longer}
     */
    Replacement end()
    {
        final Replacement ended = present;
        present = null;
        return ended;
    }

    /**
     * A member has failed: it does not replace another one.
     *
     * @param member of the array.
     */
    void onFailed(final RaidMember member)
    {
        interrupted.stream().filter((each) -> member == each.replacement()).forEach(this::report);
        remove(member);
    }

    /**
     * Says that a member is not replaced.
     *
     * @param failed whose replacement failed.
     */
    void report(final Replacement failed)
    {
        device.reports().trouble(failed.replacement() + " failed, and does not replace " + failed.replaced());
    }

    /**
     * A member is let go of: it does not replace another one.
     *
     * @param member of the array.
     */
    void remove(final RaidMember member)
    {
        interrupted.removeIf((each) -> member == each.replacement());
    }
}
