package io.millrace.spdk;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;

/**
 * SPDK's NVMe-oF target in this process, by the methods of its JSON-RPC. Off the reactors; each method returns when
 * SPDK has carried it out, and throws an {@link SpdkException} that says why SPDK refuses.
 */
public final class NvmfTarget
{
    /** NQN of SPDK's discovery service, which has listeners as subsystems have. */
    public static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";
    /**
     * Largest id of a namespace: Linux leaves out ANA where the log page with all groups, which are as many, is longer
     * than a transfer.
     */
    public static final int NSID_MAX = 1024;
    /** SPDK's name of vfio-user. */
    public static final String VFIO_USER = "VFIOUSER";
    /** Commands of a queue at a time. A connection takes memory for all of them before its host is known. */
    static final int QUEUE_DEPTH = 32;
    /** As SPDK names the target that it makes itself. */
    private static final String TARGET = "\"tgt_name\": \"nvmf_tgt\"";
    /** Requests to devices have this long to end before {@code onLate} of a method is run. */
    private static final long LATE_MS = 5_000;

    private final SpdkRuntime runtime;
    private final Set<String> transports = new HashSet<>();

    NvmfTarget(final SpdkRuntime runtime)
    {
        this.runtime = runtime;
    }

    /**
     * An address that hosts connect to.
     *
     * @param transport {@code TCP}, {@code RDMA} or {@link #VFIO_USER}.
     * @param family    {@code IPv4} or {@code IPv6}; empty of vfio-user.
     * @param address   numeric, or a directory.
     * @param service   port; empty of vfio-user.
     */
    public record Address(String transport, String family, String address, String service)
    {
        /**
         * {@return an address of vfio-user}
         *
         * @param directory of the socket.
         */
        public static Address vfioUser(final String directory)
        {
            return new Address(VFIO_USER, "", directory, "");
        }

        String json()
        {
            return "{\"trtype\": " + quote(transport) + (family.isEmpty() ? "" : ", \"adrfam\": " + quote(family)) +
                ", \"traddr\": " + quote(address) + ", \"trsvcid\": " + quote(service) + '}';
        }
    }

    /** ANA states that SPDK has. */
    public enum AnaState
    {
        /** Hosts prefer the listener. */
        OPTIMIZED("optimized"),
        /** Hosts use the listener when no other is optimized. */
        NON_OPTIMIZED("non_optimized"),
        /** Commands to namespaces are refused. */
        INACCESSIBLE("inaccessible");

        private final String text;

        AnaState(final String text)
        {
            this.text = text;
        }
    }

    /**
     * Makes a transport, unless this has made it before. It refuses reservations and fused commands, of which those who
     * access a device by another target than SPDK's would know nothing.
     *
     * @param type {@code TCP}, {@code RDMA} or {@link #VFIO_USER}.
     */
    public void addTransport(final String type)
    {
        if (transports.contains(type))
        {
            return;
        }
        runtime.serving();
        runtime.call("nvmf_create_transport",
            TARGET + ", \"trtype\": " + quote(type) +
            (VFIO_USER.equals(type) ? "" : ", \"max_queue_depth\": " + QUEUE_DEPTH) +
            ", \"masked_oncs\": [\"reservs\"], \"masked_fuses\": [\"fcws\"]");
        transports.add(type);
    }

    /**
     * Makes a subsystem without namespaces, hosts and listeners. It is changed by this class alone, as what others
     * changed by JSON-RPC the data plane would not know.
     *
     * @param nqn          of the subsystem.
     * @param serial       that hosts see.
     * @param model        that hosts see.
     * @param allowAnyHost whether every host may connect.
     * @param firstId      of controllers.
     * @param lastId       of controllers.
     */
    public void createSubsystem(
        final String nqn,
        final String serial,
        final String model,
        final boolean allowAnyHost,
        final int firstId,
        final int lastId)
    {
        runtime.call("nvmf_create_subsystem", subsystem(nqn) + ", \"serial_number\": " + quote(serial) +
            ", \"model_number\": " + quote(model) + ", \"allow_any_host\": " + allowAnyHost +
            ", \"ana_reporting\": true, \"max_namespaces\": " + NSID_MAX + ", \"min_cntlid\": " + firstId +
            ", \"max_cntlid\": " + lastId);
    }

    /**
     * Deletes a subsystem. Its hosts are disconnected, when what they have under way has ended.
     *
     * @param nqn    of the subsystem.
     * @param onLate run when that takes longer than five seconds, to have it end.
     */
    public void deleteSubsystem(final String nqn, final Runnable onLate)
    {
        runtime.call("nvmf_delete_subsystem", subsystem(nqn), LATE_MS, onLate);
    }

    /**
     * Adds a namespace, which goes with its bdev. Hosts are notified.
     *
     * @param nqn      of the subsystem.
     * @param nsid     of the namespace, up to {@link #NSID_MAX}.
     * @param bdev     of the namespace.
     * @param uuid     of the namespace, its NGUID too.
     * @param anaGroup of the namespace, up to {@link #NSID_MAX}.
     */
    public void addNamespace(
        final String nqn, final int nsid, final String bdev, final UUID uuid, final int anaGroup)
    {
        runtime.call("nvmf_subsystem_add_ns", subsystem(nqn) + ", \"namespace\": {\"nsid\": " + nsid +
            ", \"bdev_name\": " + quote(bdev) + ", \"uuid\": " + quote(uuid.toString()) + ", \"nguid\": " +
            quote(uuid.toString().replace("-", "")) + ", \"anagrpid\": " + anaGroup + '}');
    }

    /**
     * Waits until no request to a namespace is left of those that came before, five seconds at most.
     *
     * @param nqn      of the subsystem.
     * @param nsid     of the namespace.
     * @param anaGroup that it has.
     */
    public void drainNamespace(final String nqn, final int nsid, final int anaGroup)
    {
        // SPDK pauses the namespace before it sets the group that it has already.
        runtime.call("nvmf_subsystem_set_ns_ana_group",
            subsystem(nqn) + ", \"nsid\": " + nsid + ", \"anagrpid\": " + anaGroup, LATE_MS, () ->
            {
                throw new SpdkException("spdk: requests to namespace " + nsid + " of " + nqn +
                    " have not ended after " + LATE_MS / 1000 + " s");
            });
    }

    /**
     * Allows every host, or listed ones alone. Those that are connected stay.
     *
     * @param nqn       of the subsystem.
     * @param isAllowed which of both.
     */
    public void allowAnyHost(final String nqn, final boolean isAllowed)
    {
        runtime.call("nvmf_subsystem_allow_any_host", subsystem(nqn) + ", \"allow_any_host\": " + isAllowed);
    }

    /**
     * Adds a host to the list of a subsystem.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     */
    public void addHost(final String nqn, final String hostNqn)
    {
        runtime.call("nvmf_subsystem_add_host", subsystem(nqn) + ", \"host\": " + quote(hostNqn));
    }

    /**
     * Removes a host from the list of a subsystem, and disconnects it. This fails when its requests have not ended
     * after five seconds; it is off the list then all the same.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     */
    public void removeHost(final String nqn, final String hostNqn)
    {
        runtime.call("nvmf_subsystem_remove_host", subsystem(nqn) + ", \"host\": " + quote(hostNqn) +
            ", \"timeout_ms\": " + LATE_MS);
    }

    /**
     * Has a subsystem reached at an address, on which SPDK begins to listen with the first subsystem.
     *
     * @param nqn     of the subsystem, or {@link #DISCOVERY}.
     * @param address of the listener.
     * @param state   of all ANA groups there.
     */
    public void addListener(final String nqn, final Address address, final AnaState state)
    {
        runtime.call("nvmf_subsystem_add_listener", subsystem(nqn) + ", \"listen_address\": " + address.json() +
            (DISCOVERY.equals(nqn) ? "" : ", \"ana_state\": " + quote(state.text)), LATE_MS, () ->
            {
                throw late(nqn, "is reached there later");
            });
    }

    /** SPDK changes a subsystem when what it waits for there has ended, and then in the order of the calls. */
    private static SpdkException late(final String nqn, final String effect)
    {
        return new SpdkException("spdk: requests to a device of " + nqn + " have not ended after " + LATE_MS / 1000 +
            " s: it " + effect + ", when they have or their namespace is removed");
    }

    /**
     * Ends that a subsystem is reached at an address, and disconnects the hosts that reached it there: no command of
     * them begins then, and those that have begun may go on. With the last subsystem SPDK ends listening.
     *
     * @param nqn     of the subsystem, or {@link #DISCOVERY}.
     * @param address of the listener.
     */
    public void removeListener(final String nqn, final Address address)
    {
        runtime.call("nvmf_subsystem_remove_listener", subsystem(nqn) + ", \"listen_address\": " + address.json(),
            LATE_MS, () ->
            {
                throw late(nqn, "loses the listener and its hosts later");
            });
    }

    /**
     * Sets the ANA state of a group at a listener. Commands that came before may go on. SPDK changes a subsystem when
     * what it waits for there has ended: after five seconds this fails, and the state is set later.
     *
     * @param nqn     of the subsystem.
     * @param address of the listener.
     * @param group   from 1, up to {@link #NSID_MAX}.
     * @param state   of the group there.
     */
    public void anaState(final String nqn, final Address address, final int group, final AnaState state)
    {
        runtime.call("nvmf_subsystem_listener_set_ana_state", subsystem(nqn) + ", \"listen_address\": " +
            address.json() + ", \"ana_state\": " + quote(state.text) + ", \"anagrpid\": " + group, LATE_MS, () ->
            {
                throw new SpdkException("spdk: ANA group " + group + " of " + nqn + " is not " + state.text +
                    " after " + LATE_MS / 1000 + " s, as requests to a device of the subsystem have not ended: set " +
                    "it again");
            });
    }

    /** Where JSON-RPC made further targets, SPDK has to be told which. */
    private static String subsystem(final String nqn)
    {
        return TARGET + ", \"nqn\": " + quote(nqn);
    }

    /** {@return a text as JSON has it} */
    static String quote(final String text)
    {
        final StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++)
        {
            final char c = text.charAt(i);
            if ('"' == c || '\\' == c)
            {
                quoted.append('\\').append(c);
            }
            else if (c < ' ')
            {
                quoted.append("\\u").append(HexFormat.of().toHexDigits(c));
            }
            else
            {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
