package io.millrace.manager.store;

import io.millrace.control.state.DesiredState;
import java.util.Objects;

/**
 * A version of the desired state. Immutable.
 *
 * @param header of it.
 * @param state  that should be.
 */
public record Version(VersionHeader header, DesiredState state)
{
    /**
     * Rejects null.
     */
    public Version
    {
        Objects.requireNonNull(header, "header");
        Objects.requireNonNull(state, "state");
    }

    /**
     * {@return number of it}
     */
    public long number()
    {
        return header.version();
    }
}
