package io.millrace.nvmf;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.reactor.Reactor;

/**
 * One reactor's channel to a device, shared by the namespaces that show it, with the line of those who wait for room.
 * Single-threaded.
 * <p>
 * A device with a queue refuses when the queue is full: then everybody waits in order. A device that completes inline
 * refuses only a request that meets another's blocks (a loan, a writer): the others need not wait for that one.
 */
final class DeviceChannel
{
    private static final int ATTEMPTS_PER_POLL = 64;

    private final DeviceChannels owner;
    private final BlockDevice device;
    private final BlockChannel channel;
    private final RequestLine line = new RequestLine();
    private final boolean refusesSingly;
    private boolean isBusy;
    private int references;
    private long waitCount;

    /**
     * Opens the device on its reactor.
     *
     * @param owner   that polls it while it is busy.
     * @param device  to open.
     * @param reactor whose thread this is.
     */
    DeviceChannel(final DeviceChannels owner, final BlockDevice device, final Reactor reactor)
    {
        this.owner = owner;
        this.device = device;
        channel = device.open(reactor);
        refusesSingly = device.geometry().completesInline();
    }

    BlockDevice device()
    {
        return device;
    }

    void retain()
    {
        references++;
    }

    /**
     * A namespace needs it no more.
     *
     * @return whether none does.
     */
    boolean release()
    {
        references--;
        return 0 == references;
    }

    void close()
    {
        channel.close();
    }

    /**
     * {@return whether the device has no request and nobody is in line}
     */
    boolean isIdle()
    {
        return 0 == line.size() && 0 == channel.inFlight();
    }

    /** It is polled no more. */
    void onIdle()
    {
        isBusy = false;
    }

    boolean canSleep()
    {
        return 0 == line.size() && channel.canSleep();
    }

    /**
     * Hands a request to the device, or puts it in line.
     *
     * @param request whose block request is filled.
     */
    void submit(final Request request)
    {
        if (!trySubmit(request))
        {
            enqueue(request);
        }
    }

    /**
     * Hands a request to the device if that takes it now.
     *
     * @param request whose block request is filled.
     * @return false when it did not; when true the request may be another command's already.
     */
    boolean trySubmit(final Request request)
    {
        if (!refusesSingly && line.size() > 0)
        {
            return false;
        }
        return offer(request);
    }

    /**
     * Puts a request in line, to be handed to the device in a later poll.
     *
     * @param request whose block request is filled.
     */
    void enqueue(final Request request)
    {
        request.phase(RequestPhase.AWAITING_CHANNEL);
        line.add(request);
        waitCount++;
        becomeBusy();
    }

    /**
     * Takes a request out of the line.
     *
     * @param request that waits in it.
     */
    void cancel(final Request request)
    {
        line.remove(request);
    }

    /**
     * Takes back memory that the device lent.
     *
     * @param request it was lent to.
     */
    void giveBack(final Request request)
    {
        channel.giveBack(request.blockRequest());
        request.blockRequest().clearLent();
    }

    /**
     * {@return whether what the device lent keeps somebody from writing}
     *
     * @param request it was lent to.
     */
    boolean isLoanWanted(final Request request)
    {
        return channel.isLoanWanted(request.blockRequest());
    }

    /**
     * Lets the device go on, and tries those who wait.
     *
     * @return work that was done.
     */
    int poll()
    {
        return channel.poll() + pollLine();
    }

    private int pollLine()
    {
        int taken = 0;
        for (int left = Math.min(line.size(), ATTEMPTS_PER_POLL); left > 0 && line.size() > 0; left--)
        {
            final Request request = line.first();
            line.remove(request);
            if (offer(request))
            {
                taken++;
            }
            else
            {
                request.phase(RequestPhase.AWAITING_CHANNEL);
                if (!refusesSingly)
                {
                    line.addFirst(request);
                    break;
                }
                line.add(request);
            }
        }
        return taken;
    }

    /**
     * {@return how often a request had to wait for room}
     */
    long waitCount()
    {
        return waitCount;
    }

    private boolean offer(final Request request)
    {
        final RequestPhase before = request.phase();
        request.phase(RequestPhase.STEPPING == before ? before : RequestPhase.SUBMITTED);
        if (channel.submit(request.blockRequest()))
        {
            if (!isBusy && 0 != channel.inFlight())
            {
                becomeBusy();
            }
            return true;
        }
        request.phase(before);
        return false;
    }

    private void becomeBusy()
    {
        if (!isBusy)
        {
            isBusy = true;
            owner.addBusy(this);
        }
    }
}
