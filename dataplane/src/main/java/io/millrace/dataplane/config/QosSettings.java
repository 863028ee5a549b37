package io.millrace.dataplane.config;

import io.millrace.nvmf.qos.QosLimits;
import java.util.Objects;

/**
 * Limits of a namespace, or of a host, of a subsystem as declared. Immutable.
 *
 * @param nsid    of the namespace; 0 when they are a host's.
 * @param hostNqn of the host; empty when they are a namespace's.
 * @param limits  at least one.
 */
public record QosSettings(int nsid, String hostNqn, QosLimits limits)
{
    /**
     * Refuses null.
     */
    public QosSettings
    {
        Objects.requireNonNull(hostNqn, "hostNqn");
        Objects.requireNonNull(limits, "limits");
    }

    /**
     * {@return whether the limits are a namespace's, not a host's}
     */
    public boolean isNamespace()
    {
        return 0 != nsid;
    }
}
