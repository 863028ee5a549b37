package io.millrace.dataplane.device;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The types of device that a data plane makes. Belongs to one data plane.
 */
public final class DeviceFactories
{
    private static final List<Supplier<DeviceFactory>> ALL = List.of(
        MemoryFactory::new, DiscardFactory::new, FileFactory::new, NvmeFactory::new, RemoteFactory::new,
        FaultFactory::new, DelayFactory::new, RaidFactory::new, SpdkBdevFactory::new);

    private final Map<String, DeviceFactory> byType = new LinkedHashMap<>();

    /**
     * Factories of every type.
     */
    public DeviceFactories()
    {
        ALL.forEach((each) ->
        {
            final DeviceFactory factory = each.get();
            byType.put(factory.type(), factory);
        });
    }

    /**
     * {@return the types, in the order of their documentation}
     */
    public List<String> types()
    {
        return List.copyOf(byType.keySet());
    }

    /**
     * {@return the factory of a type; null: the data plane does not make it}
     *
     * @param type as it is declared.
     */
    public DeviceFactory find(final String type)
    {
        return byType.get(type);
    }
}
