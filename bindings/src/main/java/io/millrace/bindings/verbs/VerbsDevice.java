package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;

/**
 * {@code struct ibv_device}, by address: a device that is not open. Set-up only.
 */
public final class VerbsDevice
{
    private static final long NODE_TYPE = verbs_h.IBV_DEVICE_NODE_TYPE();
    private static final long TRANSPORT_TYPE = verbs_h.IBV_DEVICE_TRANSPORT_TYPE();
    private static final long NAME = verbs_h.IBV_DEVICE_NAME();
    private static final long DEV_NAME = verbs_h.IBV_DEVICE_DEV_NAME();
    private static final int NAME_BYTES = (int)(DEV_NAME - NAME);

    private VerbsDevice()
    {
    }

    /**
     * {@return {@code IBV_NODE_*}}
     *
     * @param address of the structure.
     */
    public static int nodeType(final long address)
    {
        return NativeMemory.getInt(address + NODE_TYPE);
    }

    /**
     * {@return {@code IBV_TRANSPORT_*}}
     *
     * @param address of the structure.
     */
    public static int transportType(final long address)
    {
        return NativeMemory.getInt(address + TRANSPORT_TYPE);
    }

    /**
     * {@return the kernel's name of it, such as {@code mlx5_0}}
     *
     * @param address of the structure.
     */
    public static String name(final long address)
    {
        return NativeMemory.getString(address + NAME, NAME_BYTES);
    }

    /**
     * {@return the name of the file by which it is opened, such as {@code uverbs0} in {@code /dev/infiniband}}
     *
     * @param address of the structure.
     */
    public static String fileName(final long address)
    {
        return NativeMemory.getString(address + DEV_NAME, NAME_BYTES);
    }
}
