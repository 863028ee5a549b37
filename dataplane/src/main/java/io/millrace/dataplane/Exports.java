package io.millrace.dataplane;

import io.millrace.bindings.spdk.SpdkExportCalls;
import io.millrace.block.BlockDeviceException;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SpdkSettings;
import io.millrace.export.ExportedDevice;
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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Devices of a data plane that SPDK serves by front ends of its own. Used by the thread that starts or closes the data
 * plane.
 */
final class Exports implements AutoCloseable
{
    /** For what devices need beside payload, which lies in SPDK's memory. */
    private static final int BUFFERS_BYTES = 8 << 20;
    /** Least that memory is registered by; what SPDK has may be in larger ones. */
    private static final int PAGE_BYTES = 4096;

    private final Operations operations;
    private final Devices devices;
    private final Map<Reactor, BufferPool> pools = new IdentityHashMap<>();
    private final List<ManagedDevice> exported = new ArrayList<>();
    private final List<MemoryRegion> imported = new ArrayList<>();
    private SpdkRuntime spdk;
    private MemoryRegistry registry;
    private DmaMemory memory;

    Exports(final Operations operations, final Devices devices)
    {
        this.operations = operations;
        this.devices = devices;
    }

    /**
     * Makes bdevs of the devices, then the front ends.
     *
     * @param settings of SPDK.
     * @param runtime  SPDK, which runs.
     * @param groups   of the reactors, which run.
     * @param memories of memory that payload lies in.
     * @throws SettingException naming the setting that cannot be applied.
     */
    void start(
        final SpdkSettings settings,
        final SpdkRuntime runtime,
        final List<PollGroup> groups,
        final MemoryRegistry memories)
    {
        spdk = runtime;
        registry = memories;
        memory = DmaMemory.map(BUFFERS_BYTES);
        memories.add(memory, MemoryRole.BUFFERS);
        for (final SpdkExportCalls.Memory each : spdk.memory())
        {
            final MemoryRegion region = MemoryRegion.imported(
                MemoryRole.BUFFERS, MemoryDomain.HOST, each.address(), each.lengthBytes(), PAGE_BYTES);
            announce(region);
            imported.add(region);
        }
        groups.forEach((group) -> pools.put(group.reactor(), group.buffers()));
        final BufferPool own = BufferPool.withFloors(memory.address(), BUFFERS_BYTES, BUFFERS_BYTES / 8);
        spdk.onApplication(() ->
        {
            final Reactor reactor = spdk.application().reactor();
            pools.put(reactor, own);
            reactor.addPoller(own);
            return null;
        });
        for (int i = 0; i < settings.exports().size(); i++)
        {
            try
            {
                export(settings.exports().get(i));
            }
            catch (final OperationException e)
            {
                throw new SettingException(
                    "spdk.exports[" + i + "]", settings.exports().get(i), e.problem(), e.remedy(), e);
            }
        }
        if (null != settings.frontEnds())
        {
            startFrontEnds(settings.frontEnds());
        }
    }

    private void announce(final MemoryRegion region)
    {
        try
        {
            registry.add(region);
        }
        catch (final MemoryException e)
        {
            throw new SettingException("spdk.exports", null, "SPDK's memory cannot be used: " + e.getMessage(),
                "set spdk.hugepages, or export from a data plane without this device", e);
        }
    }

    private void export(final String name)
    {
        synchronized (operations)
        {
            final ManagedDevice device = devices.require(name);
            Devices.checkUnused(device, "a device has one user: use another");
            try
            {
                device.user(ManagedDevice.User.of(
                    ExportedDevice.export(device.device(), "device " + name, spdk, pools::get)));
            }
            catch (final BlockDeviceException e)
            {
                throw new OperationException(Reason.FAILED, "device " + name, e.getMessage(), "", e);
            }
            exported.add(device);
        }
    }

    private void startFrontEnds(final Path file)
    {
        try
        {
            spdk.serve(Files.readString(file));
        }
        catch (final IOException e)
        {
            throw new SettingException("spdk.front-ends", file, "cannot be read (" + e + ')',
                "name a JSON file with the subsystems nvmf or vhost_blk, as SPDK's save_config writes them", e);
        }
        catch (final SpdkException e)
        {
            throw new SettingException("spdk.front-ends", file, e.problem(), "", e);
        }
    }

    /** {@return names of the devices} */
    List<String> names()
    {
        return exported.stream().map(ManagedDevice::name).toList();
    }

    /** SPDK's front ends let go of the devices. */
    @Override
    public void close()
    {
        boolean isLeft = false;
        for (final ManagedDevice device : exported.reversed())
        {
            try
            {
                device.user().export().close();
                device.user(null);
            }
            catch (final SpdkException e)
            {
                isLeft = true;
                operations.onError("device " + device.name() + ": " + e.problem());
            }
        }
        // A device that is not closed goes on with its memory, until the process ends.
        if (null != memory && !isLeft)
        {
            spdk.onApplication(() ->
            {
                spdk.application().reactor().removePoller(pools.get(spdk.application().reactor()));
                return null;
            });
            imported.reversed().forEach(registry::remove);
            memory.close();
        }
    }
}
