package io.millrace.dataplane.snapshot;

import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceProgress;
import io.millrace.block.DeviceStatus;
import io.millrace.dataplane.config.DeviceConfig;
import java.util.List;

/**
 * A device as it is now. Immutable.
 *
 * @param config      as created, with the settings that were applied since.
 * @param description type and, where there is one, path, for messages.
 * @param geometry    with the present size.
 * @param user        its user: {@code namespace NQN/NSID} or {@code device NAME}; null when nothing does.
 * @param state       whether it has a user.
 * @param status      its health, and progress of what it is doing on its own.
 * @param members     names of the devices that it is made of.
 */
public record DeviceSnapshot(
    DeviceConfig config,
    String description,
    BlockGeometry geometry,
    String user,
    DeviceState state,
    DeviceStatus status,
    List<String> members)
{
    /**
     * {@return its name}
     */
    public String name()
    {
        return config.name();
    }

    /**
     * {@return how many depend on it: 0 or 1}
     */
    public int users()
    {
        return null == user ? 0 : 1;
    }

    /**
     * {@return its health; {@link #status()} has the reason}
     */
    public DeviceHealth health()
    {
        return status.health();
    }

    /**
     * {@return progress of what it is doing on its own; null when that is nothing}
     */
    public DeviceProgress progress()
    {
        return status.progress();
    }
}
