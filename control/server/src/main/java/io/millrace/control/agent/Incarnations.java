package io.millrace.control.agent;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.OperationException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Incarnations of the devices of a data plane, which distinguish a deleted device from a later one with the same name.
 * A new device gets the incarnation of its command, or a unique one. A device in the configuration has the same
 * incarnation at each start. Any thread but a reactor's, one at a time; lookups on any thread.
 */
final class Incarnations
{
    private final Map<String, UUID> byName = new ConcurrentHashMap<>();
    private final Supplier<UUID> random;
    private final Predicate<String> isThere;

    /**
     * @param kept    state that the data plane was restored to; a device in it without an incarnation stays without, as
     *                it was kept by a version that knew of none. Null: it began with its configuration.
     * @param isThere tells whether there is a device of a name.
     * @param random  makes up the incarnations of devices that are created without one.
     */
    Incarnations(final DesiredState kept, final Predicate<String> isThere, final Supplier<UUID> random)
    {
        this.isThere = isThere;
        this.random = random;
        if (null != kept)
        {
            kept.devices().values().forEach((each) -> byName.put(each.name(), each.incarnation()));
        }
    }

    static Incarnations of(final DataPlane dataPlane, final DesiredState kept)
    {
        return new Incarnations(kept, (name) -> isThere(dataPlane, name), UUID::randomUUID);
    }

    private static boolean isThere(final DataPlane dataPlane, final String device)
    {
        try
        {
            dataPlane.devices().get(device);
            return true;
        }
        catch (final OperationException _)
        {
            return false;
        }
    }

    /** The device with its incarnation. */
    DeviceInfo of(final DeviceInfo device)
    {
        return device.spec().hasIncarnation() ?
            device.with(byName.computeIfAbsent(device.name(), Incarnations::declared)) : device;
    }

    private static UUID declared(final String device)
    {
        return UUID.nameUUIDFromBytes(("declared device " + device).getBytes(StandardCharsets.UTF_8));
    }

    /** The command with an incarnation for a created device. */
    Command named(final Command command)
    {
        return command instanceof final Command.CreateDevice create && create.device().hasIncarnation() &&
            DeviceSpec.NO_INCARNATION.equals(create.device().incarnation()) && !isThere.test(create.device().name()) ?
            new Command.CreateDevice(create.device().with(random.get())) : command;
    }

    /** A command that {@link #named} returned was executed. */
    Reply onDone(final Command command, final Reply reply)
    {
        if (Code.OK == reply.code())
        {
            switch (command)
            {
                case final Command.CreateDevice create ->
                {
                    if (!DeviceSpec.NO_INCARNATION.equals(create.device().incarnation()))
                    {
                        byName.put(create.device().name(), create.device().incarnation());
                    }
                }
                case final Command.DeleteDevice delete -> byName.remove(delete.name());
                default ->
                {
                }
            }
        }
        return reply;
    }
}
