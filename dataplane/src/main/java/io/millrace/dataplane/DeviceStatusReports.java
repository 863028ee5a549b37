package io.millrace.dataplane;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceProgress;
import io.millrace.block.DeviceStatus;
import io.millrace.block.GrowableDevice;
import io.millrace.block.raid.RaidDetails;
import io.millrace.block.raid.RaidDevice;
import io.millrace.block.raid.ScrubResult;
import io.millrace.block.raid.ScrubStatus;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * Publishes changes of the status of devices, and of those that are made of them. Devices announce changes on any
 * thread, which only queues them; one thread publishes, a few times a second. Changes in between are seen as one, so a
 * device that changes all the time does not flood anybody.
 */
final class DeviceStatusReports
{
    private static final String SCRUB = "scrub";

    private final Operations operations;
    private volatile Consumer<ManagedDevice> growable = (device) ->
    {
    };
    /** As they were reported last. */
    private final Map<ManagedDevice, ScrubResult> scrubs = new WeakHashMap<>();
    private final Map<ManagedDevice, Parts> parts = new WeakHashMap<>();
    private final Queue<Created> created = new ManyToOneConcurrentLinkedQueue<>();
    private final Queue<ManagedDevice> changed = new ManyToOneConcurrentLinkedQueue<>();
    private final Queue<Event> events = new ManyToOneConcurrentLinkedQueue<>();

    /**
     * Something happened.
     *
     * @param device    that it happened to.
     * @param sentence  without the name of the device.
     * @param isFailure whether an operator has to do something about it.
     */
    private record Event(ManagedDevice device, String sentence, boolean isFailure)
    {
    }

    /**
     * An array serves from now on.
     *
     * @param device that serves.
     * @param parts  of the array that it is.
     */
    private record Created(ManagedDevice device, Parts parts)
    {
    }

    /**
     * What an array is made of.
     *
     * @param level   such as RAID 6; of erasure codes without the number of their members, which growth changes.
     * @param members names of all its devices, with and without slots.
     * @param journal name of the device that settings name for the journal; empty: none.
     */
    private record Parts(String level, List<String> members, String journal)
    {
        static Parts of(final RaidDevice array)
        {
            final RaidDetails details = array.details();
            return new Parts(details.level().title(), array.members().stream().map(BlockDevice::name).toList(),
                details.journal().device());
        }
    }

    DeviceStatusReports(final Operations operations)
    {
        this.operations = operations;
    }

    /**
     * A device begins to serve: what it has is reported from its first change on. Any thread.
     *
     * @param device that serves.
     */
    void onCreated(final ManagedDevice device)
    {
        if (device.device() instanceof final RaidDevice array)
        {
            created.add(new Created(device, Parts.of(array)));
        }
    }

    /**
     * The status of a device has changed. Any thread.
     *
     * @param device whose status is asked for later.
     */
    void onChanged(final ManagedDevice device)
    {
        if (device.announce())
        {
            changed.add(device);
        }
    }

    /**
     * Something happened to a device that its status does not say. Any thread.
     *
     * @param device    that is named.
     * @param sentence  without the name of the device.
     * @param isFailure whether an operator has to do something about it.
     */
    void onEvent(final ManagedDevice device, final String sentence, final boolean isFailure)
    {
        events.add(new Event(device, sentence, isFailure));
    }

    /**
     * Sets an action for devices that have become larger by themselves. It must not block.
     *
     * @param action with a device that may grow.
     */
    void onGrowable(final Consumer<ManagedDevice> action)
    {
        growable = action;
    }

    /** Publishes what has changed. Always on the same thread. */
    void check()
    {
        for (Created each = created.poll(); null != each; each = created.poll())
        {
            parts.put(each.device(), each.parts());
        }
        for (Event event = events.poll(); null != event; event = events.poll())
        {
            publish(event.device(), event.sentence(), event.isFailure());
        }
        for (ManagedDevice device = changed.poll(); null != device; device = changed.poll())
        {
            device.announced();
            report(device);
            if (device.device() instanceof final GrowableDevice grown &&
                grown.availableBytes() > grown.geometry().sizeBytes())
            {
                growable.accept(device);
            }
            for (ManagedDevice.User user = device.user(); null != user && null != user.wrapper();
                user = user.wrapper().user())
            {
                report(user.wrapper());
            }
        }
    }

    private void report(final ManagedDevice device)
    {
        final DeviceStatus before = device.reportedStatus();
        final DeviceStatus now = device.device().status();
        device.reportedStatus(now);
        if (now.health() != before.health() || !now.reason().equals(before.reason()))
        {
            publish(device, DeviceHealth.ONLINE == now.health() ? "is ONLINE again" :
                "is " + now.health() + (now.reason().isEmpty() ? "" : ": " + now.reason()),
                DeviceHealth.DEGRADED == now.health() || DeviceHealth.FAILED == now.health());
        }
        final RaidDetails array = device.device() instanceof final RaidDevice present ? present.details() : null;
        final String ended = operation(before.progress(), null != array);
        final String begun = operation(now.progress(), null != array);
        if (!ended.equals(begun))
        {
            if (!ended.isEmpty())
            {
                publish(device, ended + (null == array || !ended.equals(array.pending()) ? " has ended" :
                    begun.isEmpty() ? " waits" : " waits for another operation"), false);
            }
            if (!begun.isEmpty())
            {
                publish(device, begun + " has begun", false);
            }
        }
        if (null != array)
        {
            parts(device, (RaidDevice)device.device());
            scrub(device, array.scrub());
        }
    }

    /** Spares, devices that replace others, level and journal device change while the array serves. */
    private void parts(final ManagedDevice device, final RaidDevice array)
    {
        final Parts now = Parts.of(array);
        final Parts before = parts.put(device, now);
        if (null == before)
        {
            return;
        }
        now.members().stream().filter((each) -> !before.members().contains(each))
            .forEach((each) -> publish(device, "device " + each + " was added", false));
        if (!now.level().equals(before.level()))
        {
            publish(device, "is " + now.level() + " now, was " + before.level(), false);
        }
        if (!now.journal().equals(before.journal()))
        {
            publish(device, now.journal().isEmpty() ? "members have the journal now, device " + before.journal() +
                " had it" : "device " + now.journal() + " has the journal now", false);
        }
        before.members().stream().filter((each) -> !now.members().contains(each))
            .forEach((each) -> publish(device, "device " + each + " was removed", false));
    }

    /** A scrub goes on though another operation shows its progress, and may end before anybody sees it running. */
    private void scrub(final ManagedDevice device, final ScrubResult result)
    {
        if (null == result)
        {
            return;
        }
        final ScrubResult before = scrubs.put(device, result);
        final boolean isNew = null == before || before.beganMs() != result.beganMs();
        if (result.isActive())
        {
            if (isNew || before.status() != result.status())
            {
                publish(device, SCRUB + (ScrubStatus.WAITING == result.status() ?
                    " waits for another operation, or until all slots are in sync" :
                    isNew || 0 == before.checkedBytes() + before.skippedBytes() ? " has begun" : " goes on"), false);
            }
        }
        else if (isNew || before.isActive())
        {
            publish(device, result.sentence(), !result.isClean());
        }
    }

    /** Of arrays the log has a line, too: what becomes of them is for an operator to know. */
    private void publish(final ManagedDevice device, final String text, final boolean isFailure)
    {
        if (device.device() instanceof RaidDevice)
        {
            operations.onArrayChanged(device.name(), text, isFailure);
        }
        operations.publish(ResourceKind.DEVICE, ResourceChange.CHANGED, device.name(), text);
    }

    private static String operation(final DeviceProgress progress, final boolean isArray)
    {
        return null == progress || isArray && SCRUB.equals(progress.operation()) ? "" : progress.operation();
    }
}
