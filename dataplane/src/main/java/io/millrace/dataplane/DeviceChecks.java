package io.millrace.dataplane;

import io.millrace.block.BlockDeviceException;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.validation.ResourceValidation;

/** Preconditions of operations on devices. The lock of {@link Operations} is held. */
final class DeviceChecks
{
    /** How long the deletion of a device waits for its own work to end. */
    static final long STOP_WAIT_MS = 10_000;

    private DeviceChecks()
    {
    }

    /** Refuses a device that has a user, stands by for arrays, or is being deleted or renamed. */
    static void checkUnused(final ManagedDevice device, final String remedy)
    {
        checkNoUser(device, remedy);
        if (device.isSharedSpare())
        {
            throw new OperationException(Reason.IN_USE, subject(device.name()), "is a shared spare",
                "set its shared-spare to false first, or use another");
        }
    }

    static void checkNoUser(final ManagedDevice device, final String remedy)
    {
        checkNoTransition(device);
        final ManagedDevice.User user = device.user();
        if (null != user)
        {
            final boolean isLeaving = !device.leaving().isDone();
            throw new OperationException(Reason.IN_USE, subject(device.name()), "is used by " + user.describe() +
                (isLeaving ? ", which is being removed" : ""),
                isLeaving ? "try again when the last commands on it have ended" : remedy);
        }
    }

    static void checkNoTransition(final ManagedDevice device)
    {
        if (ManagedDevice.Transition.NONE != device.transition())
        {
            throw new OperationException(Reason.IN_USE, subject(device.name()),
                "is being " + device.transition().participle(),
                "wait until it " +
                (device.isDeleting() ? "is gone, at most " + STOP_WAIT_MS / 1000 + " s" : "has been"));
        }
    }

    static String subject(final String name)
    {
        return "device " + name;
    }

    static void checkName(final String name)
    {
        refuse("device name '" + name + "'", "", ResourceValidation.ofName(name));
    }

    static void checkValues(final DeviceConfig config, final DeviceFactory factory)
    {
        final DeviceFactory.Problem problem = factory.problem(config.properties());
        if (null != problem)
        {
            throw new OperationException(Reason.INVALID, subject(config.name()),
                problem.key() + ' ' + problem.value() + " is " + problem.bound(), problem.remedy());
        }
    }

    static void checkSize(final String subject, final long sizeBytes)
    {
        if (sizeBytes > ResourceValidation.SIZE_BYTES_MAX)
        {
            refuse(subject, "size " + sizeBytes + " ", ResourceValidation.ofSize(sizeBytes, 512));
        }
    }

    private static void refuse(
        final String subject, final String value, final ResourceValidation.Problem problem)
    {
        if (null != problem)
        {
            throw new OperationException(
                Reason.INVALID, subject, value + "is " + problem.bound(), problem.remedy());
        }
    }

    static OperationException refused(final String name, final BlockDeviceException e)
    {
        final String prefix = subject(name) + ": ";
        final String problem = e.getMessage().startsWith(prefix) ?
            e.getMessage().substring(prefix.length()) : e.getMessage();
        return new OperationException(null == e.getCause() ? Reason.INVALID : Reason.FAILED, subject(name), problem,
            "", e);
    }
}
