package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_irq_info;

/**
 * {@code struct vfio_irq_info}: how many interrupts of a kind a device has.
 */
public final class VfioIrqInfo
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)vfio_irq_info.sizeof();
    private static final long ARGSZ = vfio_irq_info.argsz$offset();
    private static final long FLAGS = vfio_irq_info.flags$offset();
    private static final long INDEX = vfio_irq_info.index$offset();
    private static final long COUNT = vfio_irq_info.count$offset();

    private VfioIrqInfo()
    {
    }

    /**
     * Makes it ready for the call.
     *
     * @param address of the structure, zeroed.
     * @param index   of the kind, {@code VFIO_PCI_*_IRQ_INDEX}.
     */
    public static void init(final long address, final int index)
    {
        NativeMemory.putInt(address + ARGSZ, SIZE_BYTES);
        NativeMemory.putInt(address + INDEX, index);
    }

    /**
     * {@return {@code VFIO_IRQ_INFO_*}}
     *
     * @param address of the structure.
     */
    public static int flags(final long address)
    {
        return NativeMemory.getInt(address + FLAGS);
    }

    /**
     * {@return how many there are}
     *
     * @param address of the structure.
     */
    public static int count(final long address)
    {
        return NativeMemory.getInt(address + COUNT);
    }
}
