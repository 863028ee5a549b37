package io.millrace.cli.control;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.device.DeviceSetting;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Options of {@code device create}: the type, and those that the tables of all types declare.
 */
final class DeviceOptions
{
    private static final int LOCATION_WEIGHT = 100;
    private static final String SETTINGS_SECTION = "settings";
    private static final String TYPE_DEFAULT = "memory";
    private static final Map<String, String> SHORT_NAMES = Map.of("size", "-s", "block-size", "-b", "path", "-p",
        "address", "-a");

    @Option(names = {"-t", "--type"}, paramLabel = "TYPE", completionCandidates = Types.class,
        description = "Type of the device: ${COMPLETION-CANDIDATES}. Default: the one that has the given settings, " +
            "else memory.")
    private String type;

    private CommandSpec command;

    /**
     * Called by picocli.
     */
    DeviceOptions()
    {
    }

    /** Names of all types. */
    static final class Types implements Iterable<String>
    {
        /**
         * Called by picocli.
         */
        Types()
        {
        }

        @Override
        public Iterator<String> iterator()
        {
            return DeviceTypes.names().iterator();
        }
    }

    /** Called by picocli with the command that has these options: adds those of the tables. */
    @Spec(Spec.Target.MIXEE)
    void command(final CommandSpec mixee)
    {
        command = mixee;
        final Map<String, DeviceSetting<?>> settings = new LinkedHashMap<>();
        DeviceTypes.all().forEach((each) -> each.settings().forEach((setting) ->
            settings.putIfAbsent(setting.key(), setting)));
        settings.values().forEach((each) -> mixee.addOption(option(each)));
        final List<String> sections = new ArrayList<>(mixee.usageMessage().sectionKeys());
        sections.add(sections.indexOf(UsageMessageSpec.SECTION_KEY_FOOTER_HEADING), SETTINGS_SECTION);
        mixee.usageMessage().sectionKeys(sections);
        mixee.usageMessage().sectionMap().put(SETTINGS_SECTION, (_) -> DeviceTypeHelp.text(typeInHelp()));
    }

    /** The type that is asked about: {@code device create --type file --help} or {@code device create file --help}. */
    private DeviceType typeInHelp()
    {
        if (null != type)
        {
            return known(type);
        }
        final String name = command.positionalParameters().getFirst().getValue();
        return null == name ? null : DeviceTypes.find(name);
    }

    private static OptionSpec option(final DeviceSetting<?> setting)
    {
        final String name = "--" + setting.key();
        final String shortName = SHORT_NAMES.get(setting.key());
        final OptionSpec.Builder option = null == shortName ? OptionSpec.builder(name) :
            OptionSpec.builder(shortName, name);
        option.description(description(setting));
        if (SettingType.BOOLEAN == setting.type())
        {
            return option.type(Boolean.class).arity("0").negatable(true).fallbackValue("true").build();
        }
        if (setting.namesDevices())
        {
            option.completionCandidates(new LiveNames.Devices());
        }
        else if (null != setting.type() && "choice".equals(setting.type().name()))
        {
            option.completionCandidates(List.of(setting.type().bound().split(", ")));
        }
        final String label = DeviceSpec.BLOCK_SIZE.equals(setting.key()) ? "BYTES" : null == setting.group() ?
            setting.type().name().toUpperCase(Locale.ROOT).replace(' ', '-') : "KEY=VALUE,...";
        return DeviceSetting.Form.VALUE == setting.form() ? option.type(String.class).paramLabel(label).build() :
            option.type(List.class).auxiliaryTypes(String.class).paramLabel(label).build();
    }

    private static String description(final DeviceSetting<?> setting)
    {
        final List<DeviceType> types =
            DeviceTypes.all().stream().filter((each) -> null != each.find(setting.key())).toList();
        return names(types) + ": " + setting.clause() + (bound(setting).isEmpty() ? "" : ", " + bound(setting)) +
            defaults(setting.key(), types);
    }

    private static String names(final List<DeviceType> types)
    {
        return types.stream().map(DeviceType::name).collect(Collectors.joining(", "));
    }

    /** One for all types, or that of each type that has one. */
    private static String defaults(final String key, final List<DeviceType> types)
    {
        final Map<String, List<DeviceType>> typesByDefault = new LinkedHashMap<>();
        types.forEach((each) -> typesByDefault.computeIfAbsent(Objects.requireNonNullElse(each.find(key).def(), ""),
            (_) -> new ArrayList<>()).add(each));
        if (1 == typesByDefault.size())
        {
            final String only = typesByDefault.keySet().iterator().next();
            return only.isEmpty() ? "." : ". Default: " + only + ".";
        }
        typesByDefault.remove("");
        return ". Default of " + typesByDefault.entrySet().stream().map((each) ->
            names(each.getValue()) + ": " + each.getKey()).collect(Collectors.joining("; of ")) + ".";
    }

    /** Empty when it says nothing to people. */
    static String bound(final DeviceSetting<?> setting)
    {
        return null == setting.type() ? "" : switch (setting.type().name())
        {
            case "integer", "size", "duration", "number", "PCI address" -> setting.type().bound();
            case "choice" -> "one of " + setting.type().bound();
            default -> "";
        };
    }

    /** The device that the options describe. */
    DeviceSpec device(final String name)
    {
        final Map<String, String> texts = new TreeMap<>();
        for (final OptionSpec each : command.options())
        {
            final String key = each.longestName().substring(2);
            final DeviceSetting<?> setting = find(key);
            if (null != setting && command.commandLine().getParseResult().hasMatchedOption(each))
            {
                texts.put(key, text(setting, each.getValue()));
            }
        }
        final String address = texts.getOrDefault("address", "");
        if (address.startsWith("tcp://") || address.startsWith("rdma://"))
        {
            throw new CommandException(ExitCode.USAGE, "--address = " + address + ": is the PCI address of a drive, " +
                "such as 0000:01:00.0; for listeners of a subsystem write --addresses " + address);
        }
        final DeviceType found = null == type ? DeviceTypes.of(typeOf(texts)) : known(type);
        texts.keySet().stream().filter((key) -> null == found.find(key)).findFirst().ifPresent((key) ->
        {
            throw new CommandException(ExitCode.USAGE, "--" + key + ": no setting of type " + found.name() +
                "; its options are " + found.settings().stream().map((each) -> "--" + each.key())
                .collect(Collectors.joining(", ")));
        });
        return check(new DeviceSpec(name, found.name(), texts), "--");
    }

    private static DeviceSetting<?> find(final String key)
    {
        return DeviceTypes.all().stream().map((each) -> each.find(key)).filter((each) -> null != each).findFirst()
            .orElse(null);
    }

    private static String text(final DeviceSetting<?> setting, final Object value)
    {
        return value instanceof final List<?> list ?
            list.stream().map((each) -> null == setting.group() ? each.toString().replace(',', ' ') : each.toString())
                .collect(Collectors.joining(" ")) :
            null != setting.type() && SettingType.PATH.name().equals(setting.type().name()) ?
            Path.of(value.toString()).toAbsolutePath().normalize().toString() : value.toString();
    }

    private static DeviceType known(final String name)
    {
        try
        {
            return DeviceTypes.of(name);
        }
        catch (final InvalidSettingException e)
        {
            throw new CommandException(ExitCode.USAGE, "--" + e.getMessage(), e);
        }
    }

    /** The type that has the given settings and needs no others; else the type that has most of them. */
    private static String typeOf(final Map<String, String> texts)
    {
        final List<DeviceType> holders = DeviceTypes.all().stream()
            .filter((each) -> texts.keySet().stream().allMatch((key) -> null != each.find(key))).toList();
        final List<String> candidates = holders.stream().filter((each) -> each.settings().stream()
            .allMatch((setting) -> !setting.required() || texts.containsKey(setting.key()))).map(DeviceType::name)
            .toList();
        if (candidates.size() > 1 && !TYPE_DEFAULT.equals(candidates.getFirst()))
        {
            throw new CommandException(ExitCode.USAGE,
                "--type: missing, and " + String.join(" and ", candidates) + " have these settings; add one of them");
        }
        return !candidates.isEmpty() ? candidates.getFirst() : !holders.isEmpty() ? holders.getFirst().name() :
            DeviceTypes.all().stream().max(Comparator.comparingLong((each) -> texts.keySet().stream().map(each::find)
            .mapToInt(DeviceOptions::weight).sum())).orElseThrow().name();
    }

    /** What a setting says about the type that is meant: most when it is where the data is. */
    private static int weight(final DeviceSetting<?> setting)
    {
        return null == setting ? 0 : setting.isLocation() || setting.namesDevices() ? LOCATION_WEIGHT : 1;
    }

    /** Refuses settings that a data plane would refuse; the prefix is put in front of their keys. */
    static DeviceSpec check(final DeviceSpec device, final String prefix)
    {
        try
        {
            DeviceTypes.of(device.type()).values(device.properties());
            return device;
        }
        catch (final InvalidSettingException e)
        {
            throw new CommandException(ExitCode.USAGE, prefix + e.getMessage(), e);
        }
    }

    /** Refuses a change that a data plane would refuse. */
    static void checkChange(final DeviceSpec device, final Map<String, String> changes)
    {
        try
        {
            DeviceTypes.of(device.type()).applied(device.properties(), changes);
        }
        catch (final InvalidSettingException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }
}
