package io.millrace.cli.control.view;

import io.millrace.cli.control.view.View.Column;
import io.millrace.console.Quantity;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.setting.SettingType;
import java.util.List;

/** How shared spares are shown, with the arrays that took them. Stateless. */
public final class SharedSpareView
{
    private SharedSpareView()
    {
    }

    /**
     * {@return the shared spares among devices}
     *
     * @param devices of a data plane.
     */
    public static List<DeviceInfo> of(final List<DeviceInfo> devices)
    {
        return devices.stream().filter((each) -> each.spec().isSharedSpare()).toList();
    }

    /**
     * {@return the view}
     *
     * @param arrays of the data plane.
     */
    public static View<DeviceInfo> view(final List<ArrayInfo> arrays)
    {
        return new View<>(Kind.DEVICE, "shared spares", DeviceInfo.class, List.of(
            Column.of("NAME", "name", DeviceInfo::name),
            Column.of("TYPE", "type", DeviceInfo::type),
            new Column<>(">SIZE", "size-bytes", DeviceInfo::sizeBytes, (each) -> Quantity.bytes(each.sizeBytes())),
            Column.of(">BLOCK", "block-size-bytes", DeviceInfo::blockSizeBytes),
            Column.of("STATE", "state", (each) -> 0 == each.users() ? "free" : "taken"),
            Column.of("ARRAY", "array", (each) -> array(arrays, each)),
            Column.of(">SLOT", "slot", (each) -> slot(arrays, each)),
            Column.of("HEALTH", "health", (each) -> SettingType.word(each.health())),
            Column.of(null, "reason", (each) -> each.reason().isEmpty() ? null : each.reason())));
    }

    /**
     * {@return a sentence for each one that does not stand by, or is not well}
     *
     * @param spares of a data plane.
     */
    public static List<String> reasons(final List<DeviceInfo> spares)
    {
        return spares.stream().filter((each) -> !each.reason().isEmpty())
            .map((each) -> each.name() + ' ' + each.reason()).toList();
    }

    private static String array(final List<ArrayInfo> arrays, final DeviceInfo device)
    {
        return arrays.stream().filter((each) -> null != member(each, device)).map(ArrayInfo::name).findFirst()
            .orElse(null);
    }

    /** Null when it has none. */
    private static Integer slot(final List<ArrayInfo> arrays, final DeviceInfo device)
    {
        return arrays.stream().map((each) -> member(each, device))
            .filter((each) -> null != each && each.isInSlot()).map(ArrayInfo.Member::slot).findFirst().orElse(null);
    }

    private static ArrayInfo.Member member(final ArrayInfo array, final DeviceInfo device)
    {
        return array.members().stream().filter((each) -> device.name().equals(each.device())).findFirst().orElse(null);
    }
}
