package io.millrace.control.message;

import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * A block device of a data plane.
 *
 * @param spec             the device as it would be created now.
 * @param sizeBytes        now.
 * @param blockSizeBytes   of a block.
 * @param users            namespaces and devices that depend on it.
 * @param members          names of the devices below it.
 * @param state            now; {@link DeviceState#NULL_VAL}: of the desired state.
 * @param health           now; {@link DeviceHealth#NULL_VAL}: of the desired state.
 * @param reason           why it is not {@link DeviceHealth#ONLINE}, a sentence, or empty.
 * @param operation        what it does on its own, such as {@code rebuild}, or empty.
 * @param progressPerMille of the operation, 0 to 1000; {@link Resource#UNKNOWN}: it has none.
 */
public record DeviceInfo(
    DeviceSpec spec,
    long sizeBytes,
    int blockSizeBytes,
    int users,
    List<String> members,
    DeviceState state,
    DeviceHealth health,
    String reason,
    String operation,
    int progressPerMille)
    implements Resource
{
    /**
     * Copies the list; rejects null.
     */
    public DeviceInfo
    {
        Objects.requireNonNull(spec, "spec");
        members = List.copyOf(members);
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(health, "health");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(operation, "operation");
    }

    /**
     * {@return name of the device}
     */
    public String name()
    {
        return spec.name();
    }

    /**
     * {@return type of the device}
     */
    public String type()
    {
        return spec.type();
    }

    /**
     * The device as another incarnation.
     *
     * @param value its incarnation.
     * @return the device.
     */
    public DeviceInfo with(final UUID value)
    {
        return new DeviceInfo(
            spec.with(value), sizeBytes, blockSizeBytes, users, members, state, health, reason, operation,
            progressPerMille);
    }
}
