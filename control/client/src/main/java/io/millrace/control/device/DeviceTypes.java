package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import java.util.List;
import java.util.Map;

/**
 * All types of device. Stateless.
 */
public final class DeviceTypes
{
    private static final List<DeviceType> ALL =
        List.of(MemoryType.TYPE, DiscardType.TYPE, FileType.TYPE, NvmeType.TYPE, RemoteType.TYPE, FaultType.TYPE,
            DelayType.TYPE, RaidType.TYPE, SpdkBdevType.TYPE, SpdkLvolType.TYPE, SpdkNvmeType.TYPE);
    /** Names that types once had. */
    private static final Map<String, String> FORMER_NAMES = Map.of("null", DiscardType.TYPE.name());

    private DeviceTypes()
    {
    }

    /**
     * {@return all types, in the order of their documentation}
     */
    public static List<DeviceType> all()
    {
        return ALL;
    }

    /**
     * {@return names of all types, in the order of their documentation}
     */
    public static List<String> names()
    {
        return ALL.stream().map(DeviceType::name).toList();
    }

    /**
     * {@return a type; null: it is unknown}
     *
     * @param name as it is declared.
     */
    public static DeviceType find(final String name)
    {
        return ALL.stream().filter((each) -> each.name().equals(name)).findFirst().orElse(null);
    }

    /**
     * {@return a type}
     *
     * @param name as it is declared.
     * @throws InvalidSettingException if it is unknown.
     */
    public static DeviceType of(final String name)
    {
        final DeviceType type = find(name);
        if (null != type)
        {
            return type;
        }
        final String renamed = FORMER_NAMES.get(name);
        throw null == renamed ?
            new InvalidSettingException("type", name, "not one of " + String.join(", ", names()), "use one of them") :
            new InvalidSettingException("type", name, "no type any more", "write " + renamed + ", its name now");
    }
}
