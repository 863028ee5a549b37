package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_device_attach_iommufd_pt;
import io.millrace.bindings.generated.vfio.vfio_device_bind_iommufd;

/**
 * {@code struct vfio_device_bind_iommufd} and {@code struct vfio_device_attach_iommufd_pt}: a device and what maps
 * memory for it.
 */
public final class VfioAttachment
{
    /** Room for either structure. */
    public static final int SIZE_BYTES =
        (int)Math.max(vfio_device_bind_iommufd.sizeof(), vfio_device_attach_iommufd_pt.sizeof());
    private static final int BIND_BYTES = (int)vfio_device_bind_iommufd.sizeof();
    private static final long BIND_ARGSZ = vfio_device_bind_iommufd.argsz$offset();
    private static final long BIND_FLAGS = vfio_device_bind_iommufd.flags$offset();
    private static final long BIND_IOMMUFD = vfio_device_bind_iommufd.iommufd$offset();
    private static final int ATTACH_BYTES = (int)vfio_device_attach_iommufd_pt.sizeof();
    private static final long ATTACH_ARGSZ = vfio_device_attach_iommufd_pt.argsz$offset();
    private static final long ATTACH_FLAGS = vfio_device_attach_iommufd_pt.flags$offset();
    private static final long ATTACH_PT_ID = vfio_device_attach_iommufd_pt.pt_id$offset();

    private VfioAttachment()
    {
    }

    /**
     * Fills what {@link Vfio#VFIO_DEVICE_BIND_IOMMUFD} takes.
     *
     * @param address    of the structure.
     * @param descriptor of {@code /dev/iommu}.
     */
    public static void bind(final long address, final int descriptor)
    {
        NativeMemory.putInt(address + BIND_ARGSZ, BIND_BYTES);
        NativeMemory.putInt(address + BIND_FLAGS, 0);
        NativeMemory.putInt(address + BIND_IOMMUFD, descriptor);
    }

    /**
     * Fills what {@link Vfio#VFIO_DEVICE_ATTACH_IOMMUFD_PT} takes.
     *
     * @param address of the structure.
     * @param space   number of the address space.
     */
    public static void attach(final long address, final int space)
    {
        NativeMemory.putInt(address + ATTACH_ARGSZ, ATTACH_BYTES);
        NativeMemory.putInt(address + ATTACH_FLAGS, 0);
        NativeMemory.putInt(address + ATTACH_PT_ID, space);
    }
}
