package io.millrace.dataplane.device;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The types of device that a data plane makes. Belongs to one data plane.
 */
public final class DeviceFactories
{
    private final Map<String, DeviceFactory> byType = new LinkedHashMap<>();

    /**
     * Factories of every type.
     */
    public DeviceFactories()
    {
        final SpdkAccess spdk = new SpdkAccess();
        Stream.of(new MemoryFactory(), new DiscardFactory(), new FileFactory(), new NvmeFactory(), new RemoteFactory(),
            new FaultFactory(), new DelayFactory(), new RaidFactory(), new SpdkBdevFactory(spdk),
            new SpdkLvolFactory(spdk), new SpdkNvmeFactory(spdk))
            .forEach((each) -> byType.put(each.type(), each));
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
