package io.millrace.pci;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The IOMMU groups that this process owns. The kernel allows one owner of a group at a time, so functions of one group
 * share its context: it is released with the last of them. Any thread but a reactor's.
 */
final class IommuContexts
{
    private static final Map<Integer, Taken> OPEN = new HashMap<>();

    private IommuContexts()
    {
    }

    /** A context and its functions. */
    private record Taken(IommuContext context, Set<PciAddress> functions)
    {
    }

    /**
     * Takes the group of a function, or shares it when this process has it already: through iommufd and the function's
     * own file where this kernel has them and this process may open them, else through the group's.
     *
     * @param bus    to look at.
     * @param device whose group it is.
     * @return the context, to be given back with {@link #release}.
     * @throws PciException when it is unavailable.
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
     * Releases a function's use of its group; the last one releases the group.
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
