package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.ChannelQueue;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.reactor.TimerListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One reactor's channels to the members of an array, by the index of the member. Members come and go while the array
 * serves: a member's channel is open before any view names the member, and closes when no view names it and no request
 * uses it. The reactor's only.
 */
final class MemberChannels
{
    /** A channel does not say when it takes requests again: after this time it is asked once more, at first. */
    private static final long RETRY_NS_MIN = 1_000_000;
    /** The time doubles up to this while no member takes any: a controller may be reset for seconds. */
    private static final long RETRY_NS_MAX = 16_000_000;

    private final ReactorContext context;
    private final Predicate<RaidMember> isUsed;
    private final RaidMember[] members = new RaidMember[RaidLevel.MEMBERS_MAX];
    private final State[] states = new State[RaidLevel.MEMBERS_MAX];
    /** Null until it is open. */
    private final BlockChannel[] channels = new BlockChannel[RaidLevel.MEMBERS_MAX];
    private final ChannelQueue[] queues = new ChannelQueue[RaidLevel.MEMBERS_MAX];
    private final List<Opened> openListeners = new ArrayList<>();
    private final List<Released> releaseListeners = new ArrayList<>();
    private Runnable onClosed;
    /** Highest index in use, and one. */
    private int limit;
    private int releasedCount;
    private boolean isClosing;
    private final TimerListener onRetryDue = this::onRetryDue;
    /** Whether a timer is running that has the reactor offer what was refused. */
    private boolean isRetryTimed;
    private long retryNs = RETRY_NS_MIN;

    /** Who is notified when a member is open. */
    private record Opened(RaidMember member, Consumer<BlockDeviceException> onDone)
    {
    }

    /** Who is notified when a member has no channel. */
    private record Released(RaidMember member, Runnable onDone)
    {
    }

    /** Of an index with a member. */
    private enum State
    {
        /** The device was asked for a channel. */
        OPENING,
        /** Requests are submitted. */
        OPEN,
        /** It is closed as soon as it is open and no request uses it. */
        RELEASED,
        /** The channel was told to close. */
        CLOSING
    }

    /**
     * No member has a channel.
     *
     * @param context of the reactor.
     * @param isUsed  whether a request uses a member.
     */
    MemberChannels(final ReactorContext context, final Predicate<RaidMember> isUsed)
    {
        this.context = context;
        this.isUsed = isUsed;
    }

    /**
     * Opens the channel of a member. Nothing is done where it is open, or all channels are being closed.
     *
     * @param member whose index no other member has.
     * @param onDone notified once, with why it could not be opened; null: it is open, or not needed any more.
     */
    void open(final RaidMember member, final Consumer<BlockDeviceException> onDone)
    {
        final int index = member.index();
        if (isClosing || member == members[index] && State.OPENING != states[index])
        {
            onDone.accept(null);
            return;
        }
        if (null != members[index] && member != members[index])
        {
            throw new IllegalStateException(
                "member " + member + " has index " + index + ", which " + members[index] + " has");
        }
        openListeners.add(new Opened(member, onDone));
        if (null == members[index])
        {
            members[index] = member;
            states[index] = State.OPENING;
            limit = Math.max(limit, index + 1);
            member.device().open(context, new Opening(member));
        }
    }

    private final class Opening implements OpenListener
    {
        private final RaidMember member;

        private Opening(final RaidMember member)
        {
            this.member = member;
        }

        @Override
        public void onOpened(final BlockChannel opened)
        {
            final int index = member.index();
            channels[index] = opened;
            queues[index] = new ChannelQueue(member.device().geometry(), opened::submit);
            if (State.OPENING == states[index])
            {
                states[index] = State.OPEN;
            }
            onAnswer(null);
            // Whoever was notified may have closed it.
            if (isClosing && opened == channels[index] && State.CLOSING != states[index])
            {
                close(index);
            }
            else if (!isClosing)
            {
                closeUnused();
            }
        }

        @Override
        public void onOpenFailed(final BlockDeviceException reason)
        {
            onAnswer(reason);
            remove(member.index());
        }

        private void onAnswer(final BlockDeviceException problem)
        {
            final List<Opened> listeners =
                openListeners.stream().filter((each) -> member == each.member()).toList();
            openListeners.removeAll(listeners);
            listeners.forEach((each) -> each.onDone().accept(problem));
        }
    }

    /**
     * Closes the channel of a member that no view names any more, when no request uses it.
     *
     * @param member of the array.
     * @param onDone notified when it has no channel here.
     */
    void release(final RaidMember member, final Runnable onDone)
    {
        final int index = member.index();
        if (member != members[index])
        {
            onDone.run();
            return;
        }
        releaseListeners.add(new Released(member, onDone));
        if (State.OPENING == states[index] || State.OPEN == states[index])
        {
            states[index] = State.RELEASED;
            releasedCount++;
            closeUnused();
        }
    }

    /** A request has ended: channels of members that it was the last to use are closed. */
    void closeUnused()
    {
        for (int index = 0; index < limit && 0 != releasedCount; index++)
        {
            if (null != members[index] && State.RELEASED == states[index] && null != channels[index] &&
                0 == channels[index].inFlight() && 0 == queues[index].size() && !isUsed.test(members[index]))
            {
                close(index);
            }
        }
    }

    private void close(final int index)
    {
        if (State.RELEASED == states[index])
        {
            releasedCount--;
        }
        states[index] = State.CLOSING;
        final ChannelQueue queue = queues[index];
        for (BlockRequest left = queue.removeFirst(); null != left; left = queue.removeFirst())
        {
            left.complete(BlockStatus.ABORTED);
        }
        channels[index].close((closed) -> remove(index));
    }

    private void remove(final int index)
    {
        final RaidMember member = members[index];
        if (State.RELEASED == states[index])
        {
            releasedCount--;
        }
        members[index] = null;
        states[index] = null;
        channels[index] = null;
        queues[index] = null;
        while (limit > 0 && null == members[limit - 1])
        {
            limit--;
        }
        final List<Released> listeners =
            releaseListeners.stream().filter((each) -> member == each.member()).toList();
        releaseListeners.removeAll(listeners);
        listeners.forEach((each) -> each.onDone().run());
        if (0 == limit && null != onClosed)
        {
            onClosed.run();
        }
    }

    /**
     * Closes all channels, also those that are still being opened. Nothing is opened afterwards.
     *
     * @param onDone notified when no channel is left.
     */
    void close(final Runnable onDone)
    {
        isClosing = true;
        if (0 == limit)
        {
            onDone.run();
            return;
        }
        onClosed = onDone;
        for (int index = 0; index < members.length; index++)
        {
            if (null != channels[index] && State.CLOSING != states[index])
            {
                close(index);
            }
        }
    }

    /** Closes the channels of members that have not ended what they were asked for. The others stay open. */
    void closeBusy()
    {
        for (int index = 0; index < members.length; index++)
        {
            if (null != channels[index] && State.CLOSING != states[index] &&
                0 != channels[index].inFlight() + queues[index].size())
            {
                close(index);
            }
        }
    }

    /**
     * {@return requests at a member; more than any number when it has no channel}
     *
     * @param member of the array.
     */
    int inFlight(final RaidMember member)
    {
        final int index = member.index();
        return member == members[index] && null != channels[index] ?
            channels[index].inFlight() + queues[index].size() : Integer.MAX_VALUE - 1;
    }

    /**
     * Submits a request to a member, behind those that wait for it.
     *
     * @param member of the array.
     * @param part   filled and idle.
     */
    void submit(final RaidMember member, final BlockRequest part)
    {
        final int index = member.index();
        final BlockChannel channel = channels[index];
        if (isClosing || null == channel || member != members[index] || State.CLOSING == states[index])
        {
            part.complete(isClosing ? BlockStatus.ABORTED : BlockStatus.DEVICE_ERROR);
            return;
        }
        final ChannelQueue queue = queues[index];
        if (queue.isBlocking() || !channel.submit(part))
        {
            queue.add(part);
        }
    }

    /**
     * Asks a member that {@link RaidMember#lendsAtOnce lends at once} for its memory. Nothing waits when it refuses.
     *
     * @param member of the array.
     * @param part   a read, lendable and without segments.
     * @return whether the part has ended; if it is lent then, to be {@link #giveBack given back}.
     */
    boolean lend(final RaidMember member, final BlockRequest part)
    {
        final int index = member.index();
        return !isClosing && member == members[index] && State.CLOSING != states[index] && null != channels[index] &&
            channels[index].submit(part);
    }

    /**
     * Gives back what a member has lent, which is before anything else is done with its channel.
     *
     * @param member of the array.
     * @param part   that was lent to.
     */
    void giveBack(final RaidMember member, final BlockRequest part)
    {
        channels[member.index()].releaseLoan(part);
    }

    /**
     * {@return requests that were completed or submitted}
     */
    int poll()
    {
        int count = 0;
        for (int index = 0; index < limit; index++)
        {
            final BlockChannel channel = channels[index];
            if (null != channel)
            {
                final int taken = queues[index].poll();
                if (0 != taken)
                {
                    retryNs = RETRY_NS_MIN;
                }
                count += taken;
                count += 0 == channel.inFlight() ? 0 : channel.poll();
            }
        }
        if (0 != releasedCount)
        {
            closeUnused();
        }
        return count;
    }

    boolean canSleep()
    {
        boolean isRefused = false;
        for (int index = 0; index < limit; index++)
        {
            final BlockChannel channel = channels[index];
            if (null != channel)
            {
                if (0 != channel.inFlight() && !channel.canSleep())
                {
                    return false;
                }
                isRefused |= 0 != queues[index].size();
            }
        }
        if (isRefused && !isRetryTimed)
        {
            isRetryTimed = true;
            context.reactor().schedule(context.reactor().nowNs() + retryNs, onRetryDue);
            retryNs = Math.min(2 * retryNs, RETRY_NS_MAX);
            // How long it sleeps was determined before this timer.
            return false;
        }
        return true;
    }

    /** The cycle offers what was refused. */
    private void onRetryDue(final long nowNs)
    {
        isRetryTimed = false;
    }

    /**
     * {@return requests that members have, and that wait for members to take them}
     */
    int inFlight()
    {
        int count = 0;
        for (int index = 0; index < limit; index++)
        {
            count += null == channels[index] ? 0 : channels[index].inFlight() + queues[index].size();
        }
        return count;
    }
}
