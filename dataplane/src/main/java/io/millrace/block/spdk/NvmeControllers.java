package io.millrace.block.spdk;

import io.millrace.block.BlockDeviceException;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkRuntime;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * NVMe controllers that SPDK's driver has for devices: attached for the first device of each, detached after the last.
 * Off the reactors; any thread.
 */
public final class NvmeControllers
{
    private static final int RECONNECT_DELAY_S = 1;

    /** A target has this long to answer what SPDK asks of it: meanwhile other operations wait. */
    private static final long TARGET_MS = 10_000;
    /** A drive may take long to get ready. */
    private static final long DRIVE_MS = 30_000;

    private final Map<String, Attached> byName = new HashMap<>();
    /** By the names of controllers that SPDK has not attached in time: it goes on, over one path or several. */
    private final Map<String, CompletableFuture<?>> late = new HashMap<>();

    /**
     * Has none.
     */
    public NvmeControllers()
    {
    }

    /**
     * Uses a namespace of a controller.
     *
     * @param runtime   SPDK, which runs.
     * @param config    of the controller.
     * @param nsid      of the namespace.
     * @param onWarning notified of paths that are not there now, a sentence each.
     * @return the namespace, to be {@link NvmeNamespace#release released}.
     * @throws BlockDeviceException if SPDK can attach no path, or has the controller with other settings.
     */
    public synchronized NvmeNamespace acquire(
        final SpdkRuntime runtime, final NvmeControllerConfig config, final int nsid, final Consumer<String> onWarning)
    {
        Attached attached = byName.get(config.name());
        if (null == attached)
        {
            detachLate(runtime, config.name());
            attach(runtime, config, onWarning);
            attached = new Attached(config);
            byName.put(config.name(), attached);
        }
        else if (!attached.config.equals(config))
        {
            throw new BlockDeviceException("controller " + config.name() + " is used by another device, with other " +
                "addresses, host-nqn or controller-loss-timeout: give all devices of a controller the same");
        }
        attached.users++;
        return new NvmeNamespace(this, runtime, config.name(), nsid);
    }

    private void attach(
        final SpdkRuntime runtime, final NvmeControllerConfig config, final Consumer<String> onWarning)
    {
        SpdkException first = null;
        int attached = 0;
        for (final NvmePath path : config.paths())
        {
            try
            {
                final boolean isDrive = config.subsystem().isEmpty();
                final long waitMs = isDrive ? DRIVE_MS : TARGET_MS;
                runtime.call("bdev_nvme_attach_controller", "\"name\": \"" + config.name() + "\", " + path.json() +
                    (isDrive ? "" : fabrics(config)), waitMs, (end) ->
                    {
                        late.merge(config.name(), end, (former, other) -> CompletableFuture.allOf(former, other));
                        throw new SpdkException("spdk: it is not attached after " + waitMs / 1000 + " s");
                    });
                attached++;
            }
            catch (final SpdkException e)
            {
                first = null == first ? e : first;
                onWarning.accept("controller " + config.name() + ": SPDK cannot attach path " + path + ": " +
                    e.problem() + ": it is tried again when the device is opened again");
            }
        }
        if (0 == attached)
        {
            throw new BlockDeviceException("controller " + config.name() + " cannot be attached by SPDK: " +
                first.problem() + ": is it there, " + (config.subsystem().isEmpty() ?
                "bound to vfio-pci ('millrace drive list') and used by nothing else?" :
                "and does the target allow this host? 'millrace discover' lists its subsystems") +
                (config.paths().stream().anyMatch(NvmePath::isRdma) ? "; for rdma:// SPDK has to be built with " +
                "--with-rdma and needs an RDMA device ('rdma link')" : ""), first);
        }
    }

    private static String fabrics(final NvmeControllerConfig config)
    {
        return ", \"subnqn\": \"" + config.subsystem() + '"' +
            (config.hostNqn().isEmpty() ? "" : ", \"hostnqn\": \"" + config.hostNqn() + '"') +
            ", \"multipath\": \"multipath\"" +
            (0 == config.lossTimeoutS() ? "" : ", \"ctrlr_loss_timeout_sec\": " + config.lossTimeoutS() +
            ", \"reconnect_delay_sec\": " + RECONNECT_DELAY_S);
    }

    /** A device does not use the controller any more. */
    synchronized void release(final SpdkRuntime runtime, final String name)
    {
        final Attached attached = byName.get(name);
        attached.users--;
        if (0 != attached.users)
        {
            return;
        }
        byName.remove(name);
        if (isEnded(name))
        {
            late.remove(name);
            detach(runtime, name);
        }
    }

    /** SPDK 26.05 crashes when it detaches a controller that it is attaching. */
    private boolean isEnded(final String name)
    {
        final CompletableFuture<?> attaching = late.get(name);
        return null == attaching || attaching.isDone();
    }

    private void detachLate(final SpdkRuntime runtime, final String name)
    {
        if (!isEnded(name))
        {
            throw new BlockDeviceException("controller " + name + " is still being attached by SPDK for a device " +
                "that was deleted or could not wait: try again in a minute");
        }
        if (null != late.remove(name))
        {
            detach(runtime, name);
        }
    }

    private static void detach(final SpdkRuntime runtime, final String name)
    {
        try
        {
            runtime.call("bdev_nvme_detach_controller", "\"name\": \"" + name + '"');
        }
        catch (final SpdkException e)
        {
            // Of a drive that was pulled, or a target that was gone for too long, SPDK has none any more.
            if (!e.problem().contains("No such device"))
            {
                runtime.report("controller " + name + " is not detached: " + e.problem() +
                    ": 'millrace spdk rpc bdev_nvme_detach_controller' does it");
            }
        }
    }

    /** A controller with its users. */
    private static final class Attached
    {
        private final NvmeControllerConfig config;
        private int users;

        private Attached(final NvmeControllerConfig config)
        {
            this.config = config;
        }
    }
}
