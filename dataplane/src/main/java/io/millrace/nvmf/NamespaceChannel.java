package io.millrace.nvmf;

import io.millrace.block.BlockGeometry;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceCounters;
import io.millrace.status.IoCounters;

/**
 * One reactor's channel to a namespace, with the fields that the hot path needs. Single-threaded.
 */
final class NamespaceChannel
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
    NamespaceChannel(final Namespace namespace, final DeviceChannel device, final NamespaceCounters counters)
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

    Namespace namespace()
    {
        return namespace;
    }

    DeviceChannel device()
    {
        return device;
    }

    /**
     * {@return whether its device accepts requests on this reactor now}
     */
    boolean isOpen()
    {
        return device.isOpen();
    }

    NamespaceCounters counters()
    {
        return counters;
    }

    /**
     * {@return I/O counters of the namespace}
     */
    IoCounters io()
    {
        if (null == io)
        {
            io = counters.begin();
        }
        return io;
    }

    BlockGeometry geometry()
    {
        return geometry;
    }

    /** The device may have grown; nothing else of its geometry changes. */
    void onDeviceChanged()
    {
        geometry = namespace.device().geometry();
    }

    int blockShift()
    {
        return blockShift;
    }

    boolean lendsReads()
    {
        return lendsReads;
    }

    /**
     * {@return whether a write may be done straight from the receive buffer}
     */
    boolean writesFromCapsule()
    {
        return writesFromCapsule;
    }

    boolean volatileCache()
    {
        return volatileCache;
    }

    int anaGroup()
    {
        return anaGroup;
    }

    /**
     * {@return its rate limiter on this reactor; null when it never had limits}
     */
    RateLimiter rateLimiter()
    {
        return rateLimiter;
    }

    void rateLimiter(final RateLimiter newRateLimiter)
    {
        rateLimiter = newRateLimiter;
    }

    /** It is removed. */
    void retire()
    {
        state = State.RETIRED;
    }

    /** The time of hosts since its removal has passed. */
    void becomeOverdue()
    {
        state = State.OVERDUE;
    }

    /**
     * {@return whether it was removed}
     */
    boolean isRetired()
    {
        return State.SERVED != state;
    }

    /**
     * {@return whether it was removed so long ago that no host is waited for}
     */
    boolean isOverdue()
    {
        return State.OVERDUE == state;
    }

    /**
     * A command begins to use the namespace.
     *
     * @param request the command's request.
     */
    void bind(final Request request)
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
    void unbind(final Request request)
    {
        request.namespace(null);
        active--;
    }

    /**
     * {@return commands that use it}
     */
    int active()
    {
        return active;
    }
}
