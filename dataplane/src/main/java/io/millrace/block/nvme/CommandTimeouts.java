package io.millrace.block.nvme;

/**
 * Enforces the time-outs of a channel's commands: an expired command is aborted, and if that does not help within a
 * grace period the controller is reset. Checks all slots of the queue pair for those of its channel eight times within
 * a time-out. The channel's reactor only; nothing is allocated while commands are in time.
 */
final class CommandTimeouts
{
    private static final int CHECKS = 8;
    private static final long ABORT_GRACE_NS_MAX = 5_000_000_000L;

    private final CommandSlots slots;
    private final ChannelRequests owner;
    private final ControllerRecovery recovery;
    private final int queueId;
    private final long timeoutNs;
    private final long graceNs;
    private long nextCheckNs;
    private long checkNs;
    /** Elapsed time that is reported for a command: less than the time-out where its channel closes. */
    private long givenNs;

    /**
     * Starts the supervision.
     *
     * @param slots     of the commands.
     * @param owner     of those to watch.
     * @param recovery    recovery of its controller.
     * @param queueId   of their submission queue.
     * @param timeoutNs that a command may take.
     * @param nowNs     on the reactor's clock.
     */
    CommandTimeouts(
        final CommandSlots slots,
        final ChannelRequests owner,
        final ControllerRecovery recovery,
        final int queueId,
        final long timeoutNs,
        final long nowNs)
    {
        this.slots = slots;
        this.owner = owner;
        this.recovery = recovery;
        this.queueId = queueId;
        this.timeoutNs = timeoutNs;
        givenNs = timeoutNs;
        graceNs = Math.min(timeoutNs, ABORT_GRACE_NS_MAX);
        checkNs = timeoutNs / CHECKS;
        nextCheckNs = nowNs + checkNs;
    }

    /**
     * Checks the commands when that is due.
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
     * Expires every command now: all are aborted, and the controller is reset when that does not help.
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
                CommandSlots.TimeoutStage.WAITING == slots.timeoutStage(slot))
            {
                slots.startNs(slot, nowNs - timeoutNs - 1);
            }
        }
        checkNs = graceNs / CHECKS;
        nextCheckNs = nowNs;
    }

    private void check(final int slot, final long ageNs)
    {
        if (CommandSlots.TimeoutStage.WAITING == slots.timeoutStage(slot) && ageNs > timeoutNs)
        {
            slots.timeoutStage(slot, CommandSlots.TimeoutStage.ABORTING);
            recovery.abort(queueId, slots.identifier(slot));
        }
        else if (CommandSlots.TimeoutStage.ABORTING == slots.timeoutStage(slot) && ageNs > timeoutNs + graceNs)
        {
            slots.timeoutStage(slot, CommandSlots.TimeoutStage.RESETTING);
            recovery.reset("did not complete command " + slots.identifier(slot) + " of submission queue " +
                queueId + " (" + (null == slots.request(slot) ? "of a namespace that was closed" :
                slots.request(slot).toString()) + ") within " + givenNs / 1_000_000 +
                " ms, nor when it was asked to abort it");
        }
    }
}
