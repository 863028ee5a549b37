package io.millrace.cli.control;

import io.millrace.console.Table;
import io.millrace.control.device.DeviceSetting;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import java.util.List;

/**
 * The settings of device types for the help of {@code device create}. Stateless.
 */
final class DeviceTypeHelp
{
    private DeviceTypeHelp()
    {
    }

    /** Settings of a type; null: of all. */
    static String text(final DeviceType type)
    {
        final StringBuilder text = new StringBuilder();
        for (final DeviceType each : null == type ? DeviceTypes.all() : List.of(type))
        {
            text.append(System.lineSeparator()).append("Settings of type ").append(each.name()).append(':')
                .append(System.lineSeparator());
            final Table table = new Table("OPTION", "VALUES", "DEFAULT", "CHANGE");
            each.settings().forEach((setting) -> table.row("--" + setting.key(), bound(setting),
                null != setting.def() ? setting.def() : setting.required() ? "required" : "-", change(setting)));
            table.lines().forEach((line) ->
                text.append("  ").append(line.stripTrailing()).append(System.lineSeparator()));
        }
        return text.toString();
    }

    private static String bound(final DeviceSetting<?> setting)
    {
        return null == setting.type() ? "KEY=VALUE,..." : setting.type().bound();
    }

    private static String change(final DeviceSetting<?> setting)
    {
        return switch (setting.onChange())
        {
            case APPLIED -> "device set, while it serves";
            case GROWN -> "device resize, while it serves";
            case REPLACED -> "delete and create";
            case FIXED -> "never";
        };
    }
}
