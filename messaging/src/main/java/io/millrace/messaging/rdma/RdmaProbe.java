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

/**
 * Whether RDMA is available on this machine. Opens devices, so it takes milliseconds: any thread but a reactor's.
 *
 * @param reason {@link TransportReason#RDMA_AVAILABLE}, or why not.
 * @param text   the device, or why there is none and what to do.
 */
public record RdmaProbe(TransportReason reason, String text)
{
    private static final String NOT_PERMITTED = "not permitted";
    private static final String PERMISSION_DENIED = "Permission denied";

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
            return new RdmaProbe(TransportReason.NO_RDMA_LIBRARY, verbs.toString());
        }
        final Capability manager = RdmaCmCalls.capability();
        if (!manager.isAvailable())
        {
            return new RdmaProbe(TransportReason.NO_RDMA_LIBRARY, manager.toString());
        }
        try
        {
            final RdmaDevices devices = RdmaScan.run();
            final RdmaChoice choice = RdmaChoice.of(settings, devices);
            if (choice.chosen().isPresent())
            {
                return new RdmaProbe(TransportReason.RDMA_AVAILABLE, choice.chosen().get().toString());
            }
            final boolean isRefused = devices.unusable().stream().anyMatch(
                (each) -> each.reason().contains(PERMISSION_DENIED) || each.reason().contains(NOT_PERMITTED));
            return new RdmaProbe(isRefused ? TransportReason.RDMA_NOT_PERMITTED : TransportReason.NO_RDMA_DEVICE,
                refusal(settings, choice));
        }
        catch (final RdmaException e)
        {
            return new RdmaProbe(TransportReason.RDMA_FAILED, e.getMessage());
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
