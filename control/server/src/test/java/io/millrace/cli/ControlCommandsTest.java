package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.console.ExitCode;
import io.millrace.control.agent.AgentFixture;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.snapshot.DataPlaneState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The control commands against a data plane in this process. */
class ControlCommandsTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String HOST = "nqn.2026-11.io.host:a";
    private static final String DOCUMENT = """
        devices:
          - {name: mem0, type: memory, size: 1MiB}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            allow-any-host: true
            namespaces:
              - {nsid: 1, device: mem0}
        listeners: []
        discovery: false
        """;

    @TempDir
    private Path directory;

    private AgentFixture fixture;

    @BeforeEach
    void start()
    {
        fixture = AgentFixture.ipc(directory);
    }

    @AfterEach
    void stop()
    {
        fixture.close();
    }

    private CommandRun run(final String line)
    {
        return runWithInput("", line);
    }

    private CommandRun runWithInput(final String input, final String line)
    {
        final List<String> args = new ArrayList<>(Arrays.asList(line.split(" ")));
        args.addAll(List.of("--control", fixture.settings().directory().toString()));
        return CommandRun.withInput(input, args.toArray(String[]::new));
    }

    private String ok(final String line)
    {
        final CommandRun run = run(line);
        assertEquals("", run.errors(), line);
        assertEquals(ExitCode.OK, run.exitCode(), line);
        return run.out();
    }

    private void refused(final int exitCode, final String line, final String message)
    {
        final CommandRun run = run(line);
        assertEquals("millrace " + message + "\n", run.err());
        assertEquals(exitCode, run.exitCode());
    }

    @Test
    void shouldMakeAVolumeStepByStep()
    {
        assertEquals("device mem0 created\n", ok("device create mem0 --size 1MiB"));
        assertEquals("subsystem " + NQN + " created\nhost " + HOST + " allowed\n",
            ok("subsystem create " + NQN + " --host " + HOST + " --serial S1"));
        assertEquals("namespace 1 of " + NQN + " exports device mem0\n", ok("namespace add " + NQN + " mem0"));
        assertTrue(ok("listener add 127.0.0.1:0").matches("listening on 127\\.0\\.0\\.1:\\d+\n"));
        assertTrue(ok("listener add localhost:0").matches("listening on (127\\.0\\.0\\.1|\\[::1]):\\d+\n"));
        assertEquals("""
            NAME  TYPE    SIZE  BLOCK  STATE   HEALTH  USERS  SETTINGS
            mem0  memory  1MiB   4096  in-use  online      1  -
            """, ok("device list"));
        assertEquals(ok("device list"), ok("get devices"));
        assertTrue(ok("namespace list " + NQN).contains("mem0"));
        assertTrue(ok("subsystem list").contains("S1"));
        assertTrue(ok("host list").contains(HOST));
        assertTrue(ok("reactor list").contains("test-1"));
        assertTrue(ok("host connected").endsWith("\nno hosts connected\n"));
        assertEquals("device mem0 has 2MiB\n", ok("device resize mem0 +1MiB"));
        assertEquals("subsystem " + NQN + " allows any host\n", ok("subsystem allow-any " + NQN));
        assertEquals("host " + HOST + " denied on " + NQN + "\n", ok("host deny " + NQN + " " + HOST));
        assertEquals("namespace 1 of " + NQN + " removed\n", ok("namespace remove " + NQN + " 1"));
        assertEquals("subsystem " + NQN + " deleted\n", ok("subsystem delete " + NQN));
        assertEquals("device mem0 deleted\n", ok("device delete mem0 --yes"));
        assertTrue(ok("device list").endsWith("\nno devices\n"));
    }

    /** No machine has an RDMA device with an address for documentation. */
    @Test
    void shouldSayWhyAListenerOverRdmaIsRefused()
    {
        final CommandRun run = run("listener add 192.0.2.7 --transport rdma");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().startsWith("millrace listener add: listener rdma://192.0.2.7:4420: "), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
        assertEquals(run.err(), run("listener add rdma://192.0.2.7").err());
        ok("subsystem create " + NQN + " --allow-any-host");
        assertEquals("ANA group 2 of " + NQN + " is inaccessible at rdma://192.0.2.7:4420\n",
            ok("ana set " + NQN + " inaccessible --group 2 --listener rdma://192.0.2.7"));
    }

    @Test
    void shouldSetAndShowAnaStates()
    {
        ok("device create mem0 --size 1MiB");
        ok("subsystem create " + NQN + " --allow-any-host");
        ok("namespace add " + NQN + " mem0 --ana-group 2");
        assertEquals("""
            SUBSYSTEM  LISTENER  GROUP  STATE  NAMESPACES  CHANGES
            no ANA states
            """, ok("ana list"));
        assertEquals("every ANA group of " + NQN + " is non-optimized at 192.0.2.7:4420\n",
            ok("ana set " + NQN + " non-optimized --listener 192.0.2.7"));
        assertEquals("ANA group 2 of " + NQN + " is inaccessible at [::1]:4421\n",
            ok("ana set " + NQN + " INACCESSIBLE --listener [::1]:4421 --group 2"));
        assertEquals("ANA group 9 of " + NQN + " is in transition at every listener\n",
            ok("ana set " + NQN + " change --group 9"));
        final String listed = ok("ana list " + NQN).replaceAll(" +", " ");
        assertTrue(run("ana set " + NQN + " fine").err().startsWith(
            "millrace ana set: STATE: 'fine' is no ANA state: use one of optimized, non-optimized, inaccessible, " +
                "persistent-loss, change\n"));
        final String row = "\n" + NQN + " 192.0.2.7:4420 ";
        assertTrue(listed.startsWith("SUBSYSTEM LISTENER GROUP STATE NAMESPACES CHANGES" + row +
            "1 non-optimized 0 1" + row + "2 non-optimized 1 1" + row + "3-8 non-optimized 0 1" + row + "9 change 0 2" +
            row + "10-128 non-optimized 0 1\n"), listed);
        assertTrue(listed.endsWith("\n" + NQN + " any other 9 change 0 1\n"), listed);
        assertTrue(ok("ana list --json").contains("\"listener\": \"[::1]:4421\",\n    \"group\": 2,\n    " +
            "\"state\": \"inaccessible\","));
        assertEquals(ok("ana list"), ok("get ana"));
        assertTrue(ok("get -o yaml").contains("""
                  - {nsid: 1, device: mem0, ana-group: 2}
                ana:
                  - {group: 9, state: inaccessible}
                  - {listener: '192.0.2.7:4420', state: non-optimized}
                  - {listener: '192.0.2.7:4420', group: 9, state: inaccessible}
                  - {listener: '[::1]:4421', group: 2, state: inaccessible}
            """), ok("get -o yaml"));
        // Groups that get the same are one line; one with a namespace does not pass through another state.
        ok("ana set " + NQN + " inaccessible --listener 192.0.2.7 --group 2");
        final CommandRun dry = runWithInput(ok("get -o yaml").replace("state: non-optimized", "state: optimized"),
            "apply -f - --dry-run");
        assertEquals("~ make ANA groups 1, 3-8, 10-128 of " + NQN + " optimized at 192.0.2.7:4420\n" +
            "0 to create, 126 to change, 0 to remove\n", dry.out());
        ok("ana set " + NQN + " optimized");
        assertFalse(ok("get -o yaml").contains("ana:"));
    }

    @Test
    void shouldSetShowAndClearLimits()
    {
        ok("device create mem0 --size 1MiB");
        ok("subsystem create " + NQN + " --allow-any-host");
        ok("namespace add " + NQN + " mem0");
        assertTrue(ok("qos list").endsWith("\nno limits\n"));
        assertEquals("namespace " + NQN + "/1 is limited to iops 20000, write-bandwidth 200MiB\n",
            ok("qos set " + NQN + " 1 --iops 20000 --write-bandwidth 200MiB"));
        assertEquals("host " + HOST + " of " + NQN + " is limited to read-iops 5000, burst 100ms\n",
            ok("qos set " + NQN + " " + HOST + " --read-iops 5000 --burst 100ms"));
        final String listed = ok("qos list").replaceAll(" +", " ");
        assertEquals("SUBSYSTEM LIMITED LIMITS WAITED WAITING AVG WAIT\n" +
            NQN + " namespace 1 iops 20000, write-bandwidth 200MiB 0 0 -\n" +
            NQN + " " + HOST + " read-iops 5000, burst 100ms 0 0 -\n", listed);
        assertTrue(ok("get qos --json").contains("\"iops\": 20000,"));
        // Former limits are gone, all of them.
        ok("qos set " + NQN + " 1 --bandwidth 1MiB");
        final String document = ok("get -o yaml");
        assertTrue(document.contains("    qos:\n      - {nsid: 1, bandwidth: 1MiB}\n"), document);
        final CommandRun dry = runWithInput(document.replace("bandwidth: 1MiB", "iops: 7"), "apply -f - --dry-run");
        assertEquals("~ limit namespace " + NQN + "/1 to iops 7\n0 to create, 1 to change, 0 to remove\n", dry.out());
        assertEquals("host " + HOST + " of " + NQN + " is not limited\n", ok("qos clear " + NQN + " " + HOST));
        ok("qos clear " + NQN + " 1");
        assertTrue(ok("qos list").endsWith("\nno limits\n"));
        assertEquals(ExitCode.OK, runWithInput(document, "apply -f - -y").exitCode());
        assertEquals(document, ok("get -o yaml"));
    }

    @Test
    void shouldAddNamespacesInTheLowestGap()
    {
        ok("subsystem create " + NQN + " --allow-any-host");
        for (final int i : List.of(1, 2, 3))
        {
            ok("device create mem" + i + " --size 1MiB");
        }
        ok("namespace add " + NQN + " mem1 --nsid 2");
        assertEquals("namespace 1 of " + NQN + " exports device mem2\n", ok("namespace add " + NQN + " mem2"));
        assertEquals("namespace 3 of " + NQN + " exports device mem3\n", ok("namespace add " + NQN + " mem3"));
    }

    @Test
    void shouldMakeEachKindOfDevice()
    {
        ok("device create file0 --path " + directory.resolve("f.img") + " --size 1MiB --block-size 512 " +
            "--queue-depth 16 --no-preallocate");
        ok("device create bad0 --base file0 --seed 7");
        ok("device create sink --type discard --size 1GiB");
        final String listed = ok("device list --output yaml");
        assertTrue(listed.contains("read-only: false\n  preallocate: false\n  queue-depth: 16\n"), listed);
        assertTrue(listed.contains("- name: bad0\n  type: fault\n"), listed);
        assertTrue(listed.contains("  type: discard\n") || listed.contains("  type: \"null\"\n"), listed);
        assertEquals("device bad0 has 2 fault rules\n", ok("device faults bad0 --rule " +
            "effect=error,operations=read+write,first-block=8,last-block=15,status=media-error,every=3,count=5 " +
            "-r effect=delay,delay=10ms,probability=0.5"));
        final String devices = ok("device list");
        assertTrue(devices.contains(" rules=[effect=error,operations=read+write,"), devices);
        assertTrue(devices.contains("; effect=delay,delay=10ms,probability=0.5]"), devices);
        final FaultPlan plan = FaultPlan.of(fixture.dataPlane().devices().get("bad0").config().properties());
        assertEquals(FaultEffect.ERROR, plan.rules().get(0).effect());
        assertEquals(15, plan.rules().get(0).lbaTo());
        assertEquals(TimeUnit.MILLISECONDS.toNanos(10), plan.rules().get(1).delayNs());
        assertEquals("device bad0 has no fault rules\n", ok("device faults bad0 --clear"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', value = {
        "1 | device resize none +1MiB | device resize: device none: does not exist; there are no devices",
        "2 | device create a | device create: --size: missing; add it: size of the device, a multiple of block-size",
        "2 | device create a --type file | device create: --path: missing; add it: regular file or block device",
        "2 | device create a --type nvme | device create: --address: missing; add it: PCI address of a " +
            "drive bound to vfio-pci; 'millrace drive list' shows it",
        "2 | device create a --address nvme0 | device create: --address = nvme0: no PCI address; write one such " +
            "as 0000:01:00.0, which 'millrace drive list' shows",
        "2 | device create a --address 01:00.0 --nsid 0 | device create: --nsid = 0: out of range 1 to " +
            "2147483647; use a value in the range",
        "2 | device create a --address 01:00.0 --size 1GiB | device create: --size: no setting of type nvme; its " +
            "options are --address, --nsid, --queue-depth, --command-timeout, --interrupts, --unsafe-noiommu, " +
            "--shared-spare",
        "2 | device create a --size 1MiB --nsid 1 | device create: --size: no setting of type nvme; its " +
            "options are --address, --nsid, --queue-depth, --command-timeout, --interrupts, --unsafe-noiommu, " +
            "--shared-spare",
        "1 | device create a --address ff:1f.7 --nsid 2 | device create: device a: no PCI function is at " +
            "0000:ff:1f.7: 'millrace drive list' shows the NVMe drives and their addresses",
        "2 | device create a --size 1MiB --base b --type memory | device create: --base: no setting of type memory; " +
            "its options are --size, --block-size, --shared-spare",
        "2 | device create a --size 5 | device create: --size = 5: out of range 512 to 8PiB; use a value in the range",
        "2 | device create a --size 5000 | device create: --size = 5000: not a positive multiple of block-size 4096; " +
            "use 4096 or 8192",
        "2 | device create a --type null --size 1MiB | device create: --type = null: no type any more; write " +
            "discard, its name now",
        "2 | device set a size | device set: 'size' is no setting: write KEY=VALUE",
        "2 | device faults a | device faults: give rules with --rule, or --clear, and not both",
        "1 | namespace add nqn.2026-11.io.a mem0 --nsid 3 | namespace add: subsystem nqn.2026-11.io.a: does not " +
            "exist; there are no subsystems",
        "2 | listener add here:there | listener add: 'here:there' is no address: write 192.0.2.7, 192.0.2.7:4420 or " +
            "[2001:db8::7]:4420",
        "2 | listener add 127.0.0.1 --transport udp | listener add: transport 'udp' is unknown: use tcp, rdma or " +
            "vfio-user",
        "2 | listener add rdma://127.0.0.1 --transport tcp | listener add: 'rdma://127.0.0.1' and --transport tcp " +
            "exclude each other: give one of them",
        "2 | listener add 127.0.0.1 --transport vfio-user --provider spdk | listener add: '127.0.0.1' is no absolute " +
            "path: write that of the directory of a vfio-user listener, as /run/millrace/vfio-user",
        "1 | listener add /run/vm --transport vfio-user | listener add: listener vfio-user:///run/vm: is of " +
            "vfio-user, which SPDK's target alone serves; give it the provider spdk",
        "1 | listener remove vfio-user:///run/./vm | listener remove: listener vfio-user:///run/vm does not exist; " +
            "there are no listeners",
        "1 | listener remove /run/vm | listener remove: listener vfio-user:///run/vm does not exist; there are no " +
            "listeners",
        "2 | listener add /run/vm --transport tcp | listener add: '/run/vm' and --transport tcp exclude each other: " +
            "give one of them",
        "1 | listener remove rdma://127.0.0.1 | listener remove: listener rdma://127.0.0.1:4420 does " +
            "not exist; there are no listeners",
        "2 | listener add no.such.name.invalid | listener add: 'no.such.name.invalid' is an unknown host name: write " +
            "an IP address, or a name that this machine resolves ('getent hosts no.such.name.invalid' shows it)",
        "2 | listener add [::g] | listener add: '[::g]' is neither an IP address nor a host name: write one such as " +
            "127.0.0.1, 0.0.0.0, \"::1\" or storage.example",
        "1 | ana set nqn.2026-11.io.a optimized | ana set: subsystem nqn.2026-11.io.a: does not exist; there are " +
            "no subsystems",
        "2 | ana set nqn.2026-11.io.a optimized -l 192.0.2.7:0 | ana set: --listener 192.0.2.7:0: port is not within " +
            "1 to 65535; give that of the listener",
        "2 | ana set nqn.2026-11.io.a optimized -g 0 | ana set: --group 0: is not within 1 to 128; choose another, " +
            "or leave it out for all",
        "2 | qos set nqn.2026-11.io.a 1 | qos set: no limit is given: add --iops, --read-iops, --write-iops, " +
            "--bandwidth, --read-bandwidth, --write-bandwidth; 'millrace qos clear' removes limits",
        "1 | qos set nqn.2026-11.io.a 1 --iops 5 | qos set: subsystem nqn.2026-11.io.a: does not exist; there " +
            "are no subsystems",
        "2 | qos clear nqn.2026-11.io.a 0 | qos clear: '0' is no namespace: numbers begin with 1; 'millrace " +
            "namespace list' shows them",
        "1 | history | history: a data plane has no versions of a desired state, its manager does: start one with " +
            "'millrace manager', or name it with --control",
        "1 | audit | audit: a data plane has no audit log, its manager does: start one with 'millrace manager', or " +
            "name it with --control",
        "1 | host disconnect nqn.2026-11.io.a 7 -y | host disconnect: host 7 is not connected to nqn.2026-11.io.a; " +
            "'millrace host connected' lists who is",
        "2 | device list --key-name x | device list: --key-name and --key-file belong together: give both " +
            "or none, also as MILLRACE_KEY and MILLRACE_KEY_FILE, or in the client file",
        "2 | dataplane stop | dataplane stop: data plane test would stop, with no host connected, and what its " +
            "memory " +
            "devices hold is lost: add --yes to confirm"})
    void shouldSayWhyNot(final int exitCode, final String line, final String message)
    {
        refused(exitCode, line, message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', value = {
        "effect=none | effect = none: not one of error, delay, torn-write, lost-write, hang, power-loss; use one",
        "operations=read | rules[0].effect: missing; add it: what happens",
        "effect=error,colour=red | colour: unknown key; write KEY=VALUE with keys of effect, ",
        "effect=error,effect=hang | effect: given twice; keep one",
        "effect=delay | delay: missing; add how long effect delay holds a request",
        "effect=error,first-block=9,last-block=8 | last-block = 8: below first-block 9; swap them",
        "effect=error,status=fine | status = fine: not one of success, media-error, ",
        "effect=error,probability=7 | probability = 7: not a number from 0 to 1; write it as 0.01"})
    void shouldSayWhatIsWrongWithAFaultRule(final String rule, final String message)
    {
        final CommandRun run = run("device faults a --rule " + rule);
        assertEquals(ExitCode.USAGE, run.exitCode());
        assertTrue(run.err().contains(message), run.err());
    }

    @Test
    void shouldKeepWhatIsInMemoryUnlessItIsMeant()
    {
        ok("device create mem0 --size 1MiB");
        refused(ExitCode.USAGE, "device delete mem0", "device delete: device mem0 is in memory, and what its 1MiB " +
            "hold is lost with it: add --yes to confirm");
        assertEquals(1, fixture.dataPlane().devices().list().size());
        assertEquals("device mem0 deleted\n", ok("device delete mem0 -y"));
    }

    @Test
    void shouldDrainPauseResumeAndStop()
    {
        ok("dataplane drain");
        assertEquals(DataPlaneState.DRAINING, fixture.dataPlane().snapshot().state());
        ok("dataplane pause");
        assertEquals(DataPlaneState.PAUSED, fixture.dataPlane().snapshot().state());
        assertTrue(ok("dataplane status").contains("\nstate:          paused\n"));
        assertTrue(ok("dataplane list --json").contains("\"state\": \"paused\""));
        assertEquals("data plane test is serving\n", ok("dataplane resume"));
        assertEquals("data plane test stops\n", ok("dataplane stop --yes"));
        assertEquals(0, fixture.stopped().getCount());
    }

    @Test
    void shouldShowAll() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("s.yaml"), DOCUMENT);
        assertEquals(ExitCode.OK, run("apply -f " + file + " --yes").exitCode());
        final String text = ok("get -o yaml");
        assertEquals(DOCUMENT, text);
        final Path written = Files.writeString(directory.resolve("written.yaml"), text);
        final CommandRun check = CommandRun.of("serve", "--config", written.toString(), "--check");
        assertEquals(ExitCode.OK, check.exitCode(), check.err());
        final CommandRun same = run("apply -f " + written + " --dry-run");
        assertEquals("no changes\n", same.out());
        assertEquals("", same.err());
        assertTrue(ok("get --json").startsWith("{\n  \"devices\": [\n    {\n      \"name\": \"mem0\","));
        assertTrue(ok("get").contains("\nno listeners\n"));
        assertTrue(ok("get reactor").startsWith("INDEX  NAME "));
        assertTrue(ok("get device mem0 --output json").startsWith("[\n"));
        assertEquals(ExitCode.USAGE, run("get tapes").exitCode());
    }

    @Test
    void shouldApplyADocument() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("s.yaml"), DOCUMENT);
        final CommandRun dry = run("apply --file " + file + " --dry-run");
        assertEquals(ExitCode.CHANGES, dry.exitCode());
        assertEquals("""
            + create memory device mem0 with size 1MiB
            + create subsystem nqn.2026-11.io.millrace:vol0 for every host
            + add namespace 1 of nqn.2026-11.io.millrace:vol0 on device mem0
            3 to create, 0 to change, 0 to remove
            """, dry.out());
        assertTrue(ok("device list").endsWith("\nno devices\n"));
        refused(ExitCode.USAGE, "apply --file " + file,
            "apply: 3 to create, 0 to change, 0 to remove: add --yes to confirm");
        final CommandRun done = run("apply --file " + file + " --yes");
        assertEquals(ExitCode.OK, done.exitCode());
        assertEquals("done\n", done.err());
        assertEquals("no changes\n", ok("apply --file " + file + " --dry-run"));

        final String smaller = DOCUMENT.replace("1MiB", "512KiB");
        final CommandRun refused = runWithInput(smaller, "apply -f - -y");
        assertEquals(ExitCode.USAGE, refused.exitCode());
        assertTrue(refused.out().contains("! delete memory device mem0 to recreate it"), refused.out());
        assertTrue(refused.err().endsWith("add --allow-destroy to confirm; nothing was done\n"));
        assertTrue(ok("device list").contains(" 1MiB "));
        assertEquals(ExitCode.OK, runWithInput(smaller, "apply -f - -y --allow-destroy").exitCode());
        assertEquals(smaller, ok("get -o yaml"));
    }

    @Test
    void shouldKeepWhatAFileDoesNotNameWhenAsked()
    {
        ok("device create other --size 1MiB");
        final CommandRun run = runWithInput(DOCUMENT, "apply -f - -y --no-prune");
        assertFalse(run.out().contains("other"), run.out());
        assertEquals(ExitCode.OK, run.exitCode());
        assertTrue(runWithInput(DOCUMENT, "apply -f - --dry-run --json").out().contains(
            "\"sentence\": \"delete memory device other; its data is lost\""));
    }

    @Test
    void shouldSayWhichStepOfADocumentFailed()
    {
        final String path = directory + "/none/at/all.img";
        final CommandRun run = runWithInput("""
            devices:
              - {name: a, type: memory, size: 1MiB}
              - {name: b, type: file, path: %s, size: 1MiB}
            """.formatted(path), "apply -f - -y");
        assertEquals(ExitCode.FAILURE, run.exitCode());
        assertTrue(run.err().startsWith("millrace apply: cannot create file device b with path " + path +
            ", size 1MiB: device b: path " + path + " cannot be opened: make its directory first"), run.err());
        assertTrue(run.err().endsWith("; 1 of 2 steps were done\n"), run.err());
        final CommandRun wrong = runWithInput("devices: [{name: a}]", "apply -f -");
        assertEquals(ExitCode.USAGE, wrong.exitCode());
        assertTrue(wrong.err().startsWith("millrace apply: standard input:1: devices[0].type: missing"), wrong.err());
    }

    @Test
    void shouldSayWhatCannotBe()
    {
        final String text = "devices: [{name: f, type: file, path: " + directory + "/f.img, size: 2MiB}]";
        assertEquals(ExitCode.OK, runWithInput(text, "apply -f - -y").exitCode());
        final CommandRun run = runWithInput(text.replace("2MiB", "1MiB"), "apply -f - -y");
        assertEquals(ExitCode.FAILURE, run.exitCode());
        assertTrue(run.err().startsWith("millrace apply: device f: size 1MiB is below the 2MiB that path " + directory),
            run.err());
    }

    @Test
    void shouldApplyTenThousandNamespaces()
    {
        final StringBuilder text = new StringBuilder("devices:\n");
        final StringBuilder namespaces = new StringBuilder();
        for (int i = 1; i <= 10_000; i++)
        {
            text.append("  - {name: v").append(i).append(", type: discard, size: 1MiB}\n");
            namespaces.append("      - {nsid: ").append(i).append(", device: v").append(i).append("}\n");
        }
        text.append("subsystems:\n  - nqn: ").append(NQN).append("\n    allow-any-host: true\n    namespaces:\n")
            .append(namespaces).append("listeners: []\ndiscovery: false\n");
        final CommandRun run = runWithInput(text.toString(), "apply -f - -y");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.lines().contains("  ... 19941 more, --verbose shows them"), run.out());
        assertEquals(text.toString(), ok("get -o yaml"));
    }

    @Test
    void shouldShowWhatIsDoneInAnInterval()
    {
        assertEquals(ExitCode.OK, runWithInput(DOCUMENT, "apply -f - -y").exitCode());
        final String shown = ok("top --once --interval 100ms");
        assertTrue(shown.startsWith("test is serving, up "), shown);
        assertTrue(shown.contains("\n" + NQN + "/1  mem0            0      0B    -    -"), shown);
        assertEquals(shown.lines().findFirst().orElseThrow().split(" up ")[0],
            ok("top --interval 100ms").lines().findFirst().orElseThrow().split(" up ")[0]);
        final String json = ok("top --once --json --interval 100ms");
        assertTrue(json.contains("\"device\": \"mem0\",\n      \"read\": {\n        \"iops\": 0.0,"), json);
        refused(ExitCode.USAGE, "top --interval 1ms",
            "top: --interval 1ms: out of range 100ms to 1h; use a value in the range");
    }

    @Test
    void shouldSayWhatToStartWhenNobodyIsThere()
    {
        final CommandRun run = CommandRun.of("device", "list", "--control", directory.resolve("none").toString());
        assertEquals(ExitCode.FAILURE, run.exitCode());
        assertEquals("millrace device list: no process accepts commands: there is no directory " +
            directory.resolve("none") + ": start 'millrace serve' or 'millrace manager' with that control directory, " +
            "or name another\n", run.err());
    }

    @Test
    void shouldProveAKeyOverUdp() throws IOException
    {
        final Path other = Files.createDirectory(directory.resolve("udp"));
        try (AgentFixture udp = AgentFixture.udp(other))
        {
            final Path key = Files.writeString(directory.resolve("key"), AgentFixture.SECRET);
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
            final String[] args = {"dataplane", "status", "--control", udp.settings().channel(),
                "--key-name", "admin", "--key-file", key.toString()};
            final CommandRun run = CommandRun.of(args);
            assertEquals("", run.errors());
            assertTrue(run.out().startsWith("name:           test\n"), run.out());
            args[5] = "nobody";
            final CommandRun refused = CommandRun.of(args);
            assertEquals(ExitCode.FAILURE, refused.exitCode());
            assertEquals(1, refused.err().lines().count(), refused.err());
            assertEquals(ExitCode.USAGE, CommandRun.of("dataplane", "status", "--control",
                udp.settings().channel()).exitCode());
        }
    }

    @Test
    void shouldPrintEventsAsTheyCome() throws InterruptedException
    {
        // Commands print to the standard streams of the process: changes come from elsewhere meanwhile.
        final Thread changes = Thread.ofPlatform().start(() ->
        {
            for (int i = 0; fixture.agent().sessionCount() == 0 && i < 10_000; i++)
            {
                LockSupport.parkNanos(1_000_000);
            }
            for (int i = 0; !Thread.interrupted() && i < 10_000; i++)
            {
                fixture.dataPlane().devices().create(DeviceConfig.discard("d" + i, 4096, 4096));
                LockSupport.parkNanos(1_000_000);
            }
        });
        final CommandRun json = run("events --json --count 2 --kind device --change created --name d*");
        assertEquals(ExitCode.OK, json.exitCode());
        assertEquals(2, json.lines().size());
        assertTrue(json.lines().getFirst().matches(
            "\\{\"time\": \"[0-9TZ:.-]+\", \"kind\": \"device\", \"change\": \"created\", \"name\": \"d\\d+\", " +
                "\"message\": \"discard\"}"), json.out());
        final CommandRun watch = run("watch devices --count 3");
        assertEquals(3, watch.lines().size());
        assertTrue(watch.lines().getFirst().matches("[0-9-]+ [0-9:]+  created       device      d\\d+: discard"),
            watch.out());
        changes.interrupt();
        changes.join();
    }

    /** As in the configuration of a data plane, with the same message. */
    @Test
    void shouldResolveHostNamesOfListenersInADocument()
    {
        final String document = "listeners: [{address: localhost, port: " + FreePorts.tcp() + "}]\ndiscovery: false\n";
        final CommandRun applied = runWithInput(document, "apply -f - -y");
        assertEquals(ExitCode.OK, applied.exitCode(), applied.err());
        assertTrue(ok("listener list").matches("(?s).*tcp +(127\\.0\\.0\\.1|::1) .*"), ok("listener list"));
        final CommandRun unknown =
            runWithInput(document.replace("localhost", "no-such-host.invalid"), "apply -f - -y");
        assertEquals(ExitCode.USAGE, unknown.exitCode());
        assertTrue(unknown.err().startsWith("millrace apply: standard input:1: listeners[0].address = " +
            "no-such-host.invalid: an unknown host name; write an IP address, or a name that this machine resolves"),
            unknown.err());
    }
}
