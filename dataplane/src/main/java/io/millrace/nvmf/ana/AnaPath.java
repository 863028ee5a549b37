package io.millrace.nvmf.ana;

import io.millrace.nvme.AnaState;
import io.millrace.nvme.NvmeStatus;
import java.util.Arrays;
import java.util.BitSet;

/**
 * ANA states of the groups of a subsystem, as all controllers have them that hosts reach through the same listener (NVM
 * Express Base 2.0, section 8.1). Immutable: a reactor loads one reference for a command and looks up its group.
 */
public final class AnaPath
{
    /** Every group is optimized. */
    public static final AnaPath OPTIMIZED = new AnaPath();

    private final AnaState[] states;
    private final int[] refusals;
    private final long[] changes;
    private final long[] versions;

    private AnaPath()
    {
        states = new AnaState[AnaTable.GROUPS_MAX + 1];
        Arrays.fill(states, AnaState.OPTIMIZED);
        refusals = new int[states.length];
        changes = new long[states.length];
        versions = new long[states.length];
    }

    private AnaPath(final AnaPath from)
    {
        states = from.states.clone();
        refusals = from.refusals.clone();
        changes = from.changes.clone();
        versions = from.versions.clone();
    }

    /**
     * {@return status of a command that needs access to a namespace of a group; 0 when it has access}
     *
     * @param group of the namespace, from 1.
     */
    public int refusal(final int group)
    {
        return refusals[group];
    }

    /**
     * {@return state of a group}
     *
     * @param group from 1.
     */
    public AnaState state(final int group)
    {
        return states[group];
    }

    /**
     * {@return how often the state of a group was changed since the subsystem was made}
     *
     * @param group from 1.
     */
    public long changes(final int group)
    {
        return changes[group];
    }

    /**
     * A copy with another state.
     *
     * @param groups  that get it.
     * @param state   to get.
     * @param version of the table in which they do.
     * @return the copy; this path when the state is unchanged.
     */
    AnaPath with(final BitSet groups, final AnaState state, final long version)
    {
        AnaPath next = this;
        for (int group = groups.nextSetBit(1); group > 0; group = groups.nextSetBit(group + 1))
        {
            if (state != states[group])
            {
                next = this == next ? new AnaPath(this) : next;
                next.states[group] = state;
                next.refusals[group] = state.status();
                next.changes[group]++;
                next.versions[group] = version;
            }
        }
        return next;
    }

    /**
     * {@return groups whose state is another there}
     *
     * @param other path.
     */
    public BitSet difference(final AnaPath other)
    {
        final BitSet groups = new BitSet(states.length);
        for (int group = 1; group < states.length; group++)
        {
            groups.set(group, states[group] != other.states[group]);
        }
        return groups;
    }

    /**
     * {@return groups in a state}
     *
     * @param state to look for.
     */
    public BitSet groupsIn(final AnaState state)
    {
        final BitSet groups = new BitSet(states.length);
        for (int group = 1; group < states.length; group++)
        {
            groups.set(group, state == states[group]);
        }
        return groups;
    }

    /**
     * {@return groups whose transition began in a table of that version or before}
     *
     * @param version of a table.
     */
    BitSet groupsChangingSince(final long version)
    {
        final BitSet groups = groupsIn(AnaState.CHANGE);
        for (int group = groups.nextSetBit(1); group > 0; group = groups.nextSetBit(group + 1))
        {
            groups.set(group, versions[group] <= version);
        }
        return groups;
    }

    /**
     * {@return whether commands to a group are refused}
     *
     * @param group from 1.
     */
    public boolean isRefusing(final int group)
    {
        return NvmeStatus.SUCCESS != refusals[group];
    }
}
