package io.millrace.nvmf.request;

/**
 * Commands that wait for a device to open, on the channel's reactor. Single-threaded.
 */
public final class OpenQueue
{
    /** How long a command waits for a device to open, from its arrival on, before the host is asked to try again. */
    public static final long OPEN_WAIT_NS = 5_000_000_000L;

    private static final int ATTEMPTS_PER_POLL = 64;

    private final DeviceChannel device;
    private final DeviceChannels owner;
    private final RequestQueue requests = new RequestQueue();

    /**
     * Without commands.
     *
     * @param device that is opened.
     * @param owner  of the channel, which opens it.
     */
    OpenQueue(final DeviceChannel device, final DeviceChannels owner)
    {
        this.device = device;
        this.owner = owner;
    }

    /**
     * {@return how many commands wait here; those whose capsules their transports keep are not among them}
     */
    int size()
    {
        return requests.size();
    }

    /**
     * Makes a command wait until the device is open, cannot be opened any more, or a time-out has passed: then it is
     * executed again from its beginning.
     *
     * @param request   of the command, which has nothing yet.
     * @param namespace of the command.
     * @return false when the command must not wait, or has waited.
     */
    public boolean await(final Request request, final NamespaceChannel namespace)
    {
        if (!mayWait(request))
        {
            return false;
        }
        owner.onAwaited();
        if (request.dataPointer().isInCapsule())
        {
            // What came in the capsule is there only while the transport keeps it.
            request.phase(RequestPhase.CAPSULE_AWAITING_OPEN);
            return true;
        }
        request.phase(RequestPhase.AWAITING_OPEN);
        namespace.bind(request);
        requests.add(request);
        device.becomeBusy();
        return true;
    }

    /**
     * {@return whether a command may wait, or has to wait longer}
     *
     * @param request of the command.
     */
    public boolean mayWait(final Request request)
    {
        return device.state().isPending() && owner.reactor().nowNs() - request.startNs() < OPEN_WAIT_NS;
    }

    /**
     * Removes a command from the queue of those that wait for the device to open.
     *
     * @param request that waits in it.
     */
    public void cancel(final Request request)
    {
        requests.remove(request);
    }

    /**
     * Ends what waits for the device to open on behalf of a namespace that is removed.
     *
     * @param namespace that is.
     * @param status    to fail commands with.
     */
    public void fail(final NamespaceChannel namespace, final int status)
    {
        for (int left = requests.size(); left > 0; left--)
        {
            final Request request = requests.first();
            requests.remove(request);
            if (request.namespace() == namespace)
            {
                request.phase(RequestPhase.EXECUTING);
                request.owner().complete(request, status);
            }
            else
            {
                requests.add(request);
            }
        }
    }

    /**
     * Executes those commands again that no longer wait.
     *
     * @return how many.
     */
    int poll()
    {
        int resumed = 0;
        while (resumed < ATTEMPTS_PER_POLL && requests.size() > 0 && !mayWait(requests.first()))
        {
            final Request request = requests.first();
            requests.remove(request);
            request.owner().resume(request);
            resumed++;
        }
        return resumed;
    }
}
