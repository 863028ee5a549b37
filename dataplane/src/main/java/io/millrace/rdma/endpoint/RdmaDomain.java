package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.verbs.DeviceAttributes;
import io.millrace.bindings.verbs.VerbsCalls;
import io.millrace.bindings.verbs.VerbsResources;
import io.millrace.rdma.RdmaException;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;

/**
 * What the connections of a reactor share on a device: a protection domain and a completion queue. Made and closed by
 * the {@link ConnectionManager}, on the reactor.
 */
public final class RdmaDomain
{
    private final long pdAddress;
    private final CompletionQueue completions;
    private final int readsServed;
    private final int readsInitiated;

    RdmaDomain(final Reactor reactor, final long contextAddress, final int completionsMax)
    {
        final int completionsGranted;
        try (Arena arena = Arena.ofConfined())
        {
            final long attributes = arena.allocate(DeviceAttributes.SIZE_BYTES, Long.BYTES).address();
            NativeException.check("ibv_query_device", VerbsCalls.queryDevice(contextAddress, attributes));
            readsServed = DeviceAttributes.maxReadsAsTarget(attributes);
            readsInitiated = DeviceAttributes.maxReadsAsInitiator(attributes);
            completionsGranted = Math.min(completionsMax, DeviceAttributes.maxCompletions(attributes));
        }
        pdAddress = NativeException.check("ibv_alloc_pd", VerbsResources.allocatePd(contextAddress));
        try
        {
            completions = CompletionQueue.open(reactor, contextAddress, completionsGranted);
        }
        catch (final RuntimeException e)
        {
            VerbsResources.deallocatePd(pdAddress);
            throw e;
        }
    }

    /**
     * Gives the device access to memory, whose pages are pinned until the region is closed. Takes milliseconds a
     * gigabyte,
     * so not on a reactor that has I/O. Any thread.
     *
     * @param address     of the memory, which stays mapped.
     * @param lengthBytes of the memory, 64 bits.
     * @param access      what is done with it.
     * @return the region; it has to be closed before the connection manager.
     * @throws RdmaException when the kernel or the device refuses, with what to check.
     */
    public RdmaRegion register(final long address, final long lengthBytes, final RegionAccess access)
    {
        final long mrAddress = VerbsResources.registerMr(pdAddress, address, lengthBytes, access.bits());
        if (mrAddress < 0)
        {
            throw new RdmaException("cannot register " + lengthBytes + " bytes at 0x" + Long.toHexString(address) +
                " for RDMA: " + Errno.describe((int)-mrAddress) + remedy((int)-mrAddress));
        }
        return new RdmaRegion(address, lengthBytes, mrAddress);
    }

    private static String remedy(final int errno)
    {
        return Errno.ENOMEM == errno || Errno.EAGAIN == errno ?
            "; allow the process to lock as much memory (ulimit -l, or LimitMEMLOCK of the unit)" :
            Errno.EFAULT == errno ? "; the memory is not mapped" : "";
    }

    long pdAddress()
    {
        return pdAddress;
    }

    /** {@return RDMA READs and atomics of a peer that a queue pair serves at a time} */
    int readsServed()
    {
        return readsServed;
    }

    /** {@return RDMA READs and atomics that a queue pair has under way at a time} */
    int readsInitiated()
    {
        return readsInitiated;
    }

    CompletionQueue completions()
    {
        return completions;
    }

    /** No queue pair is left. */
    void close()
    {
        completions.close();
        NativeException.check("ibv_dealloc_pd (regions are left)", VerbsResources.deallocatePd(pdAddress));
    }
}
