package io.millrace.block.nvme;

import io.millrace.block.BlockRequest;
import java.util.Arrays;

/**
 * The commands of a queue pair that the controller has, or will have again after a reset: one slot each, of one of the
 * channels that share the pair. A command identifier is the slot's number and how often the slot was used before, so
 * that a controller that completes a command twice does not complete another one. Single-threaded; nothing is allocated
 * after construction.
 */
final class CommandSlots
{
    /** Most slots: what is left of 16 bits counts uses. */
    static final int COUNT_MAX = 1024;
    /** No such command. */
    static final int NONE = -1;

    private static final int SLOT_MASK = COUNT_MAX - 1;
    private static final int USE_STEP = COUNT_MAX;
    private static final int IDENTIFIER_MASK = 0xFFFF;

    /** Stage of a command's time-out. */
    enum TimeoutStage
    {
        /** The command is within its time-out. */
        WAITING,
        /** The abort of the command was requested. */
        ABORTING,
        /** A reset of the controller was requested. */
        RESETTING
    }

    private final ChannelRequests[] owners;
    private final BlockRequest[] requests;
    private final SplitRequest[] splits;
    private final int[] offsets;
    private final int[] blocks;
    private final int[] identifiers;
    private final boolean[] busy;
    private final byte[] tries;
    private final long[] startsNs;
    private final TimeoutStage[] timeoutStages;
    private final int[] free;
    private int freeCount;

    /**
     * All slots free.
     *
     * @param count from 1 to {@link #COUNT_MAX}.
     */
    CommandSlots(final int count)
    {
        owners = new ChannelRequests[count];
        requests = new BlockRequest[count];
        splits = new SplitRequest[count];
        offsets = new int[count];
        blocks = new int[count];
        identifiers = new int[count];
        busy = new boolean[count];
        tries = new byte[count];
        startsNs = new long[count];
        timeoutStages = new TimeoutStage[count];
        free = new int[count];
        freeCount = count;
        Arrays.fill(timeoutStages, TimeoutStage.WAITING);
        for (int i = 0; i < count; i++)
        {
            identifiers[i] = i;
            // Low numbers first: they stay in the processor's cache when few are used.
            free[i] = count - 1 - i;
        }
    }

    int count()
    {
        return requests.length;
    }

    int freeCount()
    {
        return freeCount;
    }

    /**
     * Takes a slot; there must be one.
     *
     * @param owner       whose request it is.
     * @param request     that a command works on.
     * @param split       that the request is processed by, or null when the command does all of it.
     * @param offset      blocks of the request before the command's.
     * @param blockCount  of the command.
     * @return the slot.
     */
    int take(
        final ChannelRequests owner,
        final BlockRequest request,
        final SplitRequest split,
        final int offset,
        final int blockCount)
    {
        final int slot = free[--freeCount];
        owners[slot] = owner;
        requests[slot] = request;
        splits[slot] = split;
        offsets[slot] = offset;
        blocks[slot] = blockCount;
        tries[slot] = 0;
        busy[slot] = true;
        return slot;
    }

    /**
     * A command is about to be sent, once more maybe: it gets an identifier of its own and its time begins.
     *
     * @param slot  the command's slot.
     * @param nowNs on the reactor's clock.
     * @return identifier, 16 bits.
     */
    int begin(final int slot, final long nowNs)
    {
        startsNs[slot] = nowNs;
        timeoutStages[slot] = TimeoutStage.WAITING;
        tries[slot]++;
        final int identifier = identifiers[slot] + USE_STEP & IDENTIFIER_MASK;
        identifiers[slot] = identifier;
        return identifier;
    }

    /**
     * {@return slot of an outstanding command, or {@link #NONE}}
     *
     * @param identifier that the controller completed, 16 bits.
     */
    int find(final int identifier)
    {
        final int slot = identifier & SLOT_MASK;
        return slot < requests.length && busy[slot] && identifiers[slot] == identifier ? slot : NONE;
    }

    /**
     * The command is done with.
     *
     * @param slot the command's slot.
     */
    void release(final int slot)
    {
        owners[slot] = null;
        requests[slot] = null;
        splits[slot] = null;
        busy[slot] = false;
        free[freeCount++] = slot;
    }

    /**
     * The request of a command has ended, but the controller still has the command: the slot stays taken.
     *
     * @param slot the command's slot.
     */
    void abandon(final int slot)
    {
        requests[slot] = null;
        splits[slot] = null;
    }

    /**
     * {@return owner of the command, null where there is none}
     *
     * @param slot the command's slot.
     */
    ChannelRequests owner(final int slot)
    {
        return owners[slot];
    }

    boolean isBusy(final int slot)
    {
        return busy[slot];
    }

    BlockRequest request(final int slot)
    {
        return requests[slot];
    }

    SplitRequest split(final int slot)
    {
        return splits[slot];
    }

    int offset(final int slot)
    {
        return offsets[slot];
    }

    int blocks(final int slot)
    {
        return blocks[slot];
    }

    int identifier(final int slot)
    {
        return identifiers[slot];
    }

    /**
     * {@return how often the command was sent}
     *
     * @param slot the command's slot.
     */
    int tries(final int slot)
    {
        return tries[slot];
    }

    long startNs(final int slot)
    {
        return startsNs[slot];
    }

    /**
     * Moves the time that a command was sent at.
     *
     * @param slot    the command's slot.
     * @param startNs on the reactor's clock.
     */
    void startNs(final int slot, final long startNs)
    {
        startsNs[slot] = startNs;
    }

    TimeoutStage timeoutStage(final int slot)
    {
        return timeoutStages[slot];
    }

    void timeoutStage(final int slot, final TimeoutStage timeoutStage)
    {
        timeoutStages[slot] = timeoutStage;
    }
}
