package io.millrace.rdma.endpoint;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.verbs.DeviceAttributes;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;

/**
 * What the connections of a reactor share on a device: a protection domain, of their own or that of a
 * {@link RdmaMemory}, and a completion queue. Made and closed by the {@link ConnectionManager}, on the reactor.
 */
public final class RdmaDomain
{
    private final DeviceMemory memory;
    private final boolean isShared;
    private final RegionKeys keys;
    private final CompletionQueue completions;
    private final int readsServed;
    private final int readsInitiated;

    /** With the protection domain of a device, which is closed with it unless it is shared. */
    RdmaDomain(
        final RdmaCore core,
        final Reactor reactor,
        final DeviceMemory memory,
        final boolean isShared,
        final int completionsMax)
    {
        this.memory = memory;
        this.isShared = isShared;
        keys = new RegionKeys(memory);
        final int completionsGranted;
        try (Arena arena = Arena.ofConfined())
        {
            final long attributes = arena.allocate(DeviceAttributes.SIZE_BYTES, Long.BYTES).address();
            NativeException.check("ibv_query_device", core.queryDevice(memory.contextAddress(), attributes));
            readsServed = DeviceAttributes.maxReadsAsTarget(attributes);
            readsInitiated = DeviceAttributes.maxReadsAsInitiator(attributes);
            completionsGranted = Math.min(completionsMax, DeviceAttributes.maxCompletions(attributes));
        }
        completions = CompletionQueue.open(core, reactor, memory.contextAddress(), completionsGranted);
        memory.users().incrementAndGet();
    }

    /**
     * Gives the device access to memory that is in no registry, such as capsules, whose pages are pinned until the
     * region is closed. Takes milliseconds a gigabyte, so not on a reactor that has I/O. Any thread.
     *
     * @param address     of the memory, which stays mapped.
     * @param lengthBytes of the memory, 64 bits.
     * @param access      what is done with it.
     * @return the region; it has to be closed before the connection manager.
     * @throws RdmaException when the kernel or the device refuses, with what to check.
     */
    public RdmaRegion register(final long address, final long lengthBytes, final RegionAccess access)
    {
        return memory.register(address, lengthBytes, access);
    }

    DeviceMemory memory()
    {
        return memory;
    }

    RegionKeys keys()
    {
        return keys;
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
        memory.users().decrementAndGet();
        if (!isShared)
        {
            NativeException.check("ibv_dealloc_pd (regions are left)", memory.close());
        }
    }
}
