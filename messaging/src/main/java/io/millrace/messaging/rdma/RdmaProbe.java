package io.millrace.messaging.rdma;

import io.millrace.bindings.Capability;
import io.millrace.bindings.rdmacm.RdmaCmCalls;
import io.millrace.bindings.verbs.VerbsCalls;
import io.millrace.messaging.transport.TransportReason;
import io.millrace.rdma.RdmaChoice;
import io.millrace.rdma.RdmaDevices;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.RdmaScan;
import io.millrace.rdma.RdmaSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Whether RDMA is available on this machine. Opens devices, so it takes milliseconds: any thread but a reactor's.
 *
 * @param reason {@link TransportReason#RDMA_AVAILABLE}, or why not.
 * @param text   the device, or why there is none and what to do.
 * @param source address of this machine to connect from, where settings choose a device or GID that has one.
 */
public record RdmaProbe(TransportReason reason, String text, Optional<InetAddress> source)
{
    private static final String NOT_PERMITTED = "not permitted";
    private static final String PERMISSION_DENIED = "Permission denied";

    /**
     * {@return one without an address to connect from}
     *
     * @param reason {@link TransportReason#RDMA_AVAILABLE}, or why not.
     * @param text   the device, or why there is none and what to do.
     */
    public static RdmaProbe of(final TransportReason reason, final String text)
    {
        return new RdmaProbe(reason, text, Optional.empty());
    }

    /**
     * {@return the address to connect to a peer from; null for what the route to the peer gives}
     *
     * @param peer where to: an address of another family is reached by its route alone.
     */
    public InetAddress sourceFor(final InetSocketAddress peer)
    {
        return source.filter((each) -> each.getClass() == peer.getAddress().getClass()).orElse(null);
    }

    /**
     * Looks for a device.
     *
     * @param settings which.
     * @return what was found.
     */
    public static RdmaProbe run(final RdmaSettings settings)
    {
        final Capability verbs = VerbsCalls.capability();
        if (!verbs.isAvailable())
        {
            return of(TransportReason.NO_RDMA_LIBRARY, verbs.toString());
        }
        final Capability manager = RdmaCmCalls.capability();
        if (!manager.isAvailable())
        {
            return of(TransportReason.NO_RDMA_LIBRARY, manager.toString());
        }
        try
        {
            final RdmaDevices devices = RdmaScan.run();
            final RdmaChoice choice = RdmaChoice.of(settings, devices);
            if (choice.chosen().isPresent())
            {
                return new RdmaProbe(
                    TransportReason.RDMA_AVAILABLE, choice.chosen().get().toString(), choice.source(settings));
            }
            final boolean isRefused = devices.unusable().stream().anyMatch(
                (each) -> each.reason().contains(PERMISSION_DENIED) || each.reason().contains(NOT_PERMITTED));
            return of(isRefused ? TransportReason.RDMA_NOT_PERMITTED : TransportReason.NO_RDMA_DEVICE,
                refusal(settings, choice));
        }
        catch (final RdmaException e)
        {
            return of(TransportReason.RDMA_FAILED, e.getMessage());
        }
    }

    private static String refusal(final RdmaSettings settings, final RdmaChoice choice)
    {
        try
        {
            return choice.require(settings).toString();
        }
        catch (final RdmaException e)
        {
            return e.getMessage();
        }
    }
}
