package io.millrace.dataplane;

import io.millrace.bindings.spdk.SpdkExportCalls;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryException;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvmf.PollGroup;
import io.millrace.reactor.Reactor;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkRuntime;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Memory for devices that SPDK has as bdevs: buffers for the devices' own use, and SPDK's memory, where payload lies.
 * Nothing before its first use. Off the reactors, under the lock of the operations; {@link #buffers} on reactors.
 */
final class ExportMemory implements AutoCloseable
{
    /** For what devices need beside payload, which lies in SPDK's memory. */
    private static final int BUFFERS_BYTES = 8 << 20;
    /** Least that memory is registered by; what SPDK has may be in larger ones. */
    private static final int PAGE_BYTES = 4096;

    private final MemoryRegistry registry;
    private final List<PollGroup> groups;
    private final List<MemoryRegion> imported = new ArrayList<>();
    /** Complete before the first device is exported. */
    private volatile Map<Reactor, BufferPool> pools = Map.of();
    private SpdkRuntime spdk;
    private DmaMemory memory;
    private boolean isKept;

    /**
     * @param registry of memory that payload lies in.
     * @param groups   of the reactors, which run.
     */
    ExportMemory(final MemoryRegistry registry, final List<PollGroup> groups)
    {
        this.registry = registry;
        this.groups = groups;
    }

    /**
     * Makes it, once.
     *
     * @param runtime SPDK, which runs.
     * @throws SpdkException when a device cannot access SPDK's memory.
     */
    void start(final SpdkRuntime runtime)
    {
        if (null != spdk)
        {
            return;
        }
        try
        {
            for (final SpdkExportCalls.Memory each : runtime.memory())
            {
                final MemoryRegion region = MemoryRegion.imported(
                    MemoryRole.BUFFERS, MemoryDomain.HOST, each.address(), each.lengthBytes(), PAGE_BYTES);
                registry.add(region);
                imported.add(region);
            }
        }
        catch (final MemoryException e)
        {
            imported.reversed().forEach(registry::remove);
            imported.clear();
            throw new SpdkException("spdk: its memory cannot be used (" + e.getMessage() +
                "): set spdk.hugepages, or take a data plane without this device", e);
        }
        memory = DmaMemory.map(BUFFERS_BYTES);
        registry.add(memory, MemoryRole.BUFFERS);
        final Map<Reactor, BufferPool> all = new IdentityHashMap<>();
        groups.forEach((group) -> all.put(group.reactor(), group.buffers()));
        final BufferPool own = BufferPool.withFloors(memory.address(), BUFFERS_BYTES, BUFFERS_BYTES / 8);
        runtime.onApplication(() ->
        {
            final Reactor reactor = runtime.application().reactor();
            all.put(reactor, own);
            reactor.addPoller(own);
            return null;
        });
        pools = all;
        spdk = runtime;
    }

    /** {@return the buffers of a reactor} */
    BufferPool buffers(final Reactor reactor)
    {
        return pools.get(reactor);
    }

    /** A device is not closed: the memory stays until the process ends. */
    void keep()
    {
        isKept = true;
    }

    @Override
    public void close()
    {
        if (null == spdk || isKept)
        {
            return;
        }
        spdk.onApplication(() ->
        {
            spdk.application().reactor().removePoller(pools.get(spdk.application().reactor()));
            return null;
        });
        imported.reversed().forEach(registry::remove);
        memory.close();
    }
}
