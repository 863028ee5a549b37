package io.millrace.block.raid;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Failures of members that were reported, in their order, until {@link ArrayWork} takes them. Any thread. */
final class MemberFailures
{
    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();

    /**
     * A member failed.
     *
     * @param member of the array.
     * @param reason the end of a sentence that begins with the member.
     */
    record Failure(RaidMember member, String reason)
    {
        @Override
        public String toString()
        {
            return member + " " + reason;
        }
    }

    /** None were reported. */
    MemberFailures()
    {
    }

    /**
     * Adds a failure.
     *
     * @param member of the array.
     * @param reason the end of a sentence that begins with the member.
     */
    void add(final RaidMember member, final String reason)
    {
        failures.add(new Failure(member, reason));
    }

    /**
     * {@return the next failure, which is not there any more; null: none}
     */
    Failure next()
    {
        return failures.poll();
    }

    boolean isEmpty()
    {
        return failures.isEmpty();
    }

    /**
     * Visits members whose failure was not taken yet.
     *
     * @param visitor of each.
     */
    void each(final Consumer<RaidMember> visitor)
    {
        failures.forEach((each) -> visitor.accept(each.member()));
    }
}
