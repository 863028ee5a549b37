package io.millrace.dataplane;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.RaidDevice;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.reactor.Reactor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Gives arrays other names while they serve: superblocks first, without the lock, then all that knows the device by its
 * name, at once. Any thread that may wait; the end is on a thread of its own, as a reactor has written.
 */
final class ArrayRenaming
{
    /** How long a rename waits for the members. */
    private static final long WAIT_MS = 30_000;

    private final Operations operations;
    private final DeviceTable table;
    private final Devices devices;

    /**
     * @param operations of the data plane.
     * @param table      of the devices.
     * @param devices    of the data plane.
     */
    ArrayRenaming(final Operations operations, final DeviceTable table, final Devices devices)
    {
        this.operations = operations;
        this.table = table;
        this.devices = devices;
    }

    /**
     * Renames an array. Other operations are executed while its superblocks are written.
     *
     * @param name    of the device.
     * @param newName that no device has.
     * @throws OperationException when it is not there, is no array, is used by another device or SPDK, the name is
     *     taken or invalid, or another operation goes on.
     */
    void rename(final String name, final String newName)
    {
        rename(name, newName, WAIT_MS);
    }

    /** With another time-out. */
    void rename(final String name, final String newName, final long waitMs)
    {
        final ManagedDevice device;
        synchronized (operations)
        {
            operations.checkOpen();
            device = devices.require(name);
            check(device, newName);
            device.transition(ManagedDevice.Transition.RENAMING);
            table.reserve(newName);
        }
        // Who is first decides: superblocks that have the name, or who does not wait any more.
        final AtomicBoolean isDecided = new AtomicBoolean();
        await(device, newName, waitMs, isDecided, ((RaidDevice)device.device())
            .rename(newName, () -> isDecided.compareAndSet(false, true))
            .whenCompleteAsync((_, failure) -> end(device, newName, failure), ArrayRenaming::start));
    }

    /** Reactors must not wait for the lock. */
    private static void start(final Runnable task)
    {
        Thread.ofPlatform().daemon(true).name("millrace-rename").start(task);
    }

    private void end(final ManagedDevice device, final String newName, final Throwable failure)
    {
        synchronized (operations)
        {
            table.release(newName);
            device.transition(ManagedDevice.Transition.NONE);
            // It may have been closed with the data plane meanwhile.
            if (null == failure && operations.isOpen())
            {
                final String name = device.name();
                table.rename(name, (each) -> take(each, newName));
                operations.publish(
                    ResourceKind.DEVICE, ResourceChange.CHANGED, newName, "is the new name of array " + name);
            }
        }
        // What was refused meanwhile, as a larger size.
        operations.deviceStatus().onChanged(device);
    }

    private static void take(final ManagedDevice device, final String newName)
    {
        ((RaidDevice)device.device()).takeName();
        device.config(device.config().named(newName));
    }

    private void check(final ManagedDevice device, final String newName)
    {
        final String subject = "device " + device.name();
        if (!(device.device() instanceof RaidDevice))
        {
            throw new OperationException(Reason.INVALID, subject,
                "is not an array, and only arrays can be renamed", "create it by the other name");
        }
        DeviceChecks.checkName(newName);
        if (table.isTaken(newName))
        {
            throw new OperationException(Reason.EXISTS, "device " + newName, "already exists",
                "choose another name for array " + device.name());
        }
        DeviceChecks.checkNoTransition(device);
        final ManagedDevice.User user = device.user();
        if (null != user && (null == user.subsystem() || null != user.export()))
        {
            throw new OperationException(Reason.IN_USE, subject, "is used by " +
                (null == user.subsystem() ? user.describe() : "SPDK for " + user.describe()) + ", which names it",
                "remove that first");
        }
    }

    private void await(
        final ManagedDevice device, final String newName, final long waitMs, final AtomicBoolean isDecided,
        final CompletableFuture<Void> done)
    {
        Reactor.checkMayBlock("another name of an array");
        try
        {
            done.get(waitMs, TimeUnit.MILLISECONDS);
        }
        catch (final TimeoutException e)
        {
            if (isDecided.compareAndSet(false, true))
            {
                done.whenComplete((_, failure) -> onLate(device, newName, failure));
                throw new OperationException(Reason.FAILED, "device " + device.name(), "its superblocks were not " +
                    "written within " + TimeUnit.MILLISECONDS.toSeconds(waitMs) + " s, so it keeps its name",
                    "check its members, and the path to them", e);
            }
            done.join();
        }
        catch (final ExecutionException e)
        {
            if (e.getCause() instanceof final BlockDeviceException refused)
            {
                throw new OperationException(Reason.INVALID, "", refused.getMessage(), "", refused);
            }
            throw new IllegalStateException(e.getCause());
        }
        catch (final InterruptedException e)
        {
            isDecided.set(true);
            done.whenComplete((_, failure) -> onLate(device, newName, failure));
            Thread.currentThread().interrupt();
            throw new OperationException(Reason.FAILED, "device " + device.name(), "the rename was interrupted",
                "look at its name", e);
        }
    }

    /** Nobody waits for its end any more. */
    private void onLate(final ManagedDevice device, final String newName, final Throwable failure)
    {
        if (null != failure && operations.isOpen())
        {
            final String text = "is not renamed to " + newName + ": " +
                (failure instanceof CompletionException ? failure.getCause() : failure).getMessage();
            operations.onArrayChanged(device.name(), text, true);
            operations.publish(ResourceKind.DEVICE, ResourceChange.CHANGED, device.name(), text);
        }
    }
}
