package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.control.state.StateEditor;
import io.millrace.server.config.ConfigReader;
import io.millrace.settings.ConfigException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
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
        final Random random = new Random(1);
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
        check(texts("", 64), (name) -> "devices: [{name: " + quoted(name) + ", type: 'null', size: 1MiB}]",
            (name) -> List.of(new Command.CreateDevice(DeviceSpec.nullDevice(name, MIB, 4096))));
    }

    @Test
    void shouldAgreeOnSizes()
    {
        final List<Long> sizes = new ArrayList<>(List.of(1L, 511L, 512L, 513L, 4095L, 4096L, 4097L, 6144L, 1L << 50,
            (8192L << 40) - 4096, 8192L << 40, (8192L << 40) + 4096, 9000L << 40, Long.MAX_VALUE,
            Long.MAX_VALUE - 4095));
        check(sizes, (size) -> "devices: [{name: a, type: 'null', size: " + size + "}]",
            (size) -> List.of(new Command.CreateDevice(DeviceSpec.nullDevice("a", size, 4096))));
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
            (nsid) -> "devices: [{name: a, type: 'null', size: 1MiB}]\nsubsystems: [{nqn: '" + NQN +
                "', allow-any-host: true, namespaces: [{nsid: " + nsid + ", device: a}]}]",
            (nsid) -> List.of(new Command.CreateDevice(DeviceSpec.nullDevice("a", MIB, 4096)),
                new Command.CreateSubsystem(new SubsystemSpec(NQN, true)),
                new Command.AddNamespace(new NamespaceSpec(NQN, nsid, "a"))));
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
