package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.control.state.StateEditor;
import io.millrace.seed.TestSeeds;
import io.millrace.serve.config.ConfigReader;
import io.millrace.settings.ConfigException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a configuration file takes, a command to a data plane, a command to a manager and a state document take too, and
 * what one of them refuses the others refuse.
 */
class EveryWayInTest
{
    private static final long MIB = 1L << 20;
    private static final int VALUES = 300;
    private static final String CHARACTERS = "aZ09._-/ #:'\"\\\n\t\u200b\u00e9\u00a0\u2028{}[],&*!|>%@`~=?";
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";

    @TempDir
    private Path directory;

    /** As YAML has it whatever is in it. */
    private static String quoted(final String text)
    {
        final StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach((c) -> quoted.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5));
        return quoted.append('"').toString();
    }

    private static boolean isTakenByConfiguration(final String text)
    {
        try
        {
            ConfigReader.read("t.yaml", "control: {}\n" + text);
            return true;
        }
        catch (final ConfigException e)
        {
            return false;
        }
    }

    private static boolean isTakenByDocument(final String text)
    {
        try
        {
            StateDocument.read("t.yaml", text);
            return true;
        }
        catch (final ConfigException e)
        {
            return false;
        }
    }

    private static boolean isTakenByManager(final List<Command> commands)
    {
        final StateEditor editor = DesiredState.EMPTY.edit();
        try
        {
            commands.forEach(editor::apply);
            return true;
        }
        catch (final ControlException e)
        {
            return false;
        }
    }

    /** Undone at once. */
    private static boolean isTakenByDataPlane(final ControlClient client, final List<Command> commands)
    {
        int done = 0;
        try
        {
            for (final Command each : commands)
            {
                client.execute(each);
                done++;
            }
            return true;
        }
        catch (final ControlException | IllegalArgumentException e)
        {
            return false;
        }
        finally
        {
            for (final Command each : commands.subList(0, done).reversed())
            {
                final Command undo = switch (each)
                {
                    case final Command.CreateDevice c -> new Command.DeleteDevice(c.device().name());
                    case final Command.CreateSubsystem c -> new Command.DeleteSubsystem(c.subsystem().nqn());
                    case final Command.AddNamespace c ->
                        new Command.RemoveNamespace(c.namespace().nqn(), c.namespace().nsid());
                    case final Command.AddListener c -> new Command.RemoveListener(
                        c.listener().transport(), c.listener().address(), c.listener().port());
                    default -> null;
                };
                if (null != undo)
                {
                    client.execute(undo);
                }
            }
        }
    }

    /** Checks that all agree on each value, and that there are values of both kinds. */
    private <T> void check(
        final Iterable<T> values, final Function<T, String> yaml, final Function<T, List<Command>> commands)
    {
        boolean anyTaken = false;
        boolean anyRefused = false;
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient client = fixture.connect(fixture.context());
            for (final T value : values)
            {
                final boolean isTaken = isTakenByConfiguration(yaml.apply(value));
                final String hint = "configuration " + (isTaken ? "takes " : "refuses ") + yaml.apply(value) + " for " +
                    value;
                assertEquals(isTaken, isTakenByDocument(yaml.apply(value)), () -> "document; " + hint);
                assertEquals(isTaken, isTakenByManager(commands.apply(value)), () -> "manager; " + hint);
                assertEquals(isTaken, isTakenByDataPlane(client, commands.apply(value)),
                    () -> "data plane; " + hint);
                anyTaken |= isTaken;
                anyRefused |= !isTaken;
            }
            assertTrue(anyTaken && anyRefused);
        }
    }

    /** Texts of odd characters, and around a length. */
    private static Set<String> texts(final String prefix, final int lengthMax)
    {
        final Random random = TestSeeds.random();
        final Set<String> texts = new LinkedHashSet<>(List.of("", " ", ".", "..", "../..", "-a", "a b", "a#b", "#"));
        for (int i = -1; i <= 1; i++)
        {
            texts.add("a".repeat(lengthMax - prefix.length() + i));
        }
        for (int i = 0; i < VALUES; i++)
        {
            final StringBuilder text = new StringBuilder();
            for (int j = random.nextInt(5); j >= 0; j--)
            {
                text.append(random.nextBoolean() ? 'a' : CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
            }
            texts.add(text.toString());
        }
        final Set<String> prefixed = new LinkedHashSet<>();
        texts.forEach((each) -> prefixed.add(prefix + each));
        return prefixed;
    }

    @Test
    void shouldAgreeOnDeviceNames()
    {
        check(texts("", 64), (name) -> "devices: [{name: " + quoted(name) + ", type: discard, size: 1MiB}]",
            (name) -> List.of(new Command.CreateDevice(DeviceSpec.discard(name, MIB, 4096))));
    }

    @Test
    void shouldAgreeOnSizes()
    {
        final List<Long> sizes = new ArrayList<>(List.of(1L, 511L, 512L, 513L, 4095L, 4096L, 4097L, 6144L, 1L << 50,
            (8192L << 40) - 4096, 8192L << 40, (8192L << 40) + 4096, 9000L << 40, Long.MAX_VALUE,
            Long.MAX_VALUE - 4095));
        check(sizes, (size) -> "devices: [{name: a, type: discard, size: " + size + "}]",
            (size) -> List.of(new Command.CreateDevice(DeviceSpec.discard("a", size, 4096))));
    }

    @Test
    void shouldAgreeOnBlockSizes()
    {
        check(List.of(1, 511, 512, 1024, 4096, 8192, Integer.MAX_VALUE),
            (size) -> "devices: [{name: a, type: memory, size: 1MiB, block-size: " + size + "}]",
            (size) -> List.of(new Command.CreateDevice(DeviceSpec.memory("a", MIB, size))));
    }

    @Test
    void shouldAgreeOnNqns()
    {
        final Set<String> nqns = texts("nqn.2026-11.io.millrace:", 223);
        nqns.addAll(texts("", 223));
        nqns.addAll(List.of("nqn.2026-13.io.a:b", "nqn.2026-11.io.a", "nqn.2014-08.org.nvmexpress:uuid:1",
            "nqn.2014-08.org.nvmexpress:uuid:0f3ec3a5-9f7c-4d5e-8d3b-1c2a3b4c5d6e", "nqn.2026-11.io.a:\ud83d\ude00",
            "nqn.2026-11.io.a:" + "\u00e9".repeat(103), "nqn.2026-11.io.a:" + "\u00e9".repeat(104),
            "nqn.2014-08.org.nvmexpress.discovery"));
        check(nqns, (nqn) -> "subsystems: [{nqn: " + quoted(nqn) + ", allow-any-host: true, namespaces: []}]",
            (nqn) -> List.of(new Command.CreateSubsystem(new SubsystemSpec(nqn, true))));
    }

    @Test
    void shouldAgreeOnHosts()
    {
        final Set<String> nqns = texts("nqn.2026-11.io.millrace:", 223);
        check(nqns, (nqn) -> "subsystems: [{nqn: '" + NQN + "', hosts: [" + quoted(nqn) + "], namespaces: []}]",
            (nqn) -> List.of(new Command.CreateSubsystem(new SubsystemSpec(NQN, false)),
                new Command.AllowHost(NQN, nqn)));
    }

    @Test
    void shouldAgreeOnSerialAndModelNumbers()
    {
        final Set<String> serials = texts("", 20);
        // None stands for the default in a command, and is a mistake in a file.
        serials.remove("");
        check(serials, (serial) -> "subsystems: [{nqn: '" + NQN + "', serial: " + quoted(serial) +
                ", allow-any-host: true, namespaces: []}]",
            (serial) -> List.of(new Command.CreateSubsystem(new SubsystemSpec(NQN, true, serial, ""))));
        final Set<String> models = texts("", 40);
        models.remove("");
        check(models, (model) -> "subsystems: [{nqn: '" + NQN + "', model: " + quoted(model) +
                ", allow-any-host: true, namespaces: []}]",
            (model) -> List.of(new Command.CreateSubsystem(new SubsystemSpec(NQN, true, "", model))));
    }

    @Test
    void shouldAgreeOnNamespaces()
    {
        check(List.of(-1, 1, 128, 129, 16_384, 16_385, Integer.MAX_VALUE),
            (nsid) -> "devices: [{name: a, type: discard, size: 1MiB}]\nsubsystems: [{nqn: '" + NQN +
                "', allow-any-host: true, namespaces: [{nsid: " + nsid + ", device: a}]}]",
            (nsid) -> List.of(new Command.CreateDevice(DeviceSpec.discard("a", MIB, 4096)),
                new Command.CreateSubsystem(new SubsystemSpec(NQN, true)),
                new Command.AddNamespace(new NamespaceSpec(NQN, nsid, "a"))));
    }

    private static final int RULES_MAX = 128;

    /** A rule with the range from first to last block, as YAML has it and as a command has it. */
    private record Rule(String effect, long first, long last, double probability, long count, String status,
        long delayNs, long every)
    {
        private static final Rule PLAIN = new Rule("error", 0, 9, 1, 0, null, 0, 1);

        String yaml()
        {
            return "{effect: " + effect + ", first-block: " + first +
                ", last-block: " + last + ", probability: " + probability + ", count: " + count +
                (null == status ? "" : ", status: " + status) + (0 == delayNs ? "" : ", delay: " + delayNs + "ns") +
                ", every: " + every + "}";
        }

        String text()
        {
            return "effect=" + effect + ",first-block=" + first + ",last-block=" + last +
                (1 == probability ? "" : ",probability=" + probability) + (0 == count ? "" : ",count=" + count) +
                (null == status ? "" : ",status=" + status) + (0 == delayNs ? "" : ",delay=" + delayNs + "ns") +
                (1 == every ? "" : ",every=" + every);
        }
    }

    private static List<Rule> rules()
    {
        final List<Rule> rules = new ArrayList<>();
        for (final String effect : List.of("error", "delay", "torn-write", "lost-write", "hang", "power-loss"))
        {
            for (final long delayNs : new long[]{0, 1, 999_999, 1_000_000, 3_600_000_000_000L, 3_600_000_000_001L})
            {
                rules.add(new Rule(effect, 0, 9, 1, 0, null, delayNs, 1));
            }
            List.of("success", "media-error", "aborted", "worse").forEach((status) ->
                rules.add(new Rule(effect, 0, 9, 1, 0, status, "delay".equals(effect) ? 1_000_000 : 0, 1)));
        }
        for (final long[] range : new long[][]{{0, 0}, {-1, 5}, {5, 3}, {Long.MAX_VALUE, Long.MAX_VALUE},
            {1, Long.MAX_VALUE}, {Long.MAX_VALUE - 1, Long.MAX_VALUE - 1}})
        {
            rules.add(new Rule("error", range[0], range[1], 1, 0, null, 0, 1));
        }
        for (final double probability : new double[]{-0.5, 0, Double.MIN_VALUE, 1.0E-9, 0.1 + 0.2, 1, Math.nextUp(1.0),
            1.5, Double.NaN, Double.POSITIVE_INFINITY})
        {
            rules.add(new Rule("error", 0, 9, probability, 0, null, 0, 1));
        }
        for (final long number : new long[]{-1, 1, Integer.MAX_VALUE, 1L + Integer.MAX_VALUE, Long.MAX_VALUE})
        {
            rules.add(new Rule("error", 0, 9, 1, number, null, 0, 1));
            rules.add(new Rule("error", 0, 9, 1, 0, null, 0, number));
        }
        return rules;
    }

    private static String faults(final List<Rule> rules)
    {
        return "devices: [{name: d, type: discard, size: 1MiB}, {name: a, type: fault, base: d, rules: [" +
            rules.stream().map(Rule::yaml).collect(Collectors.joining(", ")) + "]}]";
    }

    private static List<Command> faultCommands(final List<Rule> rules)
    {
        return List.of(new Command.CreateDevice(DeviceSpec.discard("d", MIB, 4096)),
            new Command.CreateDevice(DeviceSpec.fault("a", "d", 0).with(
                "rules", rules.stream().map(Rule::text).collect(Collectors.joining(" ")))));
    }

    @Test
    void shouldAgreeOnFaultRules()
    {
        check(rules(), (rule) -> faults(List.of(rule)), (rule) -> faultCommands(List.of(rule)));
    }

    @Test
    void shouldAgreeOnHowManyFaultRules()
    {
        check(List.of(1, RULES_MAX, RULES_MAX + 1),
            (count) -> faults(Collections.nCopies(count, Rule.PLAIN)),
            (count) -> faultCommands(Collections.nCopies(count, Rule.PLAIN)));
    }

    /** Of numeric addresses: a start-up file may have host names, which are resolved as it is read. */
    @Test
    void shouldAgreeOnListenerAddresses()
    {
        final int port = FreePorts.tcp();
        check(List.of("127.0.0.1", "127.0.0.2", "0.0.0.0", "::", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1",
            "127.1", "127.0.0.01", "0x7f.0.0.1", "2130706433", "[::1]", "", " ", " 127.0.0.1",
            "127.0.0.1 ", "127.0.0.1:4420", "127.0.0.256", "::1::", "1:2", "a", "*", "::1%nowhere", "\n"),
            (address) -> listeners(List.of(address), port), (address) -> listenerCommands(List.of(address), port));
    }

    @Test
    void shouldAgreeOnListenerPorts()
    {
        // 0 is any free port to a data plane, and nothing that can be kept: it is not compared.
        check(List.of(-1, FreePorts.tcp(), 65_536, Integer.MAX_VALUE),
            (port) -> listeners(List.of("127.0.0.1"), port), (port) -> listenerCommands(List.of("127.0.0.1"), port));
    }

    @Test
    void shouldAgreeOnListenersOfOnePort()
    {
        final int port = FreePorts.tcp();
        // One that already exists is no change in a command, and a mistake in a file: it is not compared.
        check(List.of(List.of("127.0.0.1", "127.0.0.2"),
            List.of("127.0.0.1", "0.0.0.0"), List.of("0.0.0.0", "127.0.0.1"), List.of("::1", "127.0.0.1"),
            List.of("::", "127.0.0.1"), List.of("::", "::1"), List.of("::1", "::"), List.of("::", "0.0.0.0")),
            (addresses) -> listeners(addresses, port), (addresses) -> listenerCommands(addresses, port));
    }

    private static String listeners(final List<String> addresses, final int port)
    {
        return "discovery: false\nlisteners: [" + addresses.stream().map((address) -> "{transport: tcp, address: " +
            quoted(address) + ", port: " + port + "}").collect(Collectors.joining(", ")) + "]";
    }

    private static List<Command> listenerCommands(final List<String> addresses, final int port)
    {
        return addresses.stream().<Command>map((address) ->
            new Command.AddListener(new ListenerSpec(Transport.TCP, address, port, false))).toList();
    }

    /** Each limit at its bounds and beyond; what 0 means in a command is nothing in a file. */
    @Test
    void shouldAgreeOnLimits()
    {
        final List<QosSpec> limits = new ArrayList<>();
        for (final long iops : new long[]{-1, 1, 1_000_000_000L, 1_000_000_001L, Long.MAX_VALUE, Long.MIN_VALUE})
        {
            limits.add(qos(1, "", iops, 0, 0, 0, 0, 0, 10));
            limits.add(qos(1, "", 0, iops, 0, 0, 0, 0, 10));
            limits.add(qos(1, "", 0, 0, iops, 0, 0, 0, 10));
        }
        for (final long bytes : new long[]{-1, 1, 4095, 4096, 5000, 1L << 37, (1L << 37) + 1, Long.MAX_VALUE})
        {
            limits.add(qos(1, "", 0, 0, 0, bytes, 0, 0, 10));
            limits.add(qos(1, "", 0, 0, 0, 0, bytes, 0, 10));
            limits.add(qos(1, "", 0, 0, 0, 0, 0, bytes, 10));
        }
        for (final int burstMs : new int[]{-1, 1, 2, 10_000, 10_001, Integer.MAX_VALUE})
        {
            limits.add(qos(1, "", 1, 0, 0, 0, 0, 0, burstMs));
        }
        for (final int nsid : new int[]{-1, 2, 16_384, Integer.MAX_VALUE})
        {
            limits.add(qos(nsid, "", 1, 0, 0, 0, 0, 0, 10));
        }
        texts("nqn.2026-11.io.millrace:", 223).forEach((host) -> limits.add(qos(0, host, 1, 0, 0, 0, 0, 0, 10)));
        limits.add(qos(1, "nqn.2026-11.io.millrace:h", 1, 0, 0, 0, 0, 0, 10));
        check(limits, EveryWayInTest::yaml, (limit) -> List.of(
            new Command.CreateDevice(DeviceSpec.discard("a", MIB, 4096)),
            new Command.CreateSubsystem(new SubsystemSpec(NQN, true)),
            new Command.AddNamespace(new NamespaceSpec(NQN, 1, "a")), new Command.SetQos(limit)));
    }

    private static QosSpec qos(final int nsid, final String host, final long readIops, final long writeIops,
        final long iops, final long readBytes, final long writeBytes, final long bytes, final int burstMs)
    {
        return new QosSpec(NQN, nsid, host, readIops, writeIops, iops, readBytes, writeBytes, bytes, burstMs);
    }

    private static String yaml(final QosSpec qos)
    {
        final StringBuilder limits = new StringBuilder();
        final Map<String, Long> numbers = new LinkedHashMap<>();
        numbers.put("nsid", (long)qos.nsid());
        numbers.put("read-iops", qos.readIops());
        numbers.put("write-iops", qos.writeIops());
        numbers.put("iops", qos.iops());
        numbers.put("read-bandwidth", qos.readBytesPerSecond());
        numbers.put("write-bandwidth", qos.writeBytesPerSecond());
        numbers.put("bandwidth", qos.bytesPerSecond());
        numbers.forEach((key, value) -> limits.append(0 == value ? "" : key + ": " + value + ", "));
        return "devices: [{name: a, type: discard, size: 1MiB}]\nsubsystems: [{nqn: '" + NQN +
            "', allow-any-host: true, namespaces: [{nsid: 1, device: a}], qos: [{" + limits +
            (qos.hostNqn().isEmpty() ? "" : "host: " + quoted(qos.hostNqn()) + ", ") + "burst: " + qos.burstMs() +
            "ms}]}]";
    }

    /** Paths are not opened here: a file and a manager are compared. */
    @Test
    void shouldAgreeOnPaths()
    {
        boolean anyRefused = false;
        for (final String path : texts("/volumes/", 4095))
        {
            final String yaml = "devices: [{name: a, type: file, path: " + quoted(path) + ", size: 1MiB}]";
            final boolean isTaken = isTakenByConfiguration(yaml);
            assertEquals(isTaken, isTakenByDocument(yaml), yaml);
            anyRefused |= !isTaken;
        }
        assertTrue(anyRefused);
        assertFalse(isTakenByDocument("devices: [{name: a, type: file, path: here, size: 1MiB}]"),
            "a manager does not know where its data planes were started");
    }
}
