package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_irq_set;

/**
 * {@code struct vfio_irq_set} with event descriptors behind it: what interrupts trigger.
 */
public final class VfioIrqSet
{
    private static final long ARGSZ = vfio_irq_set.argsz$offset();
    private static final long FLAGS = vfio_irq_set.flags$offset();
    private static final long INDEX = vfio_irq_set.index$offset();
    private static final long START = vfio_irq_set.start$offset();
    private static final long COUNT = vfio_irq_set.count$offset();
    private static final long DATA = vfio_irq_set.data$offset();

    private VfioIrqSet()
    {
    }

    /**
     * {@return the size of the structure in bytes}
     *
     * @param count of event descriptors.
     */
    public static int sizeBytes(final int count)
    {
        return (int)DATA + count * Integer.BYTES;
    }

    /**
     * Fills all but the descriptors: those are set with {@link #descriptor}.
     *
     * @param address of the structure.
     * @param flags   {@code VFIO_IRQ_SET_*}.
     * @param index   of the kind, {@code VFIO_PCI_*_IRQ_INDEX}.
     * @param count   of interrupts, from the first on.
     */
    public static void set(final long address, final int flags, final int index, final int count)
    {
        final boolean hasData = 0 == (flags & Vfio.VFIO_IRQ_SET_DATA_NONE);
        NativeMemory.putInt(address + ARGSZ, sizeBytes(hasData ? count : 0));
        NativeMemory.putInt(address + FLAGS, flags);
        NativeMemory.putInt(address + INDEX, index);
        NativeMemory.putInt(address + START, 0);
        NativeMemory.putInt(address + COUNT, count);
    }

    /**
     * Sets what an interrupt signals.
     *
     * @param address of the structure.
     * @param i       which interrupt.
     * @param eventFd descriptor.
     */
    public static void descriptor(final long address, final int i, final int eventFd)
    {
        NativeMemory.putInt(address + DATA + (long)i * Integer.BYTES, eventFd);
    }
}
