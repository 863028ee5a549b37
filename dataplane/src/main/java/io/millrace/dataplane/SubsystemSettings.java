package io.millrace.dataplane;

import java.util.List;
import java.util.UUID;

/**
 * An NVM subsystem as declared. Immutable.
 *
 * @param nqn          its NVMe qualified name.
 * @param serial       serial number that hosts see; null derives one from the NQN, the same in every run.
 * @param model        model number that hosts see.
 * @param allowAnyHost whether every host may connect.
 * @param hosts        NQNs of the hosts that may connect when not every host may.
 * @param namespaces   what it holds.
 */
public record SubsystemSettings(
    String nqn,
    String serial,
    String model,
    boolean allowAnyHost,
    List<String> hosts,
    List<NamespaceSettings> namespaces)
{
    /** Model number when none is given. */
    public static final String MODEL_DEFAULT = "Millrace";

    /**
     * Copies the lists.
     */
    public SubsystemSettings
    {
        hosts = List.copyOf(hosts);
        namespaces = List.copyOf(namespaces);
    }

    /**
     * A namespace as declared. Immutable.
     *
     * @param nsid   its identifier, from 1.
     * @param device name of the device it shows; shown by this namespace alone.
     * @param uuid   hosts know it by; null derives one from NQN and identifier, the same in every run.
     */
    public record NamespaceSettings(int nsid, String device, UUID uuid)
    {
    }
}
