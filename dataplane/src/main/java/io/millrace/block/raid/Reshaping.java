package io.millrace.block.raid;

import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceProgress;
import io.millrace.block.raid.format.ReshapeState;
import io.millrace.block.raid.format.ReshapeState.Stage;
import io.millrace.reactor.Reactor;

/**
 * Spreads the data of an array with parity over one more member, in steps, as {@link StripMap} says, while hosts read
 * and write. A step publishes a view whose window hosts wait for, and waits for those that are under way there; then
 * it writes the stripes, and superblocks with the new position when all members have flushed. The view that is
 * published with these has the new layout, and no window: so no host writes to where a crash would not look for it.
 * <p>
 * In the head a step would overwrite data that was not moved. There each member stores a backup of its rows in place of
 * its journal first, behind closed {@link WriteGates}, and superblocks say so. A step that fails restores it.
 * <p>
 * It waits while a slot is not in sync. {@link ArrayWork}'s, on its reactor; {@link #poll} is called while no
 * superblocks are being written.
 */
final class Reshaping
{
    static final String OPERATION = "reshape";
    private static final int REQUESTS = 16;
    /** Of each member, which hosts wait for. */
    private static final int STEP_BYTES_MAX = 4 << 20;
    private static final int STEP_BYTES_BESIDE_HOSTS = 1 << 20;
    private static final long NS_PER_S = 1_000_000_000L;
    /** A block that could not be read is rewritten from others in this time. */
    private static final long REPAIR_NS = NS_PER_S;
    private static final int REPAIRS_MAX = 3;

    private final RaidDevice device;
    private final ArrayWork work;
    private final Reactor reactor;
    private final CopyRate rate;
    private final ReshapeParts parts;
    private State state = State.IDLE;
    /** Of the present step. */
    private StripMap map;
    private long stripesMax;
    private long startNs;
    private long resumeNs;
    private int mediaErrors;
    private Drain drain;
    /** Whether a block that the present step needs could not be read. */
    private boolean isUnreadable;

    private enum State
    {
        /** No step is under way. */
        IDLE,
        /** Requests of hosts in the window end. */
        DRAINING,
        /** Superblocks say that the place of the journal has nothing that counts. */
        PREPARING,
        /** Members store their backups. */
        BACKING_UP,
        /** Superblocks say that there are backups. */
        RECORDING,
        /** Stripes are written. */
        MOVING,
        /** Superblocks with the new position are written. */
        STORING,
        /** Members copy their backups back. */
        RESTORING,
        /** Superblocks say that there are no backups. */
        ENDING
    }

    /** An answer of all channels. */
    private static final class Drain
    {
        private volatile boolean isDone;
    }

    /**
     * Does nothing yet.
     *
     * @param device  with parity.
     * @param work    that writes superblocks and publishes views.
     * @param channel to the members.
     * @param reactor that it is used on.
     */
    Reshaping(final RaidDevice device, final ArrayWork work, final RaidChannel channel, final Reactor reactor)
    {
        this.device = device;
        this.work = work;
        this.reactor = reactor;
        rate = new CopyRate(device.layout().memberCount());
        parts = new ReshapeParts(channel, REQUESTS);
        resumeNs = reactor.nowNs();
    }

    /**
     * {@return whether a step is under way: nothing else of the array's own work is}
     */
    boolean isBusy()
    {
        return State.IDLE != state;
    }

    /**
     * {@return whether a step may begin, unless the array's own work does something else}
     */
    boolean isDue()
    {
        return State.IDLE == state && canMove(device.view()) && reactor.clockNs() - resumeNs >= 0;
    }

    private static boolean canMove(final ArrayView view)
    {
        return view.map().isReshaping() && view.isComplete() && null == view.target();
    }

    /**
     * {@return whether there is nothing to do before an answer, or a timer}
     */
    boolean canSleep()
    {
        return switch (state)
        {
            case IDLE -> true;
            case DRAINING -> !drain.isDone;
            case BACKING_UP, MOVING, RESTORING -> parts.isBusy();
            case PREPARING, RECORDING, STORING, ENDING -> false;
        };
    }

    /** No step may begin: one that waits for something else than its pace has no time left to show. */
    void pause()
    {
        if (State.IDLE == state && !canMove(device.view()))
        {
            device.reports().endProgress(OPERATION);
        }
    }

    /** Begins a step: {@link #isDue}, and the array's own work does nothing else. */
    void begin()
    {
        startNs = reactor.nowNs();
        isUnreadable = false;
        stripesMax = Math.max(1, (rate.isBesideHosts() ? STEP_BYTES_BESIDE_HOSTS : STEP_BYTES_MAX) >>>
            device.layout().stripShift());
        final StripMap present = device.view().map();
        progress(present);
        map = present.waitingForNext(stripesMax);
        device.publish(device.view().waiting(map));
        final Drain waited = new Drain();
        drain = waited;
        state = State.DRAINING;
        device.channels().drain(map, () ->
        {
            waited.isDone = true;
            work.wake();
        });
    }

    private void progress(final StripMap of)
    {
        device.reports().progress(new DeviceProgress(
            OPERATION, (int)(of.state().position() * 1000 / of.layout().stripes())));
    }

    /**
     * Goes on with a step.
     *
     * @return whether it did anything.
     */
    boolean poll()
    {
        final ArrayView view = device.view();
        final Stage stage = view.map().state().stage();
        switch (state)
        {
            case IDLE ->
            {
                return false;
            }
            case DRAINING ->
            {
                if (!drain.isDone)
                {
                    return false;
                }
                onDrained(view);
            }
            case PREPARING ->
            {
                if (Stage.PREPARING == stage && view.isComplete())
                {
                    state = State.BACKING_UP;
                    map = view.map();
                    parts.backUp(map);
                }
                else
                {
                    undo(view);
                }
            }
            case RECORDING ->
            {
                if (Stage.BACKED_UP == stage && view.isComplete())
                {
                    move(view);
                }
                else
                {
                    undo(view);
                }
            }
            case BACKING_UP, MOVING, RESTORING ->
            {
                if (parts.isBusy())
                {
                    return false;
                }
                onParts(view);
            }
            case STORING ->
            {
                if (view.map().state().equals(map.next(stripesMax)) || !view.map().isReshaping())
                {
                    onMoved(view);
                }
                else
                {
                    undo(view);
                }
            }
            case ENDING ->
            {
                if (Stage.MOVING == stage)
                {
                    end(view);
                }
                else
                {
                    undo(view);
                }
            }
        }
        return true;
    }

    private void onDrained(final ArrayView view)
    {
        if (!view.isComplete())
        {
            undo(view);
        }
        else if (view.map().isAtHead())
        {
            state = State.PREPARING;
            work.change(view.mapping(view.map().at(Stage.PREPARING)), true);
        }
        else
        {
            move(view);
        }
    }

    private void move(final ArrayView view)
    {
        state = State.MOVING;
        map = view.map();
        parts.move(map, map.nextPosition(stripesMax));
    }

    private void onParts(final ArrayView view)
    {
        final boolean isDone = BlockStatus.SUCCESS == parts.worst();
        if (State.RESTORING == state)
        {
            if (!isDone)
            {
                // Another member has failed.
                parts.restore(view.map());
                return;
            }
            // One that could not be restored has failed by then.
            state = State.ENDING;
            work.change(view.mapping(view.map().at(view.map().ended())), true);
        }
        else if (!isDone || !view.isComplete())
        {
            isUnreadable = BlockStatus.MEDIA_ERROR == parts.worst();
            undo(view);
        }
        else if (State.BACKING_UP == state)
        {
            state = State.RECORDING;
            work.change(view.mapping(view.map().at(Stage.BACKED_UP)), true);
        }
        else
        {
            state = State.STORING;
            final ReshapeState next = map.next(stripesMax);
            work.change(view.mapping(view.map().at(
                next.position() == map.layout().stripes() ? ReshapeState.NONE : next)), true);
        }
    }

    /** What was not moved is as it was, in the head once it is restored. */
    private void undo(final ArrayView view)
    {
        switch (view.map().state().stage())
        {
            case MOVING -> end(view);
            case PREPARING ->
            {
                state = State.ENDING;
                work.change(view.mapping(view.map().at(view.map().ended())), true);
            }
            case BACKED_UP ->
            {
                state = State.RESTORING;
                parts.restore(view.map());
            }
        }
    }

    /** A step has failed. */
    private void end(final ArrayView view)
    {
        state = State.IDLE;
        if (view.isComplete() && isUnreadable)
        {
            mediaErrors++;
            final boolean isRepaired = mediaErrors <= REPAIRS_MAX;
            resume(isRepaired ? REPAIR_NS : device.times().retryNs());
            if (!isRepaired)
            {
                stalled();
            }
        }
        device.reports().endProgress(OPERATION);
        device.publish(view.waiting(view.map().at(view.map().state())));
    }

    /** Superblocks that are stored say that all is well again. */
    private void stalled()
    {
        final long stripeBytes = (long)map.old().dataCount() << map.old().stripShift();
        final long start = parts.unreadableRow() * stripeBytes;
        device.reports().trouble(OPERATION + " stopped: a block within bytes " + start + " to " +
            (start + stripeBytes - 1) + " of the array cannot be read, and not be computed from others; retried " +
            "every " + device.times().retryNs() / NS_PER_S + " s: overwrite these bytes from a host by one write");
    }

    private void onMoved(final ArrayView view)
    {
        state = State.IDLE;
        mediaErrors = 0;
        final int bytes = map.isAtHead() ? map.headRows() * map.sliceBytes() :
            (int)(map.nextPosition(stripesMax) - map.state().position() << map.layout().stripShift());
        // Each byte is read and written.
        resumeNs = startNs + rate.batchNs(bytes, device.copyRates(), device.hostBytes(), reactor.nowNs());
        resume(resumeNs - reactor.nowNs());
        if (view.map().isReshaping())
        {
            progress(view.map());
        }
        else
        {
            device.reports().endProgress(OPERATION);
        }
    }

    private void resume(final long afterNs)
    {
        resumeNs = reactor.nowNs() + Math.max(0, afterNs);
        reactor.schedule(resumeNs, (nowNs) ->
        {
        });
    }

    /**
     * The array has failed: the next assembly goes on.
     *
     * @return whether nothing is under way.
     */
    boolean abandon()
    {
        if (!parts.isBusy())
        {
            state = State.IDLE;
        }
        return State.IDLE == state;
    }
}
