package io.millrace.dataplane.config;

import java.util.Locale;

/**
 * Whose target serves a listener.
 */
public enum ListenerProvider
{
    /** Millrace's own. */
    MILLRACE,
    /** SPDK's, in the same process, with the same subsystems. */
    SPDK;

    /**
     * {@return name of it in commands and configurations: {@code spdk}}
     */
    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT);
    }
}
