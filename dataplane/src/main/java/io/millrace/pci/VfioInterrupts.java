package io.millrace.pci;

import io.millrace.bindings.linux.Files;
import io.millrace.bindings.vfio.Vfio;
import io.millrace.bindings.vfio.VfioIrqInfo;
import io.millrace.bindings.vfio.VfioIrqSet;
import java.lang.foreign.Arena;

/**
 * Event descriptors for one kind of a function's interrupts. The kernel takes them all at once, so they are made
 * together when the first is asked for. Any thread but a reactor's.
 */
final class VfioInterrupts implements AutoCloseable
{
    private static final int[] NONE = {};

    private final DeviceFile device;
    private final int kind;
    private final int countMax;
    private int[] fds;

    /**
     * Creates an instance without descriptors.
     *
     * @param device   of the interrupts.
     * @param kind     {@code VFIO_PCI_*_IRQ_INDEX}.
     * @param countMax how many are wanted at most; each takes a vector of a CPU.
     */
    VfioInterrupts(final DeviceFile device, final int kind, final int countMax)
    {
        this.device = device;
        this.kind = kind;
        this.countMax = countMax;
    }

    /**
     * {@return an event descriptor, or -1 when there is none for that number}
     *
     * @param vector number, from 0.
     */
    synchronized int fd(final int vector)
    {
        if (null == fds)
        {
            fds = enable(Math.min(count(), countMax));
        }
        return vector >= 0 && vector < fds.length ? fds[vector] : -1;
    }

    private int count()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long info = arena.allocate(VfioIrqInfo.SIZE_BYTES, Long.BYTES).address();
            VfioIrqInfo.init(info, kind);
            final boolean canSignal = device.call(Vfio.VFIO_DEVICE_GET_IRQ_INFO, info) >= 0 &&
                0 != (VfioIrqInfo.flags(info) & Vfio.VFIO_IRQ_INFO_EVENTFD);
            return canSignal ? VfioIrqInfo.count(info) : 0;
        }
    }

    /** When the kernel has fewer vectors than wanted it says how many, and these are taken. */
    private int[] enable(final int wanted)
    {
        int count = wanted;
        while (count > 0)
        {
            final int[] made = eventFds(count);
            final int result = set(Vfio.VFIO_IRQ_SET_DATA_EVENTFD, made);
            if (0 == result)
            {
                return made;
            }
            close(made);
            count = Math.min(count - 1, result);
        }
        return NONE;
    }

    private int set(final int data, final int[] eventFds)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long set = arena.allocate(VfioIrqSet.sizeBytes(eventFds.length), Long.BYTES).address();
            VfioIrqSet.set(set, data | Vfio.VFIO_IRQ_SET_ACTION_TRIGGER, kind, eventFds.length);
            for (int i = 0; i < eventFds.length; i++)
            {
                VfioIrqSet.descriptor(set, i, eventFds[i]);
            }
            return device.call(Vfio.VFIO_DEVICE_SET_IRQS, set);
        }
    }

    private static int[] eventFds(final int count)
    {
        final int[] made = new int[count];
        for (int i = 0; i < count; i++)
        {
            made[i] = DeviceFile.check("an event descriptor cannot be made (raise the limit of open files)",
                Files.eventfd(0, Files.EFD_NONBLOCK | Files.EFD_CLOEXEC));
        }
        return made;
    }

    private static void close(final int[] eventFds)
    {
        for (final int fd : eventFds)
        {
            Files.close(fd);
        }
    }

    /** Turns them off and closes the descriptors. A second call does nothing. */
    @Override
    public synchronized void close()
    {
        if (null != fds && 0 != fds.length)
        {
            set(Vfio.VFIO_IRQ_SET_DATA_NONE, NONE);
            close(fds);
        }
        fds = NONE;
    }
}
