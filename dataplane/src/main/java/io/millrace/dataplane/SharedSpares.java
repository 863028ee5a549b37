package io.millrace.dataplane;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceHealth;
import io.millrace.block.raid.RaidDevice;
import io.millrace.block.raid.SpareDemand;
import io.millrace.block.raid.SpareExamination;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.memory.MemoryRegistry;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Gives shared spares to arrays that lack a member: to the one that has lacked it for the longest, the smallest device
 * that fits. Arrays and releases call {@link #wake} on any thread; the rest is done under the lock of operations, on a
 * thread that ends when there is nothing to do.
 */
final class SharedSpares
{
    /** Before why one does not stand by. */
    static final String NOT_USED = "is not used as a shared spare: ";
    private static final String REFUSED = DeviceConfig.SHARED_SPARE + " is refused: ";

    private final Operations operations;
    private final MemoryRegistry registry;
    private final Supplier<List<ManagedDevice>> devices;
    private final BiConsumer<ManagedDevice, ManagedDevice> use;
    private final Consumer<BlockDevice> release;
    /** Free again, and not looked at since. Reactors add to it. */
    private final Set<ManagedDevice> freed = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isScheduled = new AtomicBoolean();

    /**
     * @param operations of the data plane.
     * @param registry   of memory that payload lies in.
     * @param devices    all devices, in the order they were made.
     * @param use        makes a device (the first) used by an array (the second).
     * @param release    makes a device free.
     */
    SharedSpares(
        final Operations operations,
        final MemoryRegistry registry,
        final Supplier<List<ManagedDevice>> devices,
        final BiConsumer<ManagedDevice, ManagedDevice> use,
        final Consumer<BlockDevice> release)
    {
        this.operations = operations;
        this.registry = registry;
        this.devices = devices;
        this.use = use;
        this.release = release;
    }

    /**
     * {@return whether nothing but that changes: the device itself has nothing to apply}
     *
     * @param was    settings of a device.
     * @param wanted those that it is going to have.
     */
    static boolean isOnlyChange(final DeviceConfig was, final DeviceConfig wanted)
    {
        return was.isSharedSpare() != wanted.isSharedSpare() && was.properties().with(DeviceConfig.SHARED_SPARE, false)
            .equals(wanted.properties().with(DeviceConfig.SHARED_SPARE, false));
    }

    /**
     * Looks at a device that is created as a shared spare; the lock is held.
     *
     * @param device that nothing uses.
     * @return why it does not stand by, since an array may have it already; empty: it does.
     * @throws OperationException when it cannot be one.
     */
    String checkCreated(final BlockDevice device)
    {
        final SpareExamination examination = SpareExamination.of(device, registry);
        if (!examination.problem().isEmpty() && !examination.mayBeMember())
        {
            throw new OperationException(Reason.INVALID, "", REFUSED + examination.problem(), "");
        }
        return examination.problem();
    }

    /**
     * Looks at a device that becomes a shared spare while it is there; the lock is held.
     *
     * @param device that may have a user.
     * @throws OperationException when it cannot be one.
     */
    void checkSet(final ManagedDevice device)
    {
        final ManagedDevice.User user = device.user();
        if (null == user)
        {
            final SpareExamination examination = SpareExamination.of(device.device(), registry);
            if (!examination.problem().isEmpty())
            {
                throw new OperationException(Reason.INVALID, "", REFUSED + examination.problem(), "");
            }
        }
        else if (!isTaken(device, user))
        {
            throw new OperationException(Reason.IN_USE, "device " + device.name(), "is used by " + user.describe() +
                ", and a shared spare has no other use", "remove that first, or use another device");
        }
    }

    /** Whether an array has it that does not name it. */
    private static boolean isTaken(final ManagedDevice device, final ManagedDevice.User user)
    {
        final ManagedDevice array = user.wrapper();
        return null != array && array.device() instanceof RaidDevice &&
            !array.factory().bases(array.config().properties()).contains(device.name());
    }

    /**
     * The setting of a device has changed; the lock is held.
     *
     * @param device with its present settings.
     */
    void onSet(final ManagedDevice device)
    {
        device.spareProblem("");
        final ManagedDevice.User user = device.user();
        if (device.isSharedSpare())
        {
            wake();
        }
        else if (null != user && isTaken(device, user))
        {
            operations.onNote("device " + device.name() + " is no shared spare any more and stays in " +
                user.describe() + ", which does not name it: name it in members of that before the next start");
        }
    }

    /**
     * A device was erased; the lock is held.
     *
     * @param device that nothing uses.
     */
    void onErased(final ManagedDevice device)
    {
        if (device.isSharedSpare())
        {
            device.spareProblem("");
            freed.add(device);
            wake();
        }
    }

    /**
     * An array has released a device. Any thread, a reactor too.
     *
     * @param device that nothing uses.
     */
    void onFreed(final ManagedDevice device)
    {
        if (device.isSharedSpare())
        {
            freed.add(device);
            wake();
        }
    }

    /** Arrays and shared spares are looked at soon. Any thread; does not block. */
    void wake()
    {
        if (isScheduled.compareAndSet(false, true))
        {
            Thread.ofPlatform().daemon(true).name("millrace-spares").start(this::run);
        }
    }

    private void run()
    {
        synchronized (operations)
        {
            // What happens from now on is looked at by another run.
            isScheduled.set(false);
            if (operations.isOpen())
            {
                examine();
                arrays().forEach(this::give);
            }
        }
    }

    private void examine()
    {
        for (final ManagedDevice each : List.copyOf(freed))
        {
            freed.remove(each);
            if (isFree(each) && each.spareProblem().isEmpty() && devices.get().contains(each))
            {
                final String problem = SpareExamination.of(each.device(), registry).problem();
                if (!problem.isEmpty())
                {
                    leaveOut(each, problem);
                }
            }
        }
    }

    private void leaveOut(final ManagedDevice spare, final String problem)
    {
        spare.spareProblem(problem);
        final String text = NOT_USED + problem;
        operations.onError("device " + spare.name() + ' ' + text);
        operations.publish(ResourceKind.DEVICE, ResourceChange.CHANGED, spare.name(), text);
    }

    private static boolean isFree(final ManagedDevice device)
    {
        return device.isSharedSpare() && null == device.user() && !device.isDeleting();
    }

    /** Those that lack a member, the one that has lacked it for the longest first. */
    private List<ManagedDevice> arrays()
    {
        return devices.get().stream()
            .filter((each) -> !each.isDeleting() && each.device() instanceof final RaidDevice array &&
                array.spareDemand().isWanted())
            .sorted(Comparator.comparingLong((each) -> demand(each).sinceNs())).toList();
    }

    private static SpareDemand demand(final ManagedDevice array)
    {
        return ((RaidDevice)array.device()).spareDemand();
    }

    private void give(final ManagedDevice array)
    {
        for (final ManagedDevice each : candidates(demand(array)))
        {
            if (!demand(array).isWanted() || take(array, each))
            {
                return;
            }
        }
    }

    /** Shared spares that fit, the smallest first. */
    private List<ManagedDevice> candidates(final SpareDemand demand)
    {
        return devices.get().stream()
            .filter((each) -> isFree(each) && each.spareProblem().isEmpty() &&
                DeviceHealth.FAILED != each.device().status().health() && demand.fits(each.device()))
            .sorted(Comparator.comparingLong((each) -> each.device().geometry().sizeBytes())).toList();
    }

    /** {@return whether the array has it} */
    private boolean take(final ManagedDevice array, final ManagedDevice spare)
    {
        use.accept(spare, array);
        try
        {
            demand(array).take(spare.device(), registry);
            final String text = "shared spare " + spare.name() + " takes the slot of a member that is missing";
            operations.onArrayChanged(array.name(), text, false);
            operations.publish(ResourceKind.DEVICE, ResourceChange.CHANGED, array.name(), text);
            return true;
        }
        catch (final BlockDeviceException e)
        {
            if (array.device().members().contains(spare.device()))
            {
                // It has not answered yet. The array goes on with it, or releases it.
                operations.onError("array " + array.name() + ": shared spare " + spare.name() + ": " + e.getMessage());
                return true;
            }
            release.accept(spare.device());
            // Nothing is wrong with it when the array needs none any more.
            if (demand(array).isWanted())
            {
                leaveOut(spare, e.getMessage());
            }
            return false;
        }
    }
}
