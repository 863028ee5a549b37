package io.millrace.block.raid;

import io.millrace.block.DeviceProgress;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Makes an array use more of its members, which have become larger, while hosts read and write. Strips of all levels
 * are appended, so that no data moves. What lies behind the present end of the members' data is written with zeroes
 * first, so that parity and copies match there, and members can fail as before; nobody else reads or writes it then.
 * After that the write-intent bitmap of larger members and superblocks are written, in this order, and a view is
 * published that has the room.
 * <p>
 * Nothing of it is stored before: a stop or a crash leaves the array as it was. It waits while a slot is not in sync,
 * and begins anew when a slot has another member, which lacks the zeroes. {@link ArrayWork}'s, on its reactor.
 */
final class Resizing
{
    static final String OPERATION = "resize";
    /** Batches a second at the present rate, so that another one is heeded soon. */
    private static final int BATCHES_PER_S = 16;
    /** Requests of hosts wait at the members behind it. */
    private static final int BYTES_BESIDE_HOSTS = 1 << 20;

    private final RaidDevice device;
    private final ArrayWork work;
    private final Reactor reactor;
    private final RaidChannel channel;
    private final Membership membership;
    /** Whether the array's own work does something in the rows that goes first. */
    private final BooleanSupplier isPreceded;
    private final RoomZeroes zeroes;
    private CopyRate rate;
    /** Whether it is pending is asked by any thread. */
    private volatile State state = State.IDLE;
    /** Data of a member in the end. */
    private long wantedBytes;
    /** By slot, those that are written. */
    private List<RaidMember> members = List.of();
    /** Everything from the present end up to it has zeroes, unless a member has changed. */
    private long zeroedBytes;
    /** Of the batch that is under way. */
    private int batchBytes;
    private long resumeNs;

    private enum State
    {
        /** Members are used as they are. */
        IDLE,
        /** All slots have to be in sync. */
        WAITING,
        /** Superblocks are written at the present ends of the members: zeroes go over those at former ones. */
        MARKING,
        /** Zeroes are written. */
        ZEROING,
        /** The bitmap, and then superblocks that say how large members are, are written. */
        STORING
    }

    /**
     * Does nothing yet.
     *
     * @param device     to resize.
     * @param work       that writes superblocks and publishes views.
     * @param channel    to the members.
     * @param membership of the array.
     * @param reactor    that it is used on.
     * @param isPreceded whether the array's own work does something in the rows that goes first.
     */
    Resizing(
        final RaidDevice device,
        final ArrayWork work,
        final RaidChannel channel,
        final Membership membership,
        final Reactor reactor,
        final BooleanSupplier isPreceded)
    {
        this.device = device;
        this.work = work;
        this.channel = channel;
        this.membership = membership;
        this.reactor = reactor;
        this.isPreceded = isPreceded;
        zeroes = new RoomZeroes(device, channel);
    }

    /**
     * Begins to make members larger.
     *
     * @param memberBytes data of each, a multiple of the strip; 0: as much as all have room for.
     * @return why it cannot be, a sentence; null: it has begun.
     */
    String request(final long memberBytes)
    {
        if (State.IDLE != state)
        {
            return "array " + device.name() + " is being resized to " + wantedBytes +
                " bytes of data on each member: wait for the end of that";
        }
        final String problem = MemberRoom.problem(device, memberBytes);
        if (null == problem)
        {
            wantedBytes = 0 == memberBytes ? MemberRoom.of(device).bytes() : memberBytes;
            state = State.WAITING;
        }
        return problem;
    }

    /**
     * {@return whether it was asked for and has not ended; any thread}
     */
    boolean isPending()
    {
        return State.IDLE != state;
    }

    /**
     * {@return whether zeroes are written, or about to be}
     */
    boolean isActive()
    {
        return isPending() && device.view().isSteady();
    }

    /**
     * {@return whether requests to members are under way}
     */
    boolean isBusy()
    {
        return zeroes.isBusy();
    }

    /**
     * {@return whether there is nothing to do before an answer, a timer, or a change of the view}
     */
    boolean canSleep()
    {
        return switch (state)
        {
            case IDLE, STORING -> true;
            case WAITING -> !device.view().isSteady();
            case MARKING -> false;
            case ZEROING -> zeroes.isBusy() || isGoing() && null == zeroes.full() && mustWait();
        };
    }

    private boolean mustWait()
    {
        return isZeroed() ? !membership.isIdle() : isPreceded.getAsBoolean() || reactor.clockNs() - resumeNs < 0;
    }

    /** Whether what was zeroed is that of the members in the slots. */
    private boolean isGoing()
    {
        final ArrayView view = device.view();
        return view.isSteady() && members.equals(inSlots(view));
    }

    private static List<RaidMember> inSlots(final ArrayView view)
    {
        final List<RaidMember> members = new ArrayList<>();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            members.add(view.member(slot));
        }
        return members;
    }

    private boolean isZeroed()
    {
        return zeroedBytes == wantedBytes;
    }

    /**
     * Goes on with zeroes.
     *
     * @return batches that were begun.
     */
    int poll()
    {
        if (State.ZEROING != state || zeroes.isBusy() || null != zeroes.full() || channel.isHeld() || !isGoing())
        {
            return 0;
        }
        if (0 != batchBytes)
        {
            zeroedBytes += zeroes.hasFailed() ? 0 : batchBytes;
            batchBytes = 0;
            progress();
        }
        if (isZeroed() || isPreceded.getAsBoolean() || reactor.nowNs() - resumeNs < 0)
        {
            return 0;
        }
        final long bytesMax = rate.bytesPerS(device.copyRates()) / BATCHES_PER_S;
        final long presentBytes = device.layout().memberBytes();
        final boolean isBehind = zeroedBytes >= presentBytes;
        final List<RaidMember> written = isBehind ? members : List.of(members.getLast());
        final long endBytes = isBehind ? wantedBytes : presentBytes;
        batchBytes = rate.isBesideHosts() ?
            zeroes.begin(written, zeroedBytes, endBytes, Math.min(bytesMax, BYTES_BESIDE_HOSTS), 1) :
            zeroes.begin(written, zeroedBytes, endBytes, bytesMax, Integer.MAX_VALUE);
        resumeNs = reactor.nowNs() + rate.batchNs(batchBytes, device.copyRates(), device.hostBytes(), reactor.nowNs());
        reactor.schedule(resumeNs, (nowNs) ->
        {
        });
        return 1;
    }

    private void progress()
    {
        final long presentBytes = device.layout().memberBytes();
        device.reports().progress(new DeviceProgress(
            OPERATION, (int)(Math.max(0.0, zeroedBytes - presentBytes) / (wantedBytes - presentBytes) * 1000)));
    }

    /**
     * Goes on with what superblocks and views say. No superblocks or bitmap are being written, and no failure waits.
     *
     * @return whether something was begun.
     */
    boolean step()
    {
        switch (state)
        {
            case IDLE, STORING ->
            {
                return false;
            }
            case WAITING ->
            {
                return begin();
            }
            case MARKING ->
            {
                state = State.ZEROING;
                progress();
            }
            case ZEROING ->
            {
                if (zeroes.isBusy())
                {
                    return false;
                }
                if (!isGoing())
                {
                    device.reports().endProgress(OPERATION);
                    state = State.WAITING;
                    return true;
                }
                return (null != zeroes.full() || isZeroed() && membership.isIdle()) && (isGivenUp() || store());
            }
        }
        return true;
    }

    /** Members may have been replaced since it was asked for, and spares added; or there was no space for zeroes. */
    private boolean isGivenUp()
    {
        final String problem = null == zeroes.full() ? MemberRoom.problem(device, wantedBytes) :
            "no space is left below " + zeroes.full() + ": free some, or make it smaller";
        if (null == problem)
        {
            return false;
        }
        state = State.IDLE;
        device.reports().endProgress(OPERATION);
        device.reports().announce(OPERATION + " was given up: " + problem);
        return true;
    }

    private boolean begin()
    {
        final ArrayView view = device.view();
        if (!view.isSteady())
        {
            return false;
        }
        if (!isGivenUp())
        {
            members = inSlots(view);
            rate = new CopyRate(view.slotCount());
            zeroedBytes = view.layout().memberBytes() - unusedBytes(view.layout());
            batchBytes = 0;
            resumeNs = reactor.nowNs();
            state = State.MARKING;
            work.change(view.next(), false);
        }
        return true;
    }

    /** The last strip of the last member, which the array does not use yet, and may have held anything. */
    private static int unusedBytes(final ArrayLayout layout)
    {
        return 0 == layout.parityCount() && layout.strip(layout.memberCount() - 1, layout.stripes() - 1) < 0 ?
            layout.stripBytes() : 0;
    }

    private boolean store()
    {
        final ArrayLayout present = device.layout();
        state = State.STORING;
        work.enlarge(
            StripMap.of(ArrayLayout.of(present.level(), present.memberCount(), present.stripBytes(), wantedBytes)));
        return true;
    }

    /**
     * Superblocks of a view are stable, or those of larger members will not be: the bitmap becomes that of the view.
     *
     * @param view that is published next.
     */
    void onStored(final ArrayView view)
    {
        if (State.STORING != state)
        {
            return;
        }
        final boolean isEnlarged = wantedBytes == view.layout().memberBytes();
        state = isEnlarged ? State.IDLE : State.WAITING;
        device.reports().endProgress(OPERATION);
        if (null != device.intent() && isEnlarged)
        {
            device.intent().grow(wantedBytes);
        }
        else if (null != device.intent())
        {
            device.pages().undoEnlarged();
        }
    }
}
