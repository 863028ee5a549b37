package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.rdma.core.RdmaCore;
import java.util.function.Consumer;

/**
 * Memory that a device may reach, until it is closed. Set-up threads; the keys are read by any.
 */
public final class RdmaRegion implements AutoCloseable
{
    private final RdmaCore core;
    private final long address;
    private final long lengthBytes;
    private final long mrAddress;
    private final Consumer<RdmaRegion> onClosed;
    private final int localKey;
    private final int remoteKey;
    private boolean isClosed;

    RdmaRegion(
        final RdmaCore core,
        final long address,
        final long lengthBytes,
        final long mrAddress,
        final Consumer<RdmaRegion> onClosed)
    {
        this.core = core;
        this.onClosed = onClosed;
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.mrAddress = mrAddress;
        localKey = core.localKey(mrAddress);
        remoteKey = core.remoteKey(mrAddress);
    }

    long mrAddress()
    {
        return mrAddress;
    }

    /**
     * {@return where it begins}
     */
    public long address()
    {
        return address;
    }

    /**
     * {@return its length in bytes}
     */
    public long lengthBytes()
    {
        return lengthBytes;
    }

    /**
     * {@return the key for segments of requests}
     */
    public int localKey()
    {
        return localKey;
    }

    /**
     * {@return the key that a peer needs to read or write it}
     */
    public int remoteKey()
    {
        return remoteKey;
    }

    /**
     * Takes it from the device. Further access by peers fails, and with it their connections. No request of this side
     * uses it. A device that is gone ends that access with its hardware: before the connections are closed. A second
     * call does nothing.
     */
    @Override
    public synchronized void close()
    {
        final int status = deregister();
        if (-Errno.EIO == status)
        {
            end();
        }
        else
        {
            NativeException.check("ibv_dereg_mr", status);
        }
    }

    /** Takes it from the device, or leaves it to the device's context, which may be closed after this. */
    synchronized void abandon()
    {
        if (deregister() < 0)
        {
            end();
        }
    }

    /** {@return 0 or negated errno; 0 when it is closed} */
    synchronized int deregister()
    {
        if (isClosed)
        {
            return 0;
        }
        final int status = core.deregisterMr(mrAddress);
        if (status >= 0)
        {
            end();
        }
        return status;
    }

    private void end()
    {
        isClosed = true;
        onClosed.accept(this);
    }
}
