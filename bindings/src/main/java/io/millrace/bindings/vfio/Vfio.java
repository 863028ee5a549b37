package io.millrace.bindings.vfio;

import io.millrace.bindings.generated.vfio.vfio_h;

/**
 * Requests of {@code ioctl(2)} on containers, groups and devices, and their arguments, as {@code linux/vfio.h} names
 * them.
 */
public final class Vfio
{
    /** The version that is spoken here. */
    public static final int VFIO_API_VERSION = vfio_h.VFIO_API_VERSION();
    /** An IOMMU whose mappings are removed as they were created; the header has a small v. */
    public static final int VFIO_TYPE1V2_IOMMU = vfio_h.VFIO_TYPE1v2_IOMMU();
    /** No IOMMU: the device reaches all memory. */
    public static final int VFIO_NOIOMMU_IOMMU = vfio_h.VFIO_NOIOMMU_IOMMU();
    /** Container: answers the version. */
    public static final long VFIO_GET_API_VERSION = vfio_h.VFIO_GET_API_VERSION();
    /** Container: answers 1 when it knows a kind of IOMMU. */
    public static final long VFIO_CHECK_EXTENSION = vfio_h.VFIO_CHECK_EXTENSION();
    /** Container with a group: chooses the kind of IOMMU. */
    public static final long VFIO_SET_IOMMU = vfio_h.VFIO_SET_IOMMU();
    /** Group status: no member is driven by a driver of the kernel that could do DMA. */
    public static final int VFIO_GROUP_FLAGS_VIABLE = vfio_h.VFIO_GROUP_FLAGS_VIABLE();
    /** Group: fills a {@link VfioGroupStatus}. */
    public static final long VFIO_GROUP_GET_STATUS = vfio_h.VFIO_GROUP_GET_STATUS();
    /** Group: puts it into the container whose descriptor is at the address. */
    public static final long VFIO_GROUP_SET_CONTAINER = vfio_h.VFIO_GROUP_SET_CONTAINER();
    /** Group: takes it out of its container. */
    public static final long VFIO_GROUP_UNSET_CONTAINER = vfio_h.VFIO_GROUP_UNSET_CONTAINER();
    /** Group in a container: opens the device whose name is at the address. */
    public static final long VFIO_GROUP_GET_DEVICE_FD = vfio_h.VFIO_GROUP_GET_DEVICE_FD();
    /** Device: fills a {@link VfioDeviceInfo}. */
    public static final long VFIO_DEVICE_GET_INFO = vfio_h.VFIO_DEVICE_GET_INFO();
    /** Device info: it can be reset. */
    public static final int VFIO_DEVICE_FLAGS_RESET = vfio_h.VFIO_DEVICE_FLAGS_RESET();
    /** Device info: it is a PCI function. */
    public static final int VFIO_DEVICE_FLAGS_PCI = vfio_h.VFIO_DEVICE_FLAGS_PCI();
    /** Device: resets it. */
    public static final long VFIO_DEVICE_RESET = vfio_h.VFIO_DEVICE_RESET();
    /** Device: fills a {@link VfioRegionInfo}. */
    public static final long VFIO_DEVICE_GET_REGION_INFO = vfio_h.VFIO_DEVICE_GET_REGION_INFO();
    /** Region info: it can be read. */
    public static final int VFIO_REGION_INFO_FLAG_READ = vfio_h.VFIO_REGION_INFO_FLAG_READ();
    /** Region info: it can be written. */
    public static final int VFIO_REGION_INFO_FLAG_WRITE = vfio_h.VFIO_REGION_INFO_FLAG_WRITE();
    /** Region info: it can be mapped, all of it unless capabilities say where. */
    public static final int VFIO_REGION_INFO_FLAG_MMAP = vfio_h.VFIO_REGION_INFO_FLAG_MMAP();
    /** The registers behind base address register 0. */
    public static final int VFIO_PCI_BAR0_REGION_INDEX = vfio_h.VFIO_PCI_BAR0_REGION_INDEX();
    /** The configuration space. */
    public static final int VFIO_PCI_CONFIG_REGION_INDEX = vfio_h.VFIO_PCI_CONFIG_REGION_INDEX();
    /** Device: fills a {@link VfioIrqInfo}. */
    public static final long VFIO_DEVICE_GET_IRQ_INFO = vfio_h.VFIO_DEVICE_GET_IRQ_INFO();
    /** Device: does what a {@link VfioIrqSet} says. */
    public static final long VFIO_DEVICE_SET_IRQS = vfio_h.VFIO_DEVICE_SET_IRQS();
    /** Interrupt info: it signals event descriptors. */
    public static final int VFIO_IRQ_INFO_EVENTFD = vfio_h.VFIO_IRQ_INFO_EVENTFD();
    /** Interrupt set: no data; with {@link #VFIO_IRQ_SET_ACTION_TRIGGER} and no vectors, off. */
    public static final int VFIO_IRQ_SET_DATA_NONE = vfio_h.VFIO_IRQ_SET_DATA_NONE();
    /** Interrupt set: the data are event descriptors. */
    public static final int VFIO_IRQ_SET_DATA_EVENTFD = vfio_h.VFIO_IRQ_SET_DATA_EVENTFD();
    /** Interrupt set: it is about what an interrupt triggers. */
    public static final int VFIO_IRQ_SET_ACTION_TRIGGER = vfio_h.VFIO_IRQ_SET_ACTION_TRIGGER();
    /** MSI-X vectors. */
    public static final int VFIO_PCI_MSIX_IRQ_INDEX = vfio_h.VFIO_PCI_MSIX_IRQ_INDEX();
    /** Not an interrupt of the device: the kernel asks for it back. */
    public static final int VFIO_PCI_REQ_IRQ_INDEX = vfio_h.VFIO_PCI_REQ_IRQ_INDEX();
    /** Container: fills a {@link VfioIommuInfo}. */
    public static final long VFIO_IOMMU_GET_INFO = vfio_h.VFIO_IOMMU_GET_INFO();
    /** Container: maps what a {@link VfioDmaRange} says. */
    public static final long VFIO_IOMMU_MAP_DMA = vfio_h.VFIO_IOMMU_MAP_DMA();
    /** Container: unmaps what a {@link VfioDmaRange} says. */
    public static final long VFIO_IOMMU_UNMAP_DMA = vfio_h.VFIO_IOMMU_UNMAP_DMA();
    /** Mapping: the device may read. */
    public static final int VFIO_DMA_MAP_FLAG_READ = vfio_h.VFIO_DMA_MAP_FLAG_READ();
    /** Mapping: the device may write. */
    public static final int VFIO_DMA_MAP_FLAG_WRITE = vfio_h.VFIO_DMA_MAP_FLAG_WRITE();
    /** {@code /dev/iommu}: makes an address space, see {@link IommuAddressSpace}. */
    public static final long IOMMU_IOAS_ALLOC = vfio_h.IOMMU_IOAS_ALLOC();
    /** {@code /dev/iommu}: says which addresses of a space may be used. */
    public static final long IOMMU_IOAS_IOVA_RANGES = vfio_h.IOMMU_IOAS_IOVA_RANGES();
    /** {@code /dev/iommu}: maps memory in a space. */
    public static final long IOMMU_IOAS_MAP = vfio_h.IOMMU_IOAS_MAP();
    /** {@code /dev/iommu}: unmaps memory in a space. */
    public static final long IOMMU_IOAS_UNMAP = vfio_h.IOMMU_IOAS_UNMAP();
    /** Mapping in a space: at the address that is given. */
    public static final int IOMMU_IOAS_MAP_FIXED_IOVA = vfio_h.IOMMU_IOAS_MAP_FIXED_IOVA();
    /** Mapping in a space: the device may write. */
    public static final int IOMMU_IOAS_MAP_WRITEABLE = vfio_h.IOMMU_IOAS_MAP_WRITEABLE();
    /** Mapping in a space: the device may read. */
    public static final int IOMMU_IOAS_MAP_READABLE = vfio_h.IOMMU_IOAS_MAP_READABLE();
    /** Device by its own file: gives it to a {@code /dev/iommu} descriptor, see {@link VfioAttachment}. */
    public static final long VFIO_DEVICE_BIND_IOMMUFD = vfio_h.VFIO_DEVICE_BIND_IOMMUFD();
    /** Device by its own file: puts it into an address space. */
    public static final long VFIO_DEVICE_ATTACH_IOMMUFD_PT = vfio_h.VFIO_DEVICE_ATTACH_IOMMUFD_PT();

    private Vfio()
    {
    }
}
