package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_group_status;

/**
 * {@code struct vfio_group_status}.
 */
public final class VfioGroupStatus
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)vfio_group_status.sizeof();
    private static final long ARGSZ = vfio_group_status.argsz$offset();
    private static final long FLAGS = vfio_group_status.flags$offset();

    private VfioGroupStatus()
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
     * {@return {@link Vfio#VFIO_GROUP_FLAGS_VIABLE}}
     *
     * @param address of the structure.
     */
    public static int flags(final long address)
    {
        return NativeMemory.getInt(address + FLAGS);
    }
}
