package io.millrace.serve.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockGeometry;
import io.millrace.control.agent.DeviceConversions;
import io.millrace.control.device.DeviceSetting;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.control.state.StatePlan;
import io.millrace.control.wire.MessagePublication;
import io.millrace.control.wire.RequestAdapter;
import io.millrace.control.wire.RequestHandler;
import io.millrace.control.wire.RequestWriter;
import io.millrace.control.wire.ResponseAdapter;
import io.millrace.control.wire.ResponseHandler;
import io.millrace.control.wire.ResponseWriter;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.settings.Setting;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each setting of each type of device comes through all the ways that a device goes: the file of a data plane, desired
 * state, the wire, the data plane, its record, and a document again.
 */
class DeviceSettingsTest
{
    private static final String DEVICE = "devices[].";
    private static final String RULE = "devices[].rules[].";
    private static final List<String> TYPES = DeviceTypes.names();
    private static final int AT = MessagePublication.MESSAGE_OFFSET;

    /** Of which each setting takes the first that fits and is not its default. */
    private static final List<String> TEXTS = List.of("lvs0/a", "lvs0/b", "17", "3", "512", "4MiB", "7s", "true",
        "false", "off", "0000:01:00.0", "wrapped", "/srv/f.img", "other", "wrapped2", "0000:02:00.0", "/srv/g.img",
        "2MiB", "tcp://192.0.2.1:4420", "tcp://192.0.2.2:4420", "nqn.2026-11.io.millrace:a",
        "nqn.2026-11.io.millrace:b", "0f3ec3a5-9f7c-4d5e-8d3b-1c2a3b4c5d6e", "0f3ec3a5-9f7c-4d5e-8d3b-1c2a3b4c5d6f",
        "1", "10", "8KiB", "always");

    /** Of a setting that needs several. */
    private static final Map<String, List<String>> LISTS = Map.of(
        "members", List.of("wrapped, wrapped2", "wrapped2, wrapped"), "spares", List.of("wrapped3", "wrapped4"),
        "sync-rate-min", List.of("32MiB"), "sync-rate-max", List.of("2GiB"),
        "scrub-interval", List.of("604800s"), "parity-strips", List.of("2", "1"), "journal-device",
        List.of("wrapped4", "wrapped5"));

    private static final Map<String, String> RULE_VALUES = Map.ofEntries(
        Map.entry("effect", "torn-write"), Map.entry("operations[]", "[write, copy, verify]"),
        Map.entry("first-block", "4"), Map.entry("last-block", "9"), Map.entry("status", "device-error"),
        Map.entry("delay", "5ms"), Map.entry("every", "3"), Map.entry("probability", "0.125"),
        Map.entry("count", "11"));

    private static Stream<Arguments> settings()
    {
        final List<Arguments> all = new ArrayList<>();
        for (final Setting<?> each : Settings.ALL.all())
        {
            if (each.key().startsWith(RULE))
            {
                all.add(Arguments.of("fault", each.key()));
            }
            else if (each.key().startsWith(DEVICE) && !List.of("devices[].name", "devices[].type").contains(each.key()))
            {
                TYPES.stream().filter(each::isFor).forEach((type) -> all.add(Arguments.of(type, each.key())));
            }
        }
        return all.stream();
    }

    /** A file with one device, with the least that its type needs and one setting more. */
    private static String file(final String type, final String key, final String value)
    {
        final Map<String, String> device = new LinkedHashMap<>();
        device.put("name", "dut");
        device.put("type", type);
        DeviceTypes.of(type).settings().stream().filter(DeviceSetting::required)
            .forEach((each) -> device.put(each.key(), value(type, each.key())));
        if (null != DeviceTypes.of(type).find("nsid"))
        {
            device.put("nsid", value(type, "nsid"));
        }
        if (null != key)
        {
            device.put(key, value);
        }
        if ("journal".equals(key) || "journal-device".equals(key) || "checksums".equals(key))
        {
            // Of arrays with parity.
            device.put("level", "5");
            device.put("members", "wrapped, wrapped2, wrapped3");
        }
        if ("parity-strips".equals(key))
        {
            device.put("level", "ec");
            device.put("members", "wrapped, wrapped2, wrapped3, wrapped4");
        }
        if ("spdk-nvme".equals(type) && List.of("addresses", "host-nqn").contains(key))
        {
            // Of targets, not of drives.
            device.put("controller", "nqn.2026-11.io.millrace:vol0");
            device.putIfAbsent("addresses", "tcp://192.0.2.1:4420");
        }
        DeviceTypes.of(type).settings().stream().filter((each) -> DeviceSetting.Form.VALUES == each.form())
            .forEach((each) -> device.computeIfPresent(each.key(), (_, text) -> "[" + text + "]"));
        final boolean hasBases = DeviceTypes.of(type).settings().stream().anyMatch(DeviceSetting::namesDevices);
        return "devices: [" + (hasBases ? Stream.of("wrapped", "wrapped2", "wrapped3", "wrapped4", "wrapped5").map(
            (each) -> "{name: " + each + ", type: memory, size: 1MiB}, ").collect(Collectors.joining()) : "") +
            device(device) + "]\n";
    }

    private static String device(final Map<String, String> settings)
    {
        return "{" + String.join(", ", settings.entrySet().stream()
            .map((each) -> each.getKey() + ": " + each.getValue()).toList()) + "}";
    }

    private static DeviceConfig configured(final String text)
    {
        // Another device is served, since a shared spare is not.
        final String served = "{name: served, type: memory, size: 1MiB}";
        return ConfigReader.read("m.yaml", text.replaceFirst("devices: \\[", "devices: [" + served + ", ")
            .replaceFirst("devices:\n", "devices:\n  - " + served + '\n') + """
            subsystems: [{nqn: nqn.2026-11.io.a, allow-any-host: true, namespaces: [{nsid: 1, device: served}]}]
            listeners: [{transport: tcp, address: 127.0.0.1}]
            """).config().devices().stream().filter((each) -> "dut".equals(each.name()))
            .findFirst().orElseThrow();
    }

    @SuppressWarnings("unchecked")
    private static <T, V> T handler(final Class<T> type, final AtomicReference<V> last)
    {
        return (T)Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, (_, _, args) ->
        {
            last.set((V)args[1]);
            return null;
        });
    }

    private static DeviceSpec overTheWire(final DeviceSpec device)
    {
        final AtomicReference<Command> read = new AtomicReference<>();
        final RequestWriter writer = new RequestWriter();
        final int length = writer.command(
            new CommandHeader(1, 2, new CommandId(3, 4), 5), new Command.CreateDevice(device));
        assertTrue(new RequestAdapter(handler(RequestHandler.class, read)).onMessage(writer.buffer(), AT, length));
        return ((Command.CreateDevice)read.get()).device();
    }

    private static Resource overTheWire(final Resource resource)
    {
        final AtomicReference<Resource> read = new AtomicReference<>();
        final ResponseWriter writer = new ResponseWriter();
        final int length = writer.resource(9, resource);
        assertTrue(new ResponseAdapter(handler(ResponseHandler.class, read)).onMessage(writer.buffer(), AT, length));
        return read.get();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void shouldComeThroughAllWays(final String type, final String key)
    {
        final String name = key.substring(key.lastIndexOf('.') + 1);
        final boolean isOfRule = key.startsWith(RULE);
        final String value = isOfRule ? RULE_VALUES.get(name) : value(type, name.replace("[]", ""));
        assertNotNull(value, key + " is not carried through the test");
        final String text;
        final String other;
        if (isOfRule)
        {
            final String effect = "delay".equals(name) ? "delay" : "effect".equals(name) ? value : "lost-write";
            final String fixed = "{effect: " + effect;
            text = file(type, "rules", "effect".equals(name) ? "[{effect: " + value + "}]" :
                "[" + fixed + ", " + name.replace("[]", "") + ": " + value + "}]");
            other = file(type, "rules", "effect".equals(name) ? "[{effect: hang}]" :
                "delay".equals(name) ? "[{effect: delay, delay: 1ms}]" : "[{effect: lost-write}]");
        }
        else
        {
            final String setting = name.replace("[]", "");
            text = file(type, setting, value);
            other = file(type, setting, other(type, setting));
        }
        final DeviceConfig wanted = configured(text);
        assertNotEquals(wanted, configured(other), () -> "the value is none of its own:\n" + text + other);

        final DesiredState desired = StateDocument.read("m.yaml", text).state();
        assertEquals(List.of(), StateDocument.read("m.yaml", text).skipped());
        final DeviceSpec spec = desired.devices().get("dut");
        final DeviceConfig config = DeviceConversions.config(overTheWire(spec));
        assertEquals(wanted, config);

        final int blockSize = 0 == spec.blockSizeBytes() ? 4096 : spec.blockSizeBytes();
        final long size = 0 == spec.sizeBytes() ? 1 << 20 : spec.sizeBytes();
        final BlockGeometry geometry = BlockGeometry.builder(blockSize, size / blockSize).build();
        final List<Resource> records = new ArrayList<>();
        desired.devices().values().forEach((each) -> records.add(overTheWire(
            DeviceConversions.info(DeviceConversions.config(each), geometry))));
        final DesiredState actual = DesiredState.of(records);
        // The size of a file that was declared without is that of the file; what it wraps is not of interest.
        assertEquals(spec.withSize(0), actual.devices().get("dut").withSize(0));

        final DesiredState again = StateDocument.read("again.yaml", StateDocument.write(desired)).state();
        assertEquals(desired, again);
        assertEquals(wanted, configured(StateDocument.write(desired).lines().filter((line) ->
            line.startsWith("devices:") || line.startsWith("  - {name:")).reduce("", (a, b) -> a + b + '\n')));
        final StatePlan plan = StatePlan.between(StateDocument.read("m.yaml", other).state(), desired);
        assertTrue(!plan.isEmpty(), () -> "no step leads to\n" + text);
    }

    private static String value(final String type, final String key)
    {
        return "rules".equals(key) ? "[{effect: delay, delay: 3ms}]" : texts(type, key).getFirst();
    }

    /** What the setting has when it is not given; of one that is needed another value. */
    private static String other(final String type, final String key)
    {
        final String def = DeviceTypes.of(type).find(key).def();
        return "rules".equals(key) ? "[]" : null != def ? def : texts(type, key).get(1);
    }

    /** Texts that a setting takes, but for its default. */
    private static List<String> texts(final String type, final String key)
    {
        final DeviceSetting<?> setting = DeviceTypes.of(type).find(key);
        return LISTS.containsKey(key) ? LISTS.get(key) : TEXTS.stream().filter((text) ->
        {
            try
            {
                return "path".equals(key) == text.startsWith("/") && !text.equals(setting.def()) &&
                    setting.namesDevices() == text.startsWith("wrapped") && null != setting.value(text) &&
                    ("size".equals(key) == text.endsWith("MiB"));
            }
            catch (final InvalidSettingException e)
            {
                return false;
            }
        }).toList();
    }
}
