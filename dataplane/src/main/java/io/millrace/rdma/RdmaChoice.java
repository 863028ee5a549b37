package io.millrace.rdma;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * The device, port and GID that settings come to, and why each other one was not chosen. Of what settings allow, ports
 * that are not active and transports without reliable connections are left out; then decide, in this order:
 * <ol>
 * <li>an adapter, before a device in software;
 * <li>the address: RoCE v2 over IPv4, InfiniBand and iWARP first, then RoCE v2 over a global IPv6 address, RoCE v2 over
 *     a link-local one, RoCE v1;
 * <li>the higher rate of the link;
 * <li>the name of the device, the number of the port, the index of the GID, the lower first.
 * </ol>
 * Immutable; any thread.
 *
 * @param chosen     what was taken; empty when nothing can be used.
 * @param rejections the others.
 */
public record RdmaChoice(Optional<Candidate> chosen, List<Rejection> rejections)
{
    private static final List<Preference> PREFERENCES = List.of(
        new Preference(Comparator.comparing((Candidate each) -> each.device().pciAddress().isEmpty()),
            (each) -> each.device().pciAddress().isEmpty() ? "a software device" : "an adapter"),
        new Preference(Comparator.comparing(Candidate::address), Candidate::addressText),
        new Preference(Comparator.comparingDouble((Candidate each) -> -each.port().gigabitsPerSecond()),
            (each) -> rate(each.port())),
        new Preference(Comparator.comparing((Candidate each) -> each.device().name()), (each) -> each.device().name()),
        new Preference(Comparator.comparingInt((Candidate each) -> each.port().number()),
            (each) -> "port " + each.port().number()),
        new Preference(Comparator.comparingInt((Candidate each) -> each.gid().index()),
            (each) -> "GID " + each.gid().index()));

    /** Copies the list. */
    public RdmaChoice
    {
        rejections = List.copyOf(rejections);
    }

    /**
     * {@return the address to connect from, that of what was taken; empty where the settings leave the choice to the
     *     route to a peer, and where the GID has no IP address}
     *
     * @param settings by which it was taken.
     */
    public Optional<InetAddress> source(final RdmaSettings settings)
    {
        return settings.isChosen() ? chosen.flatMap((each) -> each.gid().ipAddress()) : Optional.empty();
    }

    /** Kinds of addresses, the preferred first. */
    private enum Address
    {
        BEST, ROCE_V2_IPV6, ROCE_V2_LINK_LOCAL, ROCE_V1
    }

    /**
     * A GID of a port of a device.
     *
     * @param device that has the port.
     * @param port   that has the GID.
     * @param gid    to use.
     */
    public record Candidate(RdmaDevice device, RdmaPort port, RdmaGid gid)
    {
        private Address address()
        {
            if (RdmaTransport.ROCE != port.transport())
            {
                return Address.BEST;
            }
            if (GidType.ROCE_V2 != gid.type())
            {
                return Address.ROCE_V1;
            }
            return gid.isIpv4() ? Address.BEST :
                gid.isLinkLocal() ? Address.ROCE_V2_LINK_LOCAL : Address.ROCE_V2_IPV6;
        }

        private String addressText()
        {
            return switch (address())
            {
                case BEST -> RdmaTransport.ROCE == port.transport() ? "RoCE v2 over IPv4" : port.transport().toString();
                case ROCE_V2_IPV6 -> "RoCE v2 over IPv6";
                case ROCE_V2_LINK_LOCAL -> "RoCE v2 over a link-local address";
                case ROCE_V1 -> "RoCE v1";
            };
        }

        /**
         * {@return for example {@code mlx5_0 port 1 GID 3 (RoCE v2 ::ffff:192.0.2.1)}}
         */
        @Override
        public String toString()
        {
            return device.name() + " port " + port.number() + " " + gid;
        }
    }

    /**
     * What was not taken.
     *
     * @param name   of a device, with port and GID where they decided.
     * @param reason why not.
     */
    public record Rejection(String name, String reason)
    {
    }

    /** One step of the order, and what a candidate has in it. */
    private record Preference(Comparator<Candidate> order, Function<Candidate, String> text)
    {
    }

    /**
     * Chooses.
     *
     * @param settings of the user.
     * @param devices  of the machine.
     * @return the choice.
     */
    public static RdmaChoice of(final RdmaSettings settings, final RdmaDevices devices)
    {
        final List<Candidate> candidates = new ArrayList<>();
        final List<Rejection> rejections = new ArrayList<>();
        for (final RdmaDevices.Unusable device : devices.unusable())
        {
            rejections.add(new Rejection(device.name(), device.reason()));
        }
        for (final RdmaDevice device : devices.usable())
        {
            if (!RdmaSettings.AUTO.equals(settings.device()) && !settings.device().equals(device.name()))
            {
                rejections.add(new Rejection(device.name(), "excluded by device " + settings.device()));
                continue;
            }
            for (final RdmaPort port : device.ports())
            {
                collect(settings, device, port, candidates, rejections);
            }
        }
        candidates.sort(PREFERENCES.stream().map(Preference::order).reduce(Comparator::thenComparing).orElseThrow());
        for (int i = 1; i < candidates.size(); i++)
        {
            rejections.add(new Rejection(candidates.get(i).toString(),
                difference(candidates.getFirst(), candidates.get(i))));
        }
        return new RdmaChoice(candidates.stream().findFirst(), rejections);
    }

    private static void collect(
        final RdmaSettings settings,
        final RdmaDevice device,
        final RdmaPort port,
        final List<Candidate> candidates,
        final List<Rejection> rejections)
    {
        final String name = device.name() + " port " + port.number();
        final String reason = unfit(settings, port);
        if (!reason.isEmpty())
        {
            rejections.add(new Rejection(name, reason));
            return;
        }
        for (final RdmaGid gid : port.gids())
        {
            if (RdmaSettings.ANY == settings.gidIndex() || settings.gidIndex() == gid.index())
            {
                candidates.add(new Candidate(device, port, gid));
            }
            else
            {
                rejections.add(new Rejection(name + " " + gid, "excluded by gid-index " + settings.gidIndex()));
            }
        }
    }

    /** Why no GID of a port can be taken; empty when one can. */
    private static String unfit(final RdmaSettings settings, final RdmaPort port)
    {
        if (RdmaSettings.ANY != settings.port() && settings.port() != port.number())
        {
            return "excluded by port " + settings.port();
        }
        if (RdmaTransport.OTHER == port.transport())
        {
            return "its transport has no reliable connections";
        }
        if (!port.isActive())
        {
            return "the port is " + lower(port.state()) + ", its link " +
                lower(port.physicalState()).replace("link ", "") + ": " + remedy(port);
        }
        return port.gids().isEmpty() ? "the port has no GID: give its network interface an address" : "";
    }

    private static String remedy(final RdmaPort port)
    {
        if (LinkLayer.ETHERNET == port.linkLayer())
        {
            return "check the cable, and set its network interface up: ip link set " + port.gids().stream()
                .map(RdmaGid::networkInterface).filter((each) -> !each.isEmpty()).findFirst().orElse("INTERFACE") +
                " up";
        }
        return PhysicalState.LINK_UP == port.physicalState() ? "start a subnet manager, such as opensm" :
            "check the cable and the switch";
    }

    private static String difference(final Candidate chosen, final Candidate other)
    {
        final Preference decides = PREFERENCES.stream()
            .filter((each) -> 0 != each.order().compare(chosen, other)).findFirst().orElseThrow();
        return decides.text().apply(chosen) + " is preferred to " + decides.text().apply(other);
    }

    private static String rate(final RdmaPort port)
    {
        final double rate = port.gigabitsPerSecond();
        return (rate == Math.rint(rate) ? Long.toString((long)rate) : Double.toString(rate)) + " Gbit/s";
    }

    private static String lower(final Enum<?> state)
    {
        return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /**
     * {@return what was taken}
     *
     * @param settings that were chosen by.
     * @throws RdmaException when nothing can be used, with a reason for each device.
     */
    public Candidate require(final RdmaSettings settings)
    {
        if (chosen.isPresent())
        {
            return chosen.get();
        }
        final StringBuilder text = new StringBuilder("no RDMA port for ").append(settings);
        if (rejections.isEmpty())
        {
            text.append(": there is no device; load the driver of the adapter, or rdma_rxe for a software device");
        }
        rejections.forEach((each) -> text.append("; ").append(each.name()).append(": ").append(each.reason()));
        throw new RdmaException(text.toString());
    }
}
