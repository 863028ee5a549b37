package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.settings.ConfigException;
import io.millrace.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateDocumentTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root"));
    private static final Pattern ROW = Pattern.compile("\\| `([a-z][a-z0-9.\\[\\]-]*)` \\| ([^|]*) \\| ([^|]*) \\|.*");
    private static final Set<String> PROCESS = Set.of(
        "reactors[]", "memory", "control", "state", "status", "metrics", "warm-up", "limits", "tcp", "rdma", "spdk");

    private static final String TEXT = """
        devices:
          - {name: mem0, type: memory, size: 64MiB}
          - {name: faulty, type: fault, base: mem0, seed: 7}
          - {name: vol2, type: file, path: /var/tmp/vol2.img, size: 1GiB, block-size: 512, read-only: true, \
        preallocate: false, queue-depth: 32}
          - {name: vol3, type: nvme, address: '0000:01:00.0'}
          - {name: vol4, type: nvme, address: '0000:01:00.0', nsid: 2, queue-depth: 32}
          - {name: vol10, type: discard, size: 1TiB}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            serial: SER0
            model: A model
            allow-any-host: false
            hosts:
              - nqn.2026-11.io.host:a
              - nqn.2026-11.io.host:b
            namespaces:
              - {nsid: 1, device: faulty}
              - {nsid: 2, device: vol10, uuid: 12345678-1234-1234-1234-123456789abc, ana-group: 2}
            ana:
              - {state: inaccessible}
              - {group: 7, state: optimized}
              - {listener: '[::]:4420', group: 3, state: non-optimized}
              - {listener: '127.0.0.1:4420', group: 1, state: non-optimized}
              - {listener: '127.0.0.1:4420', group: 2, state: persistent-loss}
              - {listener: 'rdma://127.0.0.1:4420', group: 1, state: non-optimized}
              - {listener: 'rdma://[2001:db8::7]:4421', group: 5, state: persistent-loss}
            qos:
              - {nsid: 2, iops: 20000, write-bandwidth: 200MiB}
              - {host: 'nqn.2026-11.io.host:a', read-iops: 5000, bandwidth: 4097, burst: 100ms}
          - nqn: nqn.2026-11.io.millrace:vol1
            allow-any-host: true
            namespaces: []
        listeners:
          - {transport: tcp, address: 127.0.0.1, port: 4420}
          - {transport: tcp, address: '::1', port: 4420}
          - {transport: rdma, address: 127.0.0.1, port: 4420}
          - {transport: rdma, address: '2001:db8::7', port: 4421}
          - {transport: tcp, address: 127.0.0.1, port: 9000, discovery-only: true}
        discovery: false
        """;

    private static String refusal(final String text)
    {
        final String message = assertThrows(ConfigException.class, () -> StateDocument.read("s.yaml", text))
            .getMessage();
        assertEquals(1, message.lines().count());
        return message;
    }

    @Test
    void shouldWriteWhatItReads()
    {
        final StateDocument document = StateDocument.read("s.yaml", TEXT);
        assertEquals(List.of(), document.skipped());
        assertEquals(TEXT, StateDocument.write(document.state()));
    }

    @Test
    void shouldWriteTheProviderOfAListener()
    {
        final String text = "devices: []\nsubsystems: []\nlisteners:\n" +
            "  - {transport: tcp, address: 127.0.0.1, port: 4430, provider: spdk}\ndiscovery: false\n";
        assertEquals(text, StateDocument.write(StateDocument.read("s.yaml", text).state()));
    }

    @Test
    void shouldWriteListenersOfVfioUser()
    {
        final String text = "devices: []\nsubsystems:\n  - nqn: nqn.2026-11.io.millrace:vol0\n" +
            "    allow-any-host: true\n    namespaces: []\n    ana:\n" +
            "      - {listener: 'vfio-user:///run/vm', state: inaccessible}\nlisteners:\n" +
            "  - {transport: tcp, address: 127.0.0.1, port: 4420}\n" +
            "  - {transport: vfio-user, address: /run/vm, provider: spdk}\ndiscovery: true\n";
        assertEquals(text, StateDocument.write(StateDocument.read("s.yaml", text).state()));
        assertEquals("s.yaml:4: listeners[0].port = 4420: not for transport vfio-user; leave it out", refusal(
            "devices: []\nsubsystems: []\nlisteners:\n" +
            "  - {transport: vfio-user, address: /run/vm, port: 4420, provider: spdk}\ndiscovery: false\n"));
    }

    @Test
    void shouldWriteNothingThatIsThere()
    {
        final String text = StateDocument.write(DesiredState.EMPTY);
        assertEquals("devices: []\nsubsystems: []\nlisteners: []\ndiscovery: false\n", text);
        assertEquals(DesiredState.EMPTY, StateDocument.read("s.yaml", text).state());
    }

    @Test
    void shouldQuoteTextsThatAreSomethingElseInYaml()
    {
        final StateEditor editor = DesiredState.EMPTY.edit();
        int count = 0;
        for (final String text : List.of("null", "~", "1", "1.5", "true", "- a", "a: b", "#", "{", "'", "\"", "@",
            " padded ", "été", "\uD55C", "a # b", "=", "0x1", "!tag", "&a", "*a", "%", "a\\b", "\u00a0x"))
        {
            count++;
            // A model number may be any ASCII, a path anything that prints.
            editor.apply(text.chars().allMatch((c) -> c < 0x7F) ?
                new Command.CreateSubsystem(new SubsystemSpec("nqn.2026-11.io.a:" + count, true, "", text)) :
                new Command.CreateDevice(DeviceSpec.file("file" + count, '/' + text, 4096)));
        }
        final DesiredState state = editor.state();
        assertEquals(24, state.devices().size() + state.subsystems().size());
        assertEquals(state, StateDocument.read("s.yaml", StateDocument.write(state)).state());
    }

    @Test
    void shouldReadTheExampleAndNameWhatItSkips()
    {
        final StateDocument document = StateDocument.read("millrace.yaml",
            StateDocument.text(ROOT.resolve("millrace.yaml")));
        assertEquals(List.of("reactors", "memory"), document.skipped());
        assertEquals("2 devices, 1 subsystem with 2 namespaces, 2 listeners", document.state().toString());
        assertTrue(document.state().listeners().get("127.0.0.1:8009").discoveryOnly());
        // Written down it is as short again.
        assertTrue(StateDocument.write(document.state()).endsWith(
            "listeners:\n  - {transport: tcp, address: 127.0.0.1, port: 4420}\ndiscovery: true\n"));
    }

    @Test
    void shouldNameTheSectionsThatItSkips()
    {
        final StateDocument document = StateDocument.read("s.yaml", """
            devices:
              - {name: f, type: file, path: /f, polling: "off"}
              - {name: x, type: fault, base: f, rules: [{effect: error, operations: [read]}]}
            tcp: {anything: 1}
            status: {file: none}
            warm-up: false
            """);
        assertEquals(List.of("status", "warm-up", "tcp"), document.skipped());
    }

    @Test
    void shouldHaveTheSettingsOfTheConfigurationFile() throws IOException
    {
        final Map<String, Matcher> documented = new TreeMap<>();
        for (final String line : Files.readAllLines(ROOT.resolve("docs/configuration.md")))
        {
            final Matcher row = ROW.matcher(line);
            if (row.matches() && row.group(1).matches("(devices|subsystems|listeners|discovery)(\\[.*)?"))
            {
                documented.put(row.group(1), row);
            }
        }
        final Map<String, Setting<?>> known = StateSettings.ALL.all().stream()
            .filter((each) -> null != each.type() && !StateSettings.SKIPPED.contains(each))
            .collect(Collectors.toMap(Setting::key, (each) -> each, (a, b) -> a, TreeMap::new));
        assertEquals(documented.keySet(), known.keySet());
        known.forEach((key, setting) ->
        {
            if (null != setting.def())
            {
                assertEquals("`" + setting.def() + "`", documented.get(key).group(3).strip(), key);
            }
        });
        assertEquals(PROCESS, StateSettings.SKIPPED.stream().map(Setting::key).collect(Collectors.toSet()));
    }

    @Test
    void shouldSayWhichTypesAndSettingsOfDevicesThereAre()
    {
        assertEquals("s.yaml:1: devices[0].type = tape: not one of " + String.join(", ", DeviceTypes.names()) +
            "; use one of them", message("devices: [{name: a, type: tape}]"));
        assertEquals("s.yaml:1: devices[0].typ: unknown key; did you mean type? allowed here: " +
            String.join(", ", StateSettings.ALL.names("devices[]")), message("devices: [{name: a, typ: fault}]"));
    }

    private static String message(final String text)
    {
        return assertThrows(ConfigException.class, () -> StateDocument.read("s.yaml", text)).getMessage();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', value = {
        "devices: [{name: a, type: memory}] | s.yaml:1: devices[0].size: missing; add it: size of " +
            "the device, a multiple of block-size.",
        "devices: [{name: a, type: memory, size: 5000B}] | s.yaml:1: devices[0].size = 5000: not a " +
            "positive multiple of block-size 4096; use 4096 or 8192",
        "devices: [{name: a, type: memory, size: 1MB}] | s.yaml:1: devices[0].size = 1MB: unit MB means different " +
            "things to different people; write MiB for powers of 1024, or plain bytes",
        "devices: [{name: a, type: null, size: 1MiB}] | s.yaml:1: devices[0].type = null: no type any more; write " +
            "discard, its name now",
        "devices: [{name: a, type: 'null', size: 1MiB}] | s.yaml:1: devices[0].type = null: no type any more; write " +
            "discard, its name now",
        "devices: [{name: a, type: file, path: here}] | s.yaml:1: devices[0].path = here: not absolute; " +
            "begin it with /",
        "devices: [{name: a, type: fault, base: b}] | s.yaml:1: devices[0]: device b: does " +
            "not exist; there are no devices",
        "subsystems: [{nqn: nqn.2026-11.io.a, ana: [{state: change}]}] | s.yaml:1: subsystems[0].ana[0].state = " +
            "change: not one of optimized, non-optimized, inaccessible, persistent-loss; use one of them",
        "subsystems: [{nqn: nqn.2026-11.io.a, ana: [{listener: 127.0.0.1, state: optimized}]}] | s.yaml:1: " +
            "subsystems[0].ana[0].listener = 127.0.0.1: not an IP address with a port; write one such as " +
            "127.0.0.1:4420 or \"[::1]:4420\"",
        "subsystems: [{nqn: nqn.2026-11.io.a, qos: [{nsid: 1, iops: 7}]}] | s.yaml:1: subsystems[0].qos[0]: " +
            "namespace nqn.2026-11.io.a/1: does not exist; add it first",
        "subsystems: [{nqn: nqn.2026-11.io.a, qos: [{iops: 7}]}] | s.yaml:1: subsystems[0].qos[0]: limits on " +
            "nqn.2026-11.io.a: neither namespace nor host is named; name one of them",
        "subsystems: [{nqn: nqn.2026-11.io.a, qos: [{host: nqn.2026-11.io.b}]}] | s.yaml:1: subsystems[0].qos[0]: " +
            "has no limits; add iops, read-iops, write-iops, bandwidth, read-bandwidth, write-bandwidth, or leave " +
            "it out",
        "subsystems: [{nqn: nqn.2026-11.io.a, qos: [{host: nqn.2026-11.io.b, iops: 1}, {host: nqn.2026-11.io.b, " +
            "iops: 2}]}] | s.yaml:1: subsystems[0].qos[1]: host nqn.2026-11.io.b of nqn.2026-11.io.a is limited " +
            "twice; keep one",
        "subsystems: [{nqn: nqn.2026-11.io.a, qos: [{host: nqn.2026-11.io.b, iops: 1, burst: 2500us}]}] | s.yaml:1: " +
            "subsystems[0].qos[0].burst = 2500us: not whole milliseconds; use 3ms",
        "subsystems: [{nqn: a}] | s.yaml:1: subsystems[0]: subsystem a: NQN is not of the form " +
            "nqn.yyyy-mm.reverse.domain[:name]: write one such as nqn.2026-11.io.example:vol0",
        "subsystems: [{nqn: nqn.2026-11.io.a, namespaces: [{nsid: 1, device: x}]}] | s.yaml:1: " +
            "subsystems[0].namespaces[0]: device x: does not exist; there are no devices",
        "listeners: [{transport: tcp, address: a}] | s.yaml:1: listeners[0]: listener a:4420: is not a numeric " +
            "address; write it as 192.0.2.1 or 2001:db8::1",
        "listeners: [{transport: tcp, address: 127.0.0.1, port: 0}] | s.yaml:1: listeners[0]: listener 127.0.0.1:0: " +
            "port 0 cannot be persisted, as it selects another port at each start; name a port",
        "volumes: [] | s.yaml:1: volumes: unknown key; allowed here: devices, subsystems, listeners, discovery, " +
            "reactors, memory, control, state, status, metrics, warm-up, limits, tcp, rdma, spdk",
        "a: &x b | s.yaml:1: anchors and aliases (& and *) are not supported; quote the value if it is meant as " +
            "text, else write it out"})
    void shouldSayWhatIsWrong(final String text, final String message)
    {
        assertEquals(message, refusal(text));
    }

    @Test
    void shouldNameTheLineOfTheSecondOfTwo()
    {
        assertEquals("s.yaml:3: devices[1]: device a: is declared twice; keep one", refusal("""
            devices:
              - {name: a, type: memory, size: 1MiB}
              - {name: a, type: memory, size: 1MiB}
            """));
    }

    @Test
    void shouldTakeTenThousandNamespaces()
    {
        final StringBuilder text = new StringBuilder("devices:\n");
        for (int i = 1; i <= 10_000; i++)
        {
            text.append("  - {name: volume-").append(i).append(", type: memory, size: 1MiB}\n");
        }
        text.append("subsystems:\n  - nqn: nqn.2026-11.io.millrace:many\n    allow-any-host: true\n    namespaces:\n");
        for (int i = 1; i <= 10_000; i++)
        {
            text.append("      - {nsid: ").append(i).append(", device: volume-").append(i).append("}\n");
        }
        text.append("listeners: []\ndiscovery: false\n");
        final DesiredState state = StateDocument.read("s.yaml", text.toString()).state();
        assertEquals(10_000, state.namespaceCount());
        assertEquals(text.toString(), StateDocument.write(state));
        final List<StateStep> steps = new ArrayList<>(StatePlan.between(DesiredState.EMPTY, state).steps());
        assertEquals(20_001, steps.size());
        assertEquals(state, state.including(DesiredState.EMPTY));
    }
}
