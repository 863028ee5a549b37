package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_device_info;

/**
 * {@code struct vfio_device_info}: what a device has.
 */
public final class VfioDeviceInfo
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)vfio_device_info.sizeof();
    private static final long ARGSZ = vfio_device_info.argsz$offset();
    private static final long FLAGS = vfio_device_info.flags$offset();
    private static final long REGIONS = vfio_device_info.num_regions$offset();
    private static final long IRQS = vfio_device_info.num_irqs$offset();

    private VfioDeviceInfo()
    {
    }

    /**
     * Makes it ready for the call.
     *
     * @param address of the structure, zeroed.
     */
    public static void init(final long address)
    {
        NativeMemory.putInt(address + ARGSZ, SIZE_BYTES);
    }

    /**
     * {@return {@code VFIO_DEVICE_FLAGS_*}}
     *
     * @param address of the structure.
     */
    public static int flags(final long address)
    {
        return NativeMemory.getInt(address + FLAGS);
    }
}
