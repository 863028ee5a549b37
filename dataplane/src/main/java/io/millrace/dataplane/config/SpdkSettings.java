package io.millrace.dataplane.config;

import io.millrace.spdk.SpdkConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * SPDK in a data plane. Immutable.
 *
 * @param config    that SPDK starts with.
 * @param atStart   whether SPDK starts with the data plane; else with the first device that needs it.
 * @param exports   names of devices that SPDK has as bdevs.
 * @param frontEnds file with SPDK's JSON configuration of what serves them; null: none.
 */
public record SpdkSettings(SpdkConfig config, boolean atStart, List<String> exports, Path frontEnds)
{
    /** SPDK with its defaults, when a device needs it. */
    public static final SpdkSettings DEFAULTS = new SpdkSettings(SpdkConfig.defaults(), false, List.of(), null);

    /**
     * Rejects null.
     */
    public SpdkSettings
    {
        Objects.requireNonNull(config, "config");
        exports = List.copyOf(exports);
    }

    /**
     * {@return the settings without devices that SPDK serves}
     */
    public SpdkSettings withoutExports()
    {
        return new SpdkSettings(config, atStart, List.of(), null);
    }
}
