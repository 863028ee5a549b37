package io.millrace.dataplane;

import io.millrace.block.BlockGeometry;

/**
 * A device as it is now. Immutable.
 *
 * @param config      as created, with the settings that were applied since.
 * @param description type and, where there is one, path, for messages.
 * @param geometry    with the present size.
 * @param user        its user: {@code namespace NQN/NSID} or {@code device NAME}; null when nothing does.
 */
public record DeviceSnapshot(DeviceConfig config, String description, BlockGeometry geometry, String user)
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
}
