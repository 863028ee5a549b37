package io.millrace.rdma;

import io.millrace.pci.PciAddress;
import java.util.List;
import java.util.Optional;

/**
 * A device as it was when it was read. Immutable; any thread.
 *
 * @param name             the kernel's, such as {@code mlx5_0}.
 * @param file             by which it is opened, such as {@code /dev/infiniband/uverbs0}.
 * @param nodeType         kind of device.
 * @param firmware         revision; empty when the device reports none.
 * @param nodeGuid         GUID of the device.
 * @param systemImageGuid  GUID that the devices of one adapter have in common.
 * @param vendorId         IEEE number of the vendor.
 * @param vendorPartId     number that the vendor gave to the part.
 * @param pciAddress       of the adapter; empty for a device in software.
 * @param numaNode         of the adapter; -1 when the kernel reports none.
 * @param limits           what it has of everything.
 * @param atomics          what its atomics are atomic with.
 * @param onDemandPaging   what it does with memory that is not pinned.
 * @param ports            by number.
 */
public record RdmaDevice(
    String name,
    String file,
    NodeType nodeType,
    String firmware,
    long nodeGuid,
    long systemImageGuid,
    int vendorId,
    int vendorPartId,
    Optional<PciAddress> pciAddress,
    int numaNode,
    RdmaLimits limits,
    AtomicCapability atomics,
    OnDemandPaging onDemandPaging,
    List<RdmaPort> ports)
{
    /** Copies the list. */
    public RdmaDevice
    {
        ports = List.copyOf(ports);
    }

    /**
     * {@return a GUID as the kernel writes it, such as {@code 5054:00ff:fe12:3456}}
     *
     * @param guid of a device.
     */
    public static String text(final long guid)
    {
        return RdmaGid.groups(guid);
    }
}
