package io.millrace.nvmf.initiator;

import io.millrace.nvme.DataTransfer;
import java.util.Arrays;

/**
 * Commands that are outstanding on a connection. A command's identifier is its slot in bits 11:0 and a generation in
 * bits 15:12, so that a late answer is not mistaken for another command's. One connection's, on its reactor.
 */
public final class CommandTable
{
    /** Length from which a read is received straight into its buffer. */
    public static final int LARGE_BYTES = 32 << 10;

    private static final int SLOT_MASK = 0xFFF;
    private static final int GENERATION_SHIFT = 12;
    private static final int GENERATION_MASK = 0xF;

    private final HostRequest[] slots;
    private final byte[] generations;
    private final int[] freeSlots;
    private HostRequest answeredHead;
    private int limit;
    private int freeCount;
    private int parkedCount;
    private int largeReadCount;

    /**
     * An empty table, to be {@link #reset} before use.
     *
     * @param slotMax most commands outstanding at once; up to 4095.
     */
    public CommandTable(final int slotMax)
    {
        slots = new HostRequest[slotMax];
        generations = new byte[slotMax];
        freeSlots = new int[slotMax];
    }

    /**
     * Sets how many commands may be outstanding. None is now.
     *
     * @param newLimit that the controller allows; cut to the size of the table.
     */
    public void reset(final int newLimit)
    {
        limit = Math.min(slots.length, newLimit);
        for (int i = 0; i < limit; i++)
        {
            freeSlots[i] = limit - 1 - i;
        }
        freeCount = limit;
        parkedCount = 0;
        largeReadCount = 0;
        answeredHead = null;
    }

    /**
     * {@return how many commands may be outstanding}
     */
    public int limit()
    {
        return limit;
    }

    /**
     * {@return whether no identifier is free}
     */
    public boolean isFull()
    {
        return 0 == freeCount;
    }

    /**
     * {@return commands outstanding now, answered ones whose bytes have not all left included}
     */
    public int inFlight()
    {
        return limit - freeCount;
    }

    /**
     * {@return commands whose answer may come at any time; those that wait for an event are left out}
     */
    public int expected()
    {
        return limit - freeCount - parkedCount;
    }

    /**
     * {@return whether a read of {@link #LARGE_BYTES} or more is outstanding}
     */
    public boolean hasLargeReads()
    {
        return largeReadCount > 0;
    }

    /**
     * Gives a command an identifier. The table is not full.
     *
     * @param request to be sent.
     * @param nowNs   clock, from which its time-out counts.
     */
    public void add(final HostRequest request, final long nowNs)
    {
        request.sendNs = nowNs;
        request.state(RequestState.OUTSTANDING);
        final int slot = freeSlots[--freeCount];
        request.commandId = slot | (generations[slot]++ & GENERATION_MASK) << GENERATION_SHIFT;
        slots[slot] = request;
        parkedCount += request.parked ? 1 : 0;
        largeReadCount += isLargeRead(request) ? 1 : 0;
    }

    private static boolean isLargeRead(final HostRequest request)
    {
        return DataTransfer.CONTROLLER_TO_HOST == request.direction && request.lengthBytes() >= LARGE_BYTES;
    }

    /**
     * {@return the command of an identifier whose answer is expected, or null}
     *
     * @param commandId as the peer sent it.
     */
    public HostRequest find(final int commandId)
    {
        final HostRequest request = lookUp(commandId);
        return null != request && RequestState.OUTSTANDING == request.state() ? request : null;
    }

    /**
     * {@return where the command of an identifier is in the table}
     *
     * @param commandId of a command of this table.
     */
    public static int slot(final int commandId)
    {
        return commandId & SLOT_MASK;
    }

    /**
     * {@return the command of an identifier, whether its answer is expected or has come, or null}
     *
     * @param commandId of a command.
     */
    public HostRequest lookUp(final int commandId)
    {
        final int slot = slot(commandId);
        final HostRequest request = slot < limit ? slots[slot] : null;
        return null != request && request.commandId == commandId ? request : null;
    }

    /**
     * {@return whether the command of an identifier was answered and waits for the socket}
     *
     * @param commandId as the peer sent it.
     */
    public boolean isAnswered(final int commandId)
    {
        final HostRequest request = lookUp(commandId);
        return null != request && RequestState.ANSWERED == request.state();
    }

    /**
     * Keeps an answered command and its slot until {@link #takeAnswered}.
     *
     * @param request that is outstanding.
     */
    public void answered(final HostRequest request)
    {
        request.state(RequestState.ANSWERED);
        keepAnswered(request);
    }

    /**
     * Puts back a command that {@link #takeAnswered} gave, because its bytes have still not all been sent.
     *
     * @param request that is answered.
     */
    public void keepAnswered(final HostRequest request)
    {
        request.nextAnswered = answeredHead;
        answeredHead = request;
    }

    /**
     * {@return whether answered commands wait for their bytes to leave}
     */
    public boolean hasAnswered()
    {
        return null != answeredHead;
    }

    /**
     * Takes all answered commands out of the list; they keep their slots.
     *
     * @return the first, the others linked to it by {@code nextAnswered}; null when there is none.
     */
    public HostRequest takeAnswered()
    {
        final HostRequest head = answeredHead;
        answeredHead = null;
        return head;
    }

    /**
     * Frees the slot of a command that is to be completed.
     *
     * @param request of this table.
     */
    public void remove(final HostRequest request)
    {
        final int slot = request.commandId & SLOT_MASK;
        slots[slot] = null;
        freeSlots[freeCount++] = slot;
        parkedCount -= request.parked ? 1 : 0;
        largeReadCount -= isLargeRead(request) ? 1 : 0;
    }

    /**
     * {@return a command that has been outstanding for longer than it may, or null}
     *
     * @param nowNs     clock.
     * @param timeoutNs how long it may.
     */
    public HostRequest findOverdue(final long nowNs, final long timeoutNs)
    {
        for (int i = 0; i < limit; i++)
        {
            final HostRequest request = slots[i];
            if (null != request && !request.parked && nowNs - request.sendNs > timeoutNs)
            {
                return request;
            }
        }
        return null;
    }

    /**
     * Removes all commands, answered ones included; the caller completes or resends them.
     *
     * @return the first, the others linked to it; null when there is none.
     */
    public HostRequest removeAll()
    {
        HostRequest head = null;
        for (int i = limit - 1; i >= 0; i--)
        {
            final HostRequest request = slots[i];
            if (null != request)
            {
                request.state(RequestState.HELD);
                request.commandId = -1;
                request.nextAnswered = null;
                request.next = head;
                head = request;
            }
        }
        Arrays.fill(slots, null);
        reset(limit);
        return head;
    }
}
