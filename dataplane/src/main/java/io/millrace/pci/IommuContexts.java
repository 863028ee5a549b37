package io.millrace.pci;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The groups that this process has taken. The kernel lets a group belong to one owner at a time, so functions of one
 * group share its context: it is let go with the last of them. Any thread but a reactor's.
 */
final class IommuContexts
{
    private static final Map<Integer, Taken> OPEN = new HashMap<>();

    private IommuContexts()
    {
    }

    /** A context and whose it is. */
    private record Taken(IommuContext context, Set<PciAddress> functions)
    {
    }

    /**
     * Takes the group of a function, or joins in when this process has it already: through iommufd and the function's
     * own file where this kernel has them and this process may open them, else through the group's.
     *
     * @param bus    to look at.
     * @param device whose group it is.
     * @return the context, to be given back with {@link #release}.
     * @throws PciException when it cannot be had.
     */
    static IommuContext take(final PciBus bus, final PciDevice device)
    {
        synchronized (OPEN)
        {
            Taken taken = OPEN.get(device.iommuGroup());
            if (null == taken)
            {
                taken = new Taken(Iommufd.isOffered(bus, device) ? Iommufd.open(bus, device) :
                    VfioGroup.open(bus, device), new HashSet<>());
                OPEN.put(device.iommuGroup(), taken);
            }
            if (!taken.functions.add(device.address()))
            {
                throw new PciException(device.address() + " is in use by this process already: name it once");
            }
            return taken.context;
        }
    }

    /**
     * Gives a group back; the last of its functions lets it go.
     *
     * @param device whose group it is, as it was when it was taken.
     */
    static void release(final PciDevice device)
    {
        synchronized (OPEN)
        {
            final Taken taken = OPEN.get(device.iommuGroup());
            taken.functions.remove(device.address());
            if (taken.functions.isEmpty())
            {
                OPEN.remove(device.iommuGroup());
                taken.context.close();
            }
        }
    }
}
