package io.millrace.dataplane;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.dataplane.snapshot.DeviceState;
import io.millrace.export.ExportedDevice;
import io.millrace.nvmf.Subsystem;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A device and its user. A user is set by operations, one at a time; it is removed on any thread, a reactor's too.
 */
final class ManagedDevice
{
    /**
     * User of a device: a namespace, a device that wraps it, or SPDK.
     *
     * @param wrapper   the wrapping device, or null.
     * @param subsystem of the namespace, or null.
     * @param nsid      of the namespace, or 0.
     * @param export    as which SPDK has it, for the namespace or for front ends of its own; or null.
     */
    record User(ManagedDevice wrapper, Subsystem subsystem, int nsid, ExportedDevice export)
    {
        static User of(final ManagedDevice wrapper)
        {
            return new User(wrapper, null, 0, null);
        }

        static User of(final Subsystem subsystem, final int nsid)
        {
            return new User(null, subsystem, nsid, null);
        }

        static User of(final Subsystem subsystem, final int nsid, final ExportedDevice export)
        {
            return new User(null, subsystem, nsid, export);
        }

        static User of(final ExportedDevice export)
        {
            return new User(null, null, 0, export);
        }

        String describe()
        {
            return null != subsystem ? "namespace " + subsystem.nqn() + '/' + nsid :
                null == wrapper ? "SPDK (spdk.exports)" : "device " + wrapper.name();
        }
    }

    /** What it is going through, while which it can be neither used nor modified. */
    enum Transition
    {
        /** Nothing. */
        NONE(""),
        /** It is deleted when its own work has ended. */
        DELETING("deleted"),
        /** Its superblocks get another name. */
        RENAMING("renamed");

        private final String participle;

        Transition(final String participle)
        {
            this.participle = participle;
        }

        String participle()
        {
            return participle;
        }
    }

    private final BlockDevice device;
    private final DeviceFactory factory;
    private volatile DeviceConfig config;
    private volatile User user;
    private volatile CompletableFuture<Void> leaving = CompletableFuture.completedFuture(null);
    private final AtomicBoolean isAnnounced = new AtomicBoolean();
    private volatile ManagedServices services;
    private volatile Transition transition = Transition.NONE;
    /** Why it does not stand by though it is a shared spare, a sentence; empty: nothing is known. */
    private volatile String spareProblem = "";
    /** Of the thread that reports. */
    private DeviceStatus reportedStatus = DeviceStatus.ONLINE;

    ManagedDevice(final DeviceConfig config, final DeviceFactory factory, final BlockDevice device)
    {
        this.factory = factory;
        this.config = config;
        this.device = device;
    }

    String name()
    {
        return config.name();
    }

    DeviceConfig config()
    {
        return config;
    }

    void config(final DeviceConfig changed)
    {
        config = changed;
    }

    DeviceFactory factory()
    {
        return factory;
    }

    String description()
    {
        return factory.description(config.properties(), device);
    }

    BlockDevice device()
    {
        return device;
    }

    User user()
    {
        return user;
    }

    void user(final User newUser)
    {
        user = newUser;
    }

    /**
     * {@return done when a user that is being removed has released the device; done already when none is}
     */
    CompletableFuture<Void> leaving()
    {
        return leaving;
    }

    void leaving(final CompletableFuture<Void> done)
    {
        leaving = done;
    }

    /**
     * {@return whether it is being deleted: it cannot be used or modified}
     */
    boolean isDeleting()
    {
        return Transition.DELETING == transition;
    }

    Transition transition()
    {
        return transition;
    }

    void transition(final Transition next)
    {
        transition = next;
    }

    /**
     * {@return whether it stands by for all arrays, or is a member of one that took it}
     */
    boolean isSharedSpare()
    {
        return config.isSharedSpare();
    }

    String spareProblem()
    {
        return spareProblem;
    }

    void spareProblem(final String sentence)
    {
        spareProblem = sentence;
    }

    /**
     * The reactors run: the device may work on its own.
     *
     * @param newServices for the device.
     */
    void start(final ManagedServices newServices)
    {
        services = newServices;
        device.start(newServices);
        // What has changed before was announced to nobody.
        newServices.onStatusChanged();
    }

    /**
     * Ends the device's background work.
     *
     * @return done when all has ended.
     */
    CompletableFuture<Void> stop()
    {
        final ManagedServices present = services;
        return null == present ? CompletableFuture.completedFuture(null) : present.stop();
    }

    /**
     * {@return whether a change of its status is to be queued: none is queued yet; any thread}
     */
    boolean announce()
    {
        return isAnnounced.compareAndSet(false, true);
    }

    /** Its status is going to be looked at. */
    void announced()
    {
        isAnnounced.set(false);
    }

    DeviceStatus reportedStatus()
    {
        return reportedStatus;
    }

    void reportedStatus(final DeviceStatus status)
    {
        reportedStatus = status;
    }

    DeviceSnapshot snapshot()
    {
        final User present = user;
        return new DeviceSnapshot(config, description(), device.geometry(),
            null == present ? null : present.describe(),
            isDeleting() ? DeviceState.DELETING :
            null == present ? DeviceState.AVAILABLE : leaving.isDone() ? DeviceState.IN_USE : DeviceState.RELEASING,
            status(present), device.members().stream().map(BlockDevice::name).toList());
    }

    /** One that does not stand by is degraded, as nothing else says so before a member fails. */
    private DeviceStatus status(final User present)
    {
        final DeviceStatus status = device.status();
        return null == present && isSharedSpare() && !spareProblem.isEmpty() &&
            DeviceHealth.ONLINE == status.health() ?
            new DeviceStatus(DeviceHealth.DEGRADED, SharedSpares.NOT_USED + spareProblem, status.progress()) : status;
    }
}
