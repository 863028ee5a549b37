package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;

/**
 * Access of one peer to a range of a region for as long as it is bound: {@link RdmaQueuePair#postBind} opens it by a
 * request of the send queue, {@link RdmaQueuePair#postInvalidate}, or the peer by a SEND that invalidates, ends it. The
 * key changes with each binding, so an old one opens nothing. A window of type 2B (InfiniBand Architecture
 * Specification 1.4, volume 1, section 10.6.7.2): nobody but the peer of the queue pair that bound it can use it. Made
 * by {@link RdmaDomain#window}; closed with the connection that bound it, at the latest. Reactor's thread.
 */
public final class MemoryWindow implements AutoCloseable
{
    private static final int COUNTER_MASK = 0xFF;

    private final RdmaCore core;
    private final DeviceMemory memory;
    private final long windowAddress;
    private int key;
    /** That bound it last, and the next window of that. */
    private RdmaQueuePair pair;
    private MemoryWindow next;
    private boolean isClosed;

    MemoryWindow(final RdmaCore core, final DeviceMemory memory, final String deviceName)
    {
        this.core = core;
        this.memory = memory;
        windowAddress = core.allocateWindow(memory.pdAddress());
        if (windowAddress < 0)
        {
            throw new RdmaException(
                "no memory window on " + deviceName + ": ibv_alloc_mw: " + Errno.describe((int)-windowAddress));
        }
        key = core.windowKey(windowAddress);
        memory.add(this);
    }

    long windowAddress()
    {
        return windowAddress;
    }

    /**
     * {@return the key that the peer needs, of the last binding that was posted; the peer may use it from the
     *     completion of the binding on}
     */
    public int remoteKey()
    {
        return key;
    }

    /** {@return the key of the next binding} */
    int nextKey()
    {
        return key & ~COUNTER_MASK | key + 1 & COUNTER_MASK;
    }

    /** {@return whether a queue pair has bound it before} */
    boolean isOf(final RdmaQueuePair binding)
    {
        return pair == binding;
    }

    /** {@return whether no other queue pair has bound it} */
    boolean mayBindBy(final RdmaQueuePair binding)
    {
        return !isClosed && (null == pair || pair == binding);
    }

    /** Its first binding, by a queue pair whose other windows follow. */
    void onFirst(final RdmaQueuePair binding, final MemoryWindow others)
    {
        pair = binding;
        next = others;
    }

    MemoryWindow next()
    {
        return next;
    }

    /** A binding was posted. */
    void onBound(final int bound)
    {
        key = bound;
        core.windowKey(windowAddress, bound);
    }

    /**
     * Frees the window: its key is invalid then, also when it is bound. A second call does nothing.
     */
    @Override
    public void close()
    {
        final int status = free();
        // A device that is gone frees it with its context.
        if (-Errno.EIO != status)
        {
            NativeException.check("ibv_dealloc_mw", status);
        }
    }

    /** {@return 0 or negated errno} */
    int free()
    {
        if (isClosed)
        {
            return 0;
        }
        isClosed = true;
        memory.remove(this);
        return core.deallocateWindow(windowAddress);
    }
}
