package io.millrace.dataplane.config;

import io.millrace.spdk.SpdkConfig;
import java.util.Objects;

/**
 * SPDK in a data plane. Immutable.
 *
 * @param config  that SPDK starts with.
 * @param atStart whether SPDK starts with the data plane; else with the first device that needs it.
 */
public record SpdkSettings(SpdkConfig config, boolean atStart)
{
    /** SPDK with its defaults, when a device needs it. */
    public static final SpdkSettings DEFAULTS = new SpdkSettings(SpdkConfig.defaults(), false);

    /**
     * Rejects null.
     */
    public SpdkSettings
    {
        Objects.requireNonNull(config, "config");
    }
}
