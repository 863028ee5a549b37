package io.millrace.nvmf.request;

import io.millrace.block.BlockGeometry;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceCounters;
import io.millrace.status.IoCounters;

/**
 * One reactor's channel to a namespace, with the fields that the hot path needs. Single-threaded.
 */
public final class NamespaceChannel
{
    /** Whether commands may use it. */
    private enum State
    {
        /** Commands may use it. */
        SERVED,
        /** It was removed: new commands do not find it, commands that use it are ended where possible. */
        RETIRED,
        /** It was removed so long ago that no host is waited for. */
        OVERDUE
    }

    private final Namespace namespace;
    private final DeviceChannel device;
    private final NamespaceCounters counters;
    private BlockGeometry geometry;
    private final int blockShift;
    private final boolean lendsReads;
    private final boolean writesFromCapsule;
    private final boolean volatileCache;
    private final int anaGroup;
    private IoCounters io;
    private RateLimiter rateLimiter;
    private int active;
    private State state = State.SERVED;

    /**
     * Creates the channel of a namespace over a device channel.
     *
     * @param namespace to serve.
     * @param device    channel to its device, open or not.
     * @param counters  of this reactor.
     */
    public NamespaceChannel(final Namespace namespace, final DeviceChannel device, final NamespaceCounters counters)
    {
        this.namespace = namespace;
        this.device = device;
        this.counters = counters;
        geometry = namespace.device().geometry();
        blockShift = geometry.blockShift();
        lendsReads = geometry.lendsReads();
        writesFromCapsule = geometry.completesInline() && 1 == geometry.memoryAlignmentBytes();
        volatileCache = geometry.volatileWriteCache();
        anaGroup = namespace.anaGroup();
    }

    /**
     * {@return the namespace}
     */
    public Namespace namespace()
    {
        return namespace;
    }

    /**
     * {@return channel to its device}
     */
    public DeviceChannel device()
    {
        return device;
    }

    /**
     * {@return whether its device accepts requests on this reactor now}
     */
    public boolean isOpen()
    {
        return device.isOpen();
    }

    /**
     * {@return its counters on this reactor}
     */
    public NamespaceCounters counters()
    {
        return counters;
    }

    /**
     * {@return I/O counters of the namespace}
     */
    public IoCounters io()
    {
        if (null == io)
        {
            io = counters.begin();
        }
        return io;
    }

    /**
     * {@return geometry of its device, as ranges are checked against it}
     */
    public BlockGeometry geometry()
    {
        return geometry;
    }

    /** The device may have grown; nothing else of its geometry changes. */
    public void onDeviceChanged()
    {
        geometry = namespace.device().geometry();
    }

    /**
     * {@return log2 of its block size}
     */
    public int blockShift()
    {
        return blockShift;
    }

    /**
     * {@return whether reads are lent the memory of the device}
     */
    public boolean lendsReads()
    {
        return lendsReads;
    }

    /**
     * {@return whether a write may be done straight from the receive buffer}
     */
    public boolean writesFromCapsule()
    {
        return writesFromCapsule;
    }

    /**
     * {@return whether the device has a volatile write cache}
     */
    public boolean volatileCache()
    {
        return volatileCache;
    }

    /**
     * {@return its ANA group, from 1}
     */
    public int anaGroup()
    {
        return anaGroup;
    }

    /**
     * {@return its rate limiter on this reactor; null when it never had limits}
     */
    public RateLimiter rateLimiter()
    {
        return rateLimiter;
    }

    /**
     * Replaces its rate limiter.
     *
     * @param newRateLimiter null for none.
     */
    public void rateLimiter(final RateLimiter newRateLimiter)
    {
        rateLimiter = newRateLimiter;
    }

    /** It is removed. */
    public void retire()
    {
        state = State.RETIRED;
    }

    /** The time of hosts since its removal has passed. */
    public void becomeOverdue()
    {
        state = State.OVERDUE;
    }

    /**
     * {@return whether it was removed}
     */
    public boolean isRetired()
    {
        return State.SERVED != state;
    }

    /**
     * {@return whether it was removed so long ago that no host is waited for}
     */
    public boolean isOverdue()
    {
        return State.OVERDUE == state;
    }

    /**
     * A command begins to use the namespace.
     *
     * @param request the command's request.
     */
    public void bind(final Request request)
    {
        if (null == request.namespace())
        {
            request.namespace(this);
            active++;
        }
    }

    /**
     * A command is done with the namespace.
     *
     * @param request that was bound.
     */
    public void unbind(final Request request)
    {
        request.namespace(null);
        active--;
    }

    /**
     * {@return commands that use it}
     */
    public int active()
    {
        return active;
    }
}
