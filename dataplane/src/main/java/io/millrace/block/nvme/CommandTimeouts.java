package io.millrace.block.nvme;

/**
 * Watches how long the controller takes for a channel's commands: one whose time is up is aborted, and if that does not
 * help within a grace the controller is reset. Looks through all slots of the queue pair for those of its channel
 * eight times within a time-out. The channel's reactor only; nothing is allocated while commands are in time.
 */
final class CommandTimeouts
{
    private static final int CHECKS = 8;
    private static final long ABORT_GRACE_NS_MAX = 5_000_000_000L;

    private final CommandSlots slots;
    private final ChannelRequests owner;
    private final Rescue rescue;
    private final int queueId;
    private final long timeoutNs;
    private final long graceNs;
    private long nextCheckNs;
    private long checkNs;
    /** What a command is said to have had: less than the time-out where its channel closes. */
    private long givenNs;

    /**
     * Begins to watch.
     *
     * @param slots     of the commands.
     * @param owner     of those to watch.
     * @param rescue    whom it asks for help.
     * @param queueId   of their submission queue.
     * @param timeoutNs that a command may take.
     * @param nowNs     on the reactor's clock.
     */
    CommandTimeouts(
        final CommandSlots slots,
        final ChannelRequests owner,
        final Rescue rescue,
        final int queueId,
        final long timeoutNs,
        final long nowNs)
    {
        this.slots = slots;
        this.owner = owner;
        this.rescue = rescue;
        this.queueId = queueId;
        this.timeoutNs = timeoutNs;
        givenNs = timeoutNs;
        graceNs = Math.min(timeoutNs, ABORT_GRACE_NS_MAX);
        checkNs = timeoutNs / CHECKS;
        nextCheckNs = nowNs + checkNs;
    }

    /**
     * Looks after the commands, when that is due.
     *
     * @param nowNs on the reactor's clock.
     */
    void poll(final long nowNs)
    {
        if (nowNs - nextCheckNs >= 0)
        {
            nextCheckNs = nowNs + checkNs;
            for (int slot = 0; slot < slots.count(); slot++)
            {
                if (slots.isBusy(slot) && slots.owner(slot) == owner)
                {
                    check(slot, nowNs - slots.startNs(slot));
                }
            }
        }
    }

    /**
     * The time of every command is up at once: all are aborted, and the controller is reset when that does not help.
     *
     * @param nowNs    on the reactor's clock.
     * @param waitedNs what the commands have had at least.
     */
    void expire(final long nowNs, final long waitedNs)
    {
        givenNs = waitedNs;
        for (int slot = 0; slot < slots.count(); slot++)
        {
            if (slots.isBusy(slot) && slots.owner(slot) == owner &&
                CommandSlots.Patience.WAITING == slots.patience(slot))
            {
                slots.startNs(slot, nowNs - timeoutNs - 1);
            }
        }
        checkNs = graceNs / CHECKS;
        nextCheckNs = nowNs;
    }

    private void check(final int slot, final long ageNs)
    {
        if (CommandSlots.Patience.WAITING == slots.patience(slot) && ageNs > timeoutNs)
        {
            slots.patience(slot, CommandSlots.Patience.ABORTING);
            rescue.abort(queueId, slots.identifier(slot));
        }
        else if (CommandSlots.Patience.ABORTING == slots.patience(slot) && ageNs > timeoutNs + graceNs)
        {
            slots.patience(slot, CommandSlots.Patience.RESETTING);
            rescue.reset("did not complete command " + slots.identifier(slot) + " of submission queue " +
                queueId + " (" + (null == slots.request(slot) ? "of a namespace that was closed" :
                slots.request(slot).toString()) + ") within " + givenNs / 1_000_000 +
                " ms, nor when it was asked to abort it");
        }
    }
}
