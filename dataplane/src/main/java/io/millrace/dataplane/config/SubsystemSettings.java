package io.millrace.dataplane.config;

import io.millrace.nvme.AnaState;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.transport.TransportAddress;
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
 * @param ana          ANA states it begins with, set in order; what none is for is optimized.
 * @param qos          limits of namespaces among these, and of hosts.
 */
public record SubsystemSettings(
    String nqn,
    String serial,
    String model,
    boolean allowAnyHost,
    List<String> hosts,
    List<NamespaceSettings> namespaces,
    List<AnaSettings> ana,
    List<QosSettings> qos)
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
        ana = List.copyOf(ana);
        qos = List.copyOf(qos);
    }

    /**
     * A subsystem without limits.
     *
     * @param nqn          its NVMe qualified name.
     * @param serial       serial number that hosts see; null derives one from the NQN.
     * @param model        model number that hosts see.
     * @param allowAnyHost whether every host may connect.
     * @param hosts        NQNs of the hosts that may connect when not every host may.
     * @param namespaces   what it holds.
     * @param ana          ANA states it begins with.
     */
    public SubsystemSettings(
        final String nqn,
        final String serial,
        final String model,
        final boolean allowAnyHost,
        final List<String> hosts,
        final List<NamespaceSettings> namespaces,
        final List<AnaSettings> ana)
    {
        this(nqn, serial, model, allowAnyHost, hosts, namespaces, ana, List.of());
    }

    /**
     * A subsystem without limits that begins optimized everywhere.
     *
     * @param nqn          its NVMe qualified name.
     * @param serial       serial number that hosts see; null derives one from the NQN.
     * @param model        model number that hosts see.
     * @param allowAnyHost whether every host may connect.
     * @param hosts        NQNs of the hosts that may connect when not every host may.
     * @param namespaces   what it holds.
     */
    public SubsystemSettings(
        final String nqn,
        final String serial,
        final String model,
        final boolean allowAnyHost,
        final List<String> hosts,
        final List<NamespaceSettings> namespaces)
    {
        this(nqn, serial, model, allowAnyHost, hosts, namespaces, List.of());
    }

    /**
     * A namespace as declared. Immutable.
     *
     * @param nsid     its identifier, from 1.
     * @param device   name of the device it shows; shown by this namespace alone.
     * @param uuid     hosts know it by; null derives one from NQN and identifier, the same in every run.
     * @param anaGroup whose ANA states it has, from 1.
     */
    public record NamespaceSettings(int nsid, String device, UUID uuid, int anaGroup)
    {
        /**
         * A namespace in the default ANA group.
         *
         * @param nsid   its identifier, from 1.
         * @param device name of the device it shows.
         * @param uuid   hosts know it by; null derives one.
         */
        public NamespaceSettings(final int nsid, final String device, final UUID uuid)
        {
            this(nsid, device, uuid, Namespace.ANA_GROUP_DEFAULT);
        }
    }

    /**
     * An ANA state as declared. Immutable.
     *
     * @param listener that has it; null for all.
     * @param group    that has it, from 1; 0 for all.
     * @param state    which.
     */
    public record AnaSettings(TransportAddress listener, int group, AnaState state)
    {
        /**
         * Takes the address in its canonical form.
         *
         * @throws IllegalArgumentException when it is not numeric.
         */
        public AnaSettings
        {
            listener = null == listener ? null : listener.canonical();
        }
    }
}
