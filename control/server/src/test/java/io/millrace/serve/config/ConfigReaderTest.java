package io.millrace.serve.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.file.FileDeviceConfig.Polling;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.block.file.FileRecords;
import io.millrace.block.nvme.NvmeDeviceConfig;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.state.StateDocument;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.QosSettings;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SpdkSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig.IdleMode;
import io.millrace.settings.ConfigException;
import io.millrace.settings.Setting;
import io.millrace.spdk.SpdkConfig;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigReaderTest
{
    private static final String MINIMAL = """
        devices:
          - {name: mem0, type: memory, size: 16MiB}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            allow-any-host: true
            namespaces: [{nsid: 1, device: mem0}]
        listeners:
          - {transport: tcp, address: 127.0.0.1}
        """;

    private static DataPlaneConfig read(final String text)
    {
        return ConfigReader.read("test.yaml", text).config();
    }

    private static String message(final String text)
    {
        final ConfigException e = assertThrows(ConfigException.class, () -> ConfigReader.read("test.yaml", text));
        assertFalse(e.getMessage().contains("\n"), e.getMessage());
        return e.getMessage();
    }

    @Test
    void shouldReadSettingsOfSpdk()
    {
        final SpdkSettings defaults = read(MINIMAL).spdk();
        assertFalse(defaults.atStart());
        assertEquals(new SpdkConfig(null, 512, false, List.of(), ControlDirectories.base().resolve("spdk.sock")),
            defaults.config());
        assertEquals(ControlDirectories.base().resolve("spdk-a.sock"),
            read(MINIMAL + "control: {name: a}\n").spdk().config().rpcSocket());
        assertTrue(read(MINIMAL + "spdk: {memory: 1GiB}\n").spdk().atStart());
        final ConfigReader.Result all = ConfigReader.read("test.yaml", MINIMAL + "spdk: {config: /etc/spdk.json, " +
            "memory: 1GiB, hugepages: true, pci: [\"01:00.0\", \"0000:0A:1f.7\"], rpc-socket: /run/s, " +
            "exports: [vol1, vol2], front-ends: /etc/nvmf.json}\n");
        final SpdkSettings given = new SpdkSettings(new SpdkConfig(Path.of("/etc/spdk.json"), 1024, true,
            List.of("0000:01:00.0", "0000:0a:1f.7"), Path.of("/run/s")), true, List.of("vol1", "vol2"),
            Path.of("/etc/nvmf.json"));
        assertEquals(given, all.config().spdk());
        // Its devices are not there before the state is restored.
        assertEquals(given.withoutExports(), all.withoutServed().spdk());
        assertEquals(given, all.withRecords(FileRecords.NONE).spdk());
        assertNull(read(MINIMAL + "spdk: {rpc-socket: none}\n").spdk().config().rpcSocket());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "memory: 255MiB | spdk.memory = 255MiB: out of range 256MiB to 1TiB; use a value in the range",
        "memory: 2TiB | spdk.memory = 2TiB: out of range 256MiB to 1TiB; use a value in the range",
        "memory: 268435457 | spdk.memory = 268435457: not whole MiB; use 257MiB",
        "hugepages: yes | spdk.hugepages = yes: neither true nor false; write true or false",
        "pci: [nvme0] | spdk.pci[0] = nvme0: no PCI address; write one such as 0000:01:00.0, which 'millrace drive " +
            "list' shows",
        "rpc-sock: /s | spdk.rpc-sock: unknown key; did you mean rpc-socket?"})
    void shouldRefuseSettingsOfSpdk(final String setting, final String message)
    {
        final String actual = message(MINIMAL + "spdk: {" + setting + "}\n");
        assertTrue(actual.contains(message), actual);
    }

    @Test
    void shouldRefuseASocketThatTheKernelCannotName()
    {
        final String path = "/" + "s".repeat(106);
        assertEquals(Path.of(path), read(MINIMAL + "spdk: {rpc-socket: " + path + "}\n").spdk().config().rpcSocket());
        assertTrue(message(MINIMAL + "spdk: {rpc-socket: " + path + "s}\n").endsWith(
            "s: longer than 107 bytes, which the kernel takes for a socket; use a shorter path"));
    }

    private static DeviceConfig noSpare(final DeviceConfig device)
    {
        return device.with(device.properties().with(DeviceConfig.SHARED_SPARE, false));
    }

    @Test
    void shouldReadABdevOfSpdkOnce()
    {
        final String devices = MINIMAL.replace("devices:\n", "devices:\n  - {name: s, type: spdk-bdev, bdev: M0}\n");
        assertEquals(
            noSpare(DeviceConfig.of("s", "spdk-bdev", Map.of("bdev", "M0"))), read(devices).devices().getFirst());
        final String twice = message(devices.replace("subsystems:", "  - {name: t, type: spdk-bdev, bdev: M0}\n" +
            "subsystems:"));
        assertTrue(twice.contains("bdev M0"), twice);
    }

    @Test
    void shouldReadADriveOfItsOwn()
    {
        final String served = """
            subsystems:
              - {nqn: "nqn.2026-11.io.example:a", allow-any-host: true, namespaces: [{nsid: 1, device: d}]}
            listeners: [{transport: tcp, address: 127.0.0.1, port: 0}]
            """;
        assertEquals(
            List.of(NvmeDeviceConfig.of("d", "0000:01:00.0", 1),
                new NvmeDeviceConfig("e", "0001:0a:1f.7", 3, 64, 5_000_000_000L, true)),
            ConfigReader.read("f.yaml", """
                devices:
                  - {name: d, type: nvme, address: "01:00.0"}
                  - {name: e, type: nvme, address: "0001:0A:1F.7", nsid: 3, queue-depth: 64, command-timeout: 5s,
                     interrupts: true, unsafe-noiommu: true}
                """ + served).config().devices().stream()
                .map((each) -> NvmeDeviceConfig.of(each.name(), each.properties())).toList());
        for (final String[] wrong : new String[][]{
            {"address: here", "devices[0].address = here: no PCI address; write one such as 0000:01:00.0, which " +
                 "'millrace drive list' shows"},
            {"address: \"01:00.0\", queue-depth: 1024", "devices[0].queue-depth = 1024: out of range 1 to 1023; " +
                 "use a value in the range"},
            {"address: \"01:00.0\", size: 1GiB", "devices[0].size: no setting of type nvme; remove it, or use type " +
                 "discard or file or memory or spdk-lvol"}})
        {
            final ConfigException refused = assertThrows(ConfigException.class, () -> ConfigReader.read(
                "f.yaml", "devices:\n  - {name: d, type: nvme, " + wrong[0] + "}\n" + served));
            assertEquals("f.yaml:2: " + wrong[1], refused.getMessage());
        }
        final ConfigException twice = assertThrows(ConfigException.class, () -> ConfigReader.read("f.yaml", """
            devices:
              - {name: d, type: nvme, address: "01:00.0"}
              - {name: e, type: nvme, address: "0000:01:00.0", nsid: 1}
            """ + served));
        assertEquals("f.yaml:3: devices[1]: namespace 0000:01:00.0/1 is already used by devices[0]; choose another",
            twice.getMessage());
    }

    @Test
    void shouldListenOverTcpWhenNoTransportIsGiven()
    {
        final String text = MINIMAL.replace("transport: tcp, ", "");
        assertFalse(text.contains("transport"), text);
        assertEquals(read(MINIMAL).listeners(), read(text).listeners());
    }

    @Test
    void shouldUseDefaultsWhenLittleIsGiven()
    {
        final DataPlaneConfig config = read(MINIMAL);
        assertEquals(1, config.reactors().size());
        assertEquals("reactor-0", config.reactors().get(0).name());
        assertEquals(-1, config.reactors().get(0).cpu());
        assertEquals(IdleMode.SLEEP, config.reactors().get(0).idle());
        assertEquals(128L << 20, config.memoryBytes());
        assertEquals(List.of(noSpare(DeviceConfig.memory("mem0", 16 << 20, 4096))), config.devices());
        assertEquals("tcp://127.0.0.1:4420", config.listeners().get(0).address().toString());
        assertEquals(8009, config.discoveryPort());
        final SubsystemSettings subsystem = config.subsystems().get(0);
        assertEquals("Millrace", subsystem.model());
        assertEquals(null, subsystem.serial());
    }

    @Test
    void shouldReadEverySetting()
    {
        final DataPlaneConfig config = read("""
            reactors:
              - {name: left, cpu: 0, idle: busy-spin, spin: 0us}
              - {name: right, cpu: any, idle: sleep, spin: 1ms}
            memory: {size: 1GiB}
            devices:
              - {name: mem0, type: memory, size: 256M, block-size: 512}
              - {name: nul0, type: discard, size: 1T}
              - {name: file0, type: file, path: /nowhere/vol0.img, size: 1GiB, block-size: 512, read-only: true,
                 preallocate: false, queue-depth: 32, polling: off}
              - name: bad0
                type: fault
                base: mem0
                seed: 7
                rules:
                  - {effect: error, operations: [read, compare], first-block: 8, last-block: 15, status: device-error,
                     every: 2, probability: 0.5, count: 3}
                  - {effect: delay, delay: 5ms}
                  - {effect: torn-write}
            subsystems:
              - nqn: nqn.2026-11.io.millrace:vol0
                serial: MR0001
                model: Test volume
                hosts: [nqn.2014-08.org.nvmexpress:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6]
                namespaces:
                  - {nsid: 1, device: bad0, uuid: f81d4fae-7dec-11d0-a765-00a0c91e6bf6}
                  - {nsid: 7, device: nul0, ana-group: 128}
                ana:
                  - {state: non-optimized}
                  - {listener: 192.0.2.7:4421, group: 128, state: inaccessible}
                  - {listener: "[::1]:4421", state: persistent-loss}
                  - {listener: "rdma://192.0.2.7:4421", state: inaccessible}
              - nqn: nqn.2026-11.io.millrace:vol1
                allow-any-host: true
                namespaces: [{nsid: 1, device: file0}]
                qos:
                  - {nsid: 1, iops: 30, read-iops: 10, write-iops: 20, bandwidth: 3MiB, read-bandwidth: 1MiB,
                     write-bandwidth: 2MiB, burst: 50ms}
                  - {host: "nqn.2014-08.org.nvmexpress:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", iops: 1000}
            listeners:
              - {transport: tcp, address: 0.0.0.0, port: 4421}
              - {transport: tcp, address: "::1", port: 0}
              - {transport: tcp, address: "::1", port: 4421}
              - {transport: rdma, address: 0.0.0.0, port: 4421}
            discovery: false
            limits: {requests-per-reactor: 4096, connections: 500, connections-per-address: 200,
                     pending-connections: 100, pending-connections-per-address: 50,
                     discovery-connections: 40, discovery-connections-per-address: 8,
                     queue-pairs: 4, queue-depth: 64, controllers: 9, ana-transition-time: 255s,
              controller-id-first: 1000, controller-id-last: 1999}
            tcp: {in-capsule-data-size: 16KiB, max-h2c-data-size: 64KiB, receive-buffer-size: 1MiB, success-flag: false,
                  connect-timeout: 3s, data-timeout: 4s, send-timeout: 5s, connections: 100,
                  socket-send-size: 1MiB, socket-receive-size: 2MiB}
            rdma: {in-capsule-data-size: 16448, capsules: 128, reads: 7, connect-timeout: 6s, connections: 90,
                   transfer-timeout: 8s, allowed-addresses: [192.0.2.0/24, "fd00::7"], allow-iwarp: true}
            """);
        assertEquals(new TargetConfig(4, 64, 1 << 20, 9, 255, new ControllerIds(1000, 1999),
            new CapacityLimits(4096, 500, 200, 100, 50, 40, 8)), config.limits());
        assertEquals(List.of(new TcpTransportConfig(16 << 10, 64 << 10, 1 << 20, false, 3_000_000_000L, 100, 1 << 20,
            2 << 20, 4_000_000_000L, 5_000_000_000L),
            new RdmaTransportConfig(16448, 128, 7, 6_000_000_000L, 90, 8_000_000_000L,
                List.of("192.0.2.0/24", "fd00::7"), true)), config.transports());
        assertEquals(FaultPlan.of(7,
            new FaultRule(FaultEffect.ERROR, Set.of(BlockOperation.READ, BlockOperation.COMPARE), 8, 15,
                BlockStatus.DEVICE_ERROR, 0, 2, 0.5, 3),
            FaultRule.delay(5_000_000),
            FaultRule.tornWrite()), FaultPlan.of(config.devices().get(3).properties()));
        assertEquals(List.of(
            new QosSettings(1, "", new QosLimits(10, 20, 30, 1 << 20, 2 << 20, 3 << 20, 50)),
            new QosSettings(0, "nqn.2014-08.org.nvmexpress:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                QosLimits.ofIops(1000))), config.subsystems().get(1).qos());
        assertEquals("left", config.reactors().get(0).name());
        assertEquals(0, config.reactors().get(0).cpu());
        assertEquals(IdleMode.BUSY_SPIN, config.reactors().get(0).idle());
        assertEquals(0, config.reactors().get(0).spinNs());
        assertEquals(-1, config.reactors().get(1).cpu());
        assertEquals(1_000_000, config.reactors().get(1).spinNs());
        assertEquals(1L << 30, config.memoryBytes());
        assertEquals(noSpare(DeviceConfig.memory("mem0", 256 << 20, 512)), config.devices().get(0));
        assertEquals(DeviceConfig.discard("nul0", 1L << 40, 4096), config.devices().get(1));
        final FileDeviceConfig file = FileDeviceConfig.of("file0", config.devices().get(2).properties());
        assertEquals(Path.of("/nowhere/vol0.img"), file.path());
        assertEquals(1L << 30, file.sizeBytes());
        assertEquals(512, file.blockSizeBytes());
        assertTrue(file.readOnly());
        assertFalse(file.preallocate());
        assertEquals(32, file.queueDepth());
        assertEquals(Polling.OFF, file.polling());
        expectEverySubsystemSetting(config);
        assertEquals("rdma://0.0.0.0:4421", config.listeners().get(3).address().toString());
        assertEquals(4, config.listeners().size());
        assertEquals(DataPlaneConfig.NO_DISCOVERY_PORT, config.discoveryPort());
    }

    private static void expectEverySubsystemSetting(final DataPlaneConfig config)
    {
        final SubsystemSettings subsystem = config.subsystems().get(0);
        assertEquals("MR0001", subsystem.serial());
        assertEquals("Test volume", subsystem.model());
        assertFalse(subsystem.allowAnyHost());
        assertEquals(1, subsystem.hosts().size());
        assertEquals(UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), subsystem.namespaces().get(0).uuid());
        assertEquals(7, subsystem.namespaces().get(1).nsid());
        assertEquals(1, subsystem.namespaces().get(0).anaGroup());
        assertEquals(128, subsystem.namespaces().get(1).anaGroup());
        assertEquals(List.of(
            new SubsystemSettings.AnaSettings(null, 0, AnaState.NON_OPTIMIZED),
            new SubsystemSettings.AnaSettings(TransportAddress.tcp("192.0.2.7", 4421), 128, AnaState.INACCESSIBLE),
            new SubsystemSettings.AnaSettings(TransportAddress.tcp("::1", 4421), 0, AnaState.PERSISTENT_LOSS),
            new SubsystemSettings.AnaSettings(TransportAddress.of(TransportAddress.Type.RDMA,
                new InetSocketAddress("192.0.2.7", 4421)), 0, AnaState.INACCESSIBLE)),
            subsystem.ana());
        assertEquals(List.of(), config.subsystems().get(1).ana());
    }

    @Test
    void shouldNotAddDiscoveryPortWhenListenerHasIt()
    {
        assertEquals(DataPlaneConfig.NO_DISCOVERY_PORT,
            read(MINIMAL + "  - {transport: tcp, address: 127.0.0.1, port: 8009}\n").discoveryPort());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "size: 16MiB | size: 1000 | test.yaml:2: devices[0].size = 1000: not a positive multiple of block-size 4096; " +
            "use 4096",
        "size: 16MiB | size: 10000 | test.yaml:2: devices[0].size = 10000: not a positive multiple of block-size " +
            "4096; use 8192 or 12288",
        "size: 16MiB | size: 16MB | test.yaml:2: devices[0].size = 16MB: unit MB means different things to different " +
            "people; write MiB for powers of 1024, or plain bytes",
        "size: 16MiB | size: 16 furlongs | test.yaml:2: devices[0].size = 16 furlongs: unit furlongs is not known; " +
            "use KiB, MiB, GiB or TiB",
        "size: 16MiB | size: lots | test.yaml:2: devices[0].size = lots: not a size; write a whole number and a " +
            "unit, such as 64MiB",
        "size: 16MiB | size: 999999999999T | test.yaml:2: devices[0].size = 999999999999T: out of range 512 to 8PiB; " +
            "use a value in the range",
        "size: 16MiB | size: | test.yaml:2: devices[0].size: no value given; write a size: 512 to 8PiB",
        "size: 16MiB | size: [1] | test.yaml:2: devices[0].size: a list where a size belongs; " +
            "write one value: 512 to 8PiB",
        "', size: 16MiB' | '' | test.yaml:2: devices[0].size: missing; add it: size of the device",
        "size: 16MiB | 'size: 16MiB, path: /x' | test.yaml:2: devices[0].path: no setting of type memory; remove it, " +
            "or use type file",
        "size: 16MiB | 'size: 16MiB, block-size: 520' | test.yaml:2: devices[0].block-size = 520: neither 512 nor " +
            "4096; use one of them",
        "type: memory | type: disk | test.yaml:2: devices[0].type = disk: not one of memory",
        "name: mem0 | name: 'a b' | test.yaml:2: devices[0].name = a b: not a name",
        "name: mem0 | nam: mem0 | test.yaml:2: devices[0].nam: unknown key; did you mean name? allowed here: name, " +
            "type",
        "devices: | device: | test.yaml:1: device: unknown key; did you mean devices? allowed here: reactors, memory",
        "device: mem0 | device: mem1 | test.yaml:6: subsystems[0].namespaces[0].device = mem1: no such device; " +
            "use one of: mem0",
        "io.millrace:vol0 | io millrace | test.yaml:4: subsystems[0].nqn = nqn.2026-11.io millrace: with a " +
            "blank or a character that does not print; write it without",
        "nqn.2026-11.io.millrace:vol0 | nqn.2014-08.org.nvmexpress.discovery | test.yaml:4: subsystems[0].nqn = " +
            "nqn.2014-08.org.nvmexpress.discovery: belongs to discovery; choose another",
        "allow-any-host: true | 'hosts: [nqn.x]' | test.yaml:5: subsystems[0].hosts[0] = nqn.x: not of the form " +
            "nqn.yyyy-mm.reverse.domain[:name]; write one such as nqn.2026-11.io.example:vol0",
        "namespaces: | 'qos: [{iops: 1}]\n    namespaces:' | test.yaml:6: subsystems[0].qos[0]: neither " +
            "nsid nor host; limits are of a namespace or of a host: give one of them",
        "namespaces: | 'qos: [{nsid: 1}]\n    namespaces:' | test.yaml:6: subsystems[0].qos[0]: no limit; " +
            "give one, such as iops",
        "namespaces: | 'qos: [{nsid: 2, iops: 1}]\n    namespaces:' | test.yaml:6: " +
            "subsystems[0].qos[0].nsid = 2: no namespace of this subsystem",
        "namespaces: | 'qos: [{nsid: 1, iops: 0}]\n    namespaces:' | test.yaml:6: " +
            "subsystems[0].qos[0].iops = 0: out of range 1 to 1000000000",
        "namespaces: | 'qos: [{nsid: 1, iops: 1}, {nsid: 1, iops: 2}]\n    namespaces:' | test.yaml:6: " +
            "subsystems[0].qos[1].nsid = 1: already used by subsystems[0].qos[0]",
        "namespaces: | 'qos: [{host: me, iops: 1}]\n    namespaces:' | test.yaml:6: " +
            "subsystems[0].qos[0].host = me: not of the form nqn.yyyy-mm.reverse.domain[:name]; write one",
        "nsid: 1 | nsid: 0 | test.yaml:6: subsystems[0].namespaces[0].nsid = 0: out of range 1 to ",
        "nsid: 1 | nsid: one | test.yaml:6: subsystems[0].namespaces[0].nsid = one: not a whole number",
        "nsid: 1 | 'nsid: 1, uuid: 17' | test.yaml:6: subsystems[0].namespaces[0].uuid = 17: not a UUID",
        "allow-any-host: true | allow-any-host: yes | test.yaml:5: subsystems[0].allow-any-host = yes: neither true " +
            "nor false; write true or false",
        "allow-any-host: true | serial: ' ' | test.yaml:5: subsystems[0].serial =  : not 1 to 20 printable ASCII",
        "transport: tcp | transport: udp | test.yaml:8: listeners[0].transport = udp: not one of tcp, rdma, " +
            "vfio-user; use one of them",
        "address: 127.0.0.1 | address: 127.0.0.1.2 | test.yaml:8: listeners[0].address = 127.0.0.1.2: neither " +
            "an IP address nor a host name; write one such as 127.0.0.1",
        "address: 127.0.0.1 | address: none.invalid | test.yaml:8: listeners[0].address = none.invalid: an unknown " +
            "host name; write an IP address, or a name that this machine resolves",
        "address: 127.0.0.1 | 'address: 127.0.0.1, port: 65536' | test.yaml:8: listeners[0].port = 65536: out of " +
            "range 0 to 65535; use a value in the range",
        "listeners: | listener: | test.yaml:7: listener: unknown key; did you mean listeners?",
    })
    void shouldNameFileLineKeyValueBoundAndRemedyWhenWrong(
        final String good, final String bad, final String expected)
    {
        final String text = MINIMAL.replace(good, bad);
        assertFalse(text.equals(MINIMAL), good);
        final String message = message(text);
        assertTrue(message.startsWith(expected), message + "\n" + expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "reactors: [{cpu: 1}, {cpu: 1}] | test.yaml:9: reactors[1].cpu = 1: already taken by reactors[0]; a core " +
            "runs one reactor: give each a core of its own",
        "reactors: [{name: a}, {name: a}] | test.yaml:9: reactors[1].name = a: already used by reactors[0]; " +
            "give each its own",
        "reactors: [] | test.yaml:9: reactors: empty; declare at least one",
        "reactors: {cpu: 1} | test.yaml:9: reactors: a group of settings where a list belongs; write [...]",
        "reactors: [1] | test.yaml:9: reactors[0]: a single value where a group of settings belongs; write {key: value",
        "reactors: [{idle: maybe}] | test.yaml:9: reactors[0].idle = maybe: not one of sleep, busy-spin",
        "reactors: [{spin: 10}] | test.yaml:9: reactors[0].spin = 10: without a unit; write ns, us, ms, s, m, h or d",
        "reactors: [{spin: 2s}] | test.yaml:9: reactors[0].spin = 2s: out of range 0ns to 1s",
        "memory: {size: 1MiB} | test.yaml:9: memory.size = 1MiB: out of range 8MiB to 1TiB",
        "memory: 1MiB | test.yaml:9: memory: a single value where a group of settings belongs; allowed in it: size",
        "devices: [] | test.yaml:9: devices: given again, first on line 1; remove one",
        "tcp: {max-h2c-data-size: 5000} | test.yaml:9: tcp.max-h2c-data-size = 5000: not a multiple of 4096; use 8KiB",
        "tcp: {in-capsule-data-size: 64KiB, receive-buffer-size: 64KiB} | test.yaml:9: tcp.receive-buffer-size = " +
            "64KiB: below twice in-capsule-data-size; use 128KiB or more",
        "limits: {queue-depth: 8} | test.yaml:9: limits.queue-depth = 8: out of range 16 to 4096; use a value in " +
            "the range",
        "discovery: maybe | test.yaml:9: discovery = maybe: neither true nor false",
        "'discovery: &x false' | test.yaml:9: anchors and aliases",
        "'discovery: !!bool false' | test.yaml:9: tags (!) are not supported",
        "'discovery: [false' | test.yaml:10: not valid YAML: ",
        "'? [a]: b' | test.yaml:9: a key must be a word",
        "'---' | test.yaml:9: a second document starts here",
    })
    void shouldNameLineWhenAdded(final String added, final String expected)
    {
        final String message = message(MINIMAL + added + "\n");
        assertTrue(message.startsWith(expected), message + "\n" + expected);
    }

    @Test
    void shouldRefuseDeviceThatIsUsedTwice()
    {
        assertEquals("test.yaml:6: subsystems[0].namespaces[1].device = mem0: already used by " +
            "subsystems[0].namespaces[0]; a device has one user: declare another device",
            message(MINIMAL.replace("device: mem0}", "device: mem0}, {nsid: 2, device: mem0}")));
    }

    @Test
    void shouldRefuseFaultsOfWhatIsNotThereOrNotBefore()
    {
        final String fault = "  - {name: bad0, type: fault, base: %s, rules: [%s]}\n";
        final String end = MINIMAL.substring(MINIMAL.indexOf("subsystems:"));
        assertEquals("test.yaml:2: devices[0].base = mem0: not declared before; declare it first",
            message(MINIMAL.replace("devices:\n", "devices:\n" + fault.formatted("mem0", ""))));
        assertEquals("test.yaml:3: devices[1].base = mem1: no such device; use one of: mem0",
            message(MINIMAL.replace("subsystems:", fault.formatted("mem1", "") + "subsystems:")));
        assertEquals("test.yaml:7: subsystems[0].namespaces[0].device = mem0: already used by devices[1]; " +
            "a device has one user: declare another device",
            message(MINIMAL.replace("subsystems:", fault.formatted("mem0", "") + "subsystems:")));
        assertTrue(message(MINIMAL.replace(end, fault.formatted("mem0", "{effect: delay}") + end))
            .startsWith("test.yaml:3: devices[1].rules[0].delay: missing; add how long effect delay holds a request"));
    }

    @Test
    void shouldRefuseFileThatIsUsedTwice()
    {
        assertEquals("test.yaml:4: devices[2]: path /tmp/vol is already used by devices[1]; choose another",
            message(MINIMAL.replace("subsystems:", """
                  - {name: file0, type: file, path: /tmp/../tmp/vol}
                  - {name: file1, type: file, path: /tmp/vol}
                subsystems:""")));
    }

    @Test
    void shouldRefuseRepeatedNumbersAndAddresses()
    {
        assertTrue(message(MINIMAL.replace("{nsid: 1, device: mem0}", "{nsid: 1, device: mem0}, {nsid: 1, device: x}"))
            .startsWith("test.yaml:6: subsystems[0].namespaces[1].nsid = 1: already used by " +
                "subsystems[0].namespaces[0]"));
        assertTrue(message(MINIMAL + "  - {transport: tcp, address: 127.0.0.1}\n")
            .startsWith("test.yaml:9: listeners[1].port = 127.0.0.1:4420: already used by listeners[0]"));
    }

    @Test
    void shouldReadListenersOfVfioUser()
    {
        final String local = "  - {transport: vfio-user, address: /run/vm/, provider: spdk%s}\n";
        final DataPlaneConfig config = read(MINIMAL.replace("listeners:",
            "    ana: [{listener: 'vfio-user:///run/vm', state: inaccessible}]\nlisteners:") + local.formatted(""));
        assertEquals(TransportAddress.vfioUser("/run/vm"), config.listeners().get(1).address());
        assertEquals(TransportAddress.vfioUser("/run/vm"), config.subsystems().get(0).ana().get(0).listener());
        assertEquals("test.yaml:9: listeners[1].port = 4420: not for transport vfio-user; leave it out",
            message(MINIMAL + local.formatted(", port: 4420")));
        assertEquals("test.yaml:9: listeners[1].transport = vfio-user: served by SPDK's target alone; give the " +
            "listener provider: spdk", message(MINIMAL + local.formatted("").replace(", provider: spdk", "")));
        assertEquals("test.yaml:9: listeners[1].address = 127.0.0.1: not an absolute path, and of transport " +
            "vfio-user; write that of a directory, as /run/millrace/vfio-user",
            message(MINIMAL + local.formatted("").replace("/run/vm/", "127.0.0.1")));
        assertEquals("test.yaml:9: listeners[1].address = /run/vm/: a directory, and of transport tcp; give the " +
            "listener transport: vfio-user", message(MINIMAL + local.formatted("").replace("vfio-user", "tcp")));
        assertTrue(message(MINIMAL + local.formatted("") + local.formatted("")).startsWith(
            "test.yaml:10: listeners[2].address = /run/vm: already used by listeners[1]"));
        assertEquals("test.yaml:9: listeners[1].discovery-only = true: not for provider spdk; leave out one of them",
            message(MINIMAL + local.formatted(", discovery-only: true")));
    }

    @Test
    void shouldReadTheProviderOfAListener()
    {
        final String spdk = "  - {transport: tcp, address: 127.0.0.1, port: 4430, provider: spdk%s}\n";
        final DataPlaneConfig config = read(MINIMAL + spdk.formatted(""));
        assertEquals(List.of(ListenerProvider.MILLRACE, ListenerProvider.SPDK),
            config.listeners().stream().map(ListenerSettings::provider).toList());
        assertEquals("test.yaml:9: listeners[1].discovery-only = true: not for provider spdk; leave out one of them",
            message(MINIMAL + spdk.formatted(", discovery-only: true")));
        assertEquals("test.yaml:9: listeners[1].port = 0: chosen by nobody, as SPDK listens; name a port",
            message(MINIMAL + spdk.formatted("").replace("4430", "0")));
        assertEquals("test.yaml:10: listeners[1].provider = spdk: without limits, and subsystems[0] has some; remove " +
            "its qos, or the provider", message(MINIMAL.replace("    namespaces:", "    qos: [{nsid: 1, iops: " +
            "1000}]\n    namespaces:") + spdk.formatted("")));
        assertTrue(message(MINIMAL + spdk.formatted("").replace("spdk", "nvmet"))
            .startsWith("test.yaml:9: listeners[1].provider = nvmet: not one of millrace, spdk"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{state: change} | ana[0].state = change: not one of optimized, non-optimized, inaccessible, " +
            "persistent-loss; " +
            "use one of them",
        "{group: 1} | ana[0].state: missing; add it: the state.",
        "{group: 0, state: optimized} | ana[0].group = 0: out of range 1 to 128; use a value in the range",
        "{group: 129, state: optimized} | ana[0].group = 129: out of range 1 to 128; use a value in the range",
        "{listener: 127.0.0.1, state: optimized} | ana[0].listener = 127.0.0.1: not an IP address with a port; write " +
            "one such as 127.0.0.1:4420 or \"[::1]:4420\"",
        "{listener: 127.0.0.1:65536, state: optimized} | ana[0].listener = 127.0.0.1:65536: not an IP address with a " +
            "port; write one such as 127.0.0.1:4420 or \"[::1]:4420\"",
        "{listener: localhost:4420, state: optimized} | ana[0].listener = localhost:4420: not an IP address with a " +
            "port; write one such as 127.0.0.1:4420 or \"[::1]:4420\"",
        "{state: optimized}, {state: inaccessible} | ana[1]: leaves nothing of subsystems[0].ana[0], since they are " +
            "set in order; remove one, or write the more general one first",
        "{group: 2, listener: 127.0.0.1:4420, state: optimized}, {listener: 127.0.0.1:4420, state: inaccessible} | " +
            "ana[1]: leaves nothing of subsystems[0].ana[0], since they are set in order; remove one, or write the " +
            "more general one first",
        })
    void shouldRefuseAnaStatesThatCannotBe(final String states, final String expected)
    {
        assertEquals("test.yaml:7: subsystems[0]." + expected,
            message(MINIMAL.replace("listeners:", "    ana: [" + states + "]\nlisteners:")));
    }

    @Test
    void shouldRefuseWhatOnlyCommandsCouldComplete()
    {
        final String disabled = "control: {enabled: false}\n";
        assertEquals("test.yaml:4: subsystems[0].hosts: empty, so no host may connect; list host NQNs, or set " +
            "allow-any-host: true",
            message(MINIMAL.replace("allow-any-host: true", "allow-any-host: false") + disabled));
        assertEquals("test.yaml:7: subsystems[0].ana[0].listener = 127.0.0.1:4421: none of the listeners; use one " +
            "of: 127.0.0.1:4420", message(MINIMAL.replace("listeners:",
            "    ana: [{listener: 127.0.0.1:4421, state: optimized}]\nlisteners:") + disabled));
        assertEquals("test.yaml:1: listeners: missing",
            message(disabled + MINIMAL.substring(0, MINIMAL.indexOf("listeners:"))).split(";")[0]);
    }

    @Test
    void shouldTakeAnaStatesOfListenersToComeWhereCommandsAddThem()
    {
        final String states = "    ana: [{listener: 192.0.2.7:4420, state: inaccessible}]\nlisteners:";
        assertEquals(1, read(MINIMAL.replace("listeners:", states))
            .subsystems().getFirst().ana().size());
    }

    @Test
    void shouldRefuseTransitionTimesThatHostsCannotBeTold()
    {
        assertEquals("test.yaml:9: limits.controller-id-last = 9: below controller-id-first; use 10 or more",
            message(MINIMAL + "limits: {controller-id-first: 10, controller-id-last: 9}\n"));
        assertEquals("test.yaml:9: limits.ana-transition-time = 1500ms: not whole seconds; use 2s",
            message(MINIMAL + "limits: {ana-transition-time: 1500ms}\n"));
        assertEquals("test.yaml:9: limits.ana-transition-time = 256s: out of range 1s to 255s; use a value in the " +
            "range",
            message(MINIMAL + "limits: {ana-transition-time: 256s}\n"));
    }

    @Test
    void shouldNeedMemoryForEachReactor()
    {
        assertEquals("test.yaml:10: memory.size = 9437184: below 16777216 bytes, 8388608 for each of 2 reactors; " +
            "raise it or take fewer reactors",
            message(MINIMAL + "reactors: [{cpu: 0}, {cpu: 1}]\nmemory: {size: 9MiB}\n"));
    }

    @Test
    void shouldPrintOneLineWhenValueHoldsControlCharacters()
    {
        assertTrue(message(MINIMAL.replace("name: mem0", "name: \"a\\nb\\e[31m\""))
            .startsWith("test.yaml:2: devices[0].name = a\\u000ab\\u001b[31m: not a name"));
    }

    @Test
    void shouldSayWhyWhenFileCannotBeRead(@TempDir final Path dir) throws Exception
    {
        assertEquals(dir + "/none.yaml: no such file; name one with --config",
            assertThrows(ConfigException.class, () -> ConfigReader.read(dir.resolve("none.yaml"))).getMessage());
        assertEquals(dir + ": is a directory; name a file",
            assertThrows(ConfigException.class, () -> ConfigReader.read(dir)).getMessage());
        final Path binary = Files.write(dir.resolve("b"), new byte[]{(byte)0xff, (byte)0xfe, 0});
        assertEquals(binary + ": is not a text in UTF-8; is this the right file?",
            assertThrows(ConfigException.class, () -> ConfigReader.read(binary)).getMessage());
        final Path empty = Files.write(dir.resolve("e"), new byte[0]);
        assertTrue(assertThrows(ConfigException.class, () -> ConfigReader.read(empty)).getMessage()
            .startsWith(empty + ": is empty; see millrace.yaml"));
    }

    @Test
    void shouldLocateWhatIsFoundLater()
    {
        final ConfigReader.Result result = ConfigReader.read("test.yaml", MINIMAL);
        assertEquals("test.yaml:8: listeners[0].port = 4420: in use; take another", result.locate(
            new SettingException("listeners[0].port", 4420, "in use", "take another")).getMessage());
        assertEquals("test.yaml: memory.size: too much; take less", result.locate(
            new SettingException("memory.size", null, "too much", "take less")).getMessage());
    }

    @Test
    void shouldTakeCommandsOfItsUserUnlessTheyAreDisabled()
    {
        assertEquals(new ControlSettings(ControlDirectories.dataPlane(), "aeron:ipc", 4420, null, "millrace"),
            ConfigReader.read("test.yaml", MINIMAL).control());
        assertEquals(null, ConfigReader.read("test.yaml", MINIMAL + "control: {enabled: false}\n").control());
        assertFalse(read(MINIMAL + "control: {enabled: false}\n").managed());
    }

    @Test
    void shouldGiveEachNameADirectoryOfItsOwn()
    {
        final ConfigReader.Result read = ConfigReader.read("test.yaml", MINIMAL + "control: {name: rack-7}\n");
        assertEquals(ControlDirectories.base().resolve("data-plane-rack-7"), read.control().directory());
        assertEquals("data-plane-rack-7", read.stateDirectory().getFileName().toString());
        assertEquals("data-plane-millrace",
            ConfigReader.read("test.yaml", MINIMAL).stateDirectory().getFileName().toString());
    }

    @Test
    void shouldNameTheStatusFileAfterTheDataPlane()
    {
        final String user = System.getProperty("user.name");
        assertEquals(Path.of("/dev/shm/millrace-" + user + ".status"),
            ConfigReader.read("test.yaml", MINIMAL).config().status().file());
        assertEquals(Path.of("/dev/shm/millrace-" + user + "-rack-7.status"),
            ConfigReader.read("test.yaml", MINIMAL + "control: {name: rack-7}\n").config().status().file());
    }

    @Test
    void shouldBeginWithNothingWhenControlIsGiven()
    {
        final ConfigReader.Result read = ConfigReader.read("test.yaml", "control: {}\nsubsystems: []\n");
        assertEquals(List.of(), read.config().devices());
        assertEquals(List.of(), read.config().subsystems());
        assertEquals(List.of(), read.config().listeners());
        assertEquals(new ControlSettings(
            ControlSettings.directoryDefault(), "aeron:ipc", 4420, null, "millrace"), read.control());
    }

    @Test
    void shouldBoundThePathsOfDevicesThatCommandsCreate()
    {
        assertEquals(List.of(Path.of("/state/volumes")), ConfigReader.read("test.yaml",
            "control: {}\nstate: {directory: /state}\n").bounds().directories());
        assertEquals(List.of(Path.of("/srv/volumes"), Path.of("/dev/disk/by-id")), ConfigReader.read("test.yaml",
            "control: {device-directories: [/srv/volumes/, /dev/disk/by-id]}\n").bounds().directories());
        assertEquals(List.of(),
            ConfigReader.read("test.yaml", "control: {device-directories: []}\n").bounds().directories());
        assertEquals(null, ConfigReader.read("test.yaml", MINIMAL + "control: {enabled: false}\n").bounds());
    }

    @Test
    void shouldDeclareEverySectionAsServedOrOfTheProcess()
    {
        final Set<String> served = Set.of("devices", "subsystems", "listeners", "discovery");
        for (final String each : Settings.ALL.names(""))
        {
            final Setting<?> section = Settings.ALL.find("", each);
            final String content = switch (section.kind())
            {
                case GROUP -> "{a: 1}";
                case GROUPS -> served.contains(each) ? "[]" : "[{a: 1}]";
                default -> "true";
            };
            assertEquals(served.contains(each) ? List.of() : List.of(each),
                StateDocument.read("test.yaml", each + ": " + content + '\n').skipped());
        }
    }

    @Test
    void shouldReadEverySettingOfControl()
    {
        assertEquals(new ControlSettings(
            Path.of("/run/c"), "aeron:udp?endpoint=[::1]:4421", 7, Path.of("/etc/keys"), "rack-7",
            ControlSettings.Idle.BUSY_SPIN,
            ControlSettings.Encryption.REQUIRED, null),
            ConfigReader.read("test.yaml", MINIMAL + """
                control: {directory: /run/c, channel: "aeron:udp?endpoint=[::1]:4421", stream: 7, secrets: /etc/keys,
                          name: rack-7, idle: busy-spin}
                """).control());
    }

    @Test
    void shouldRefuseControlThatCannotBe()
    {
        assertEquals("test.yaml:2: control.channel = aeron:udp?endpoint=somewhere:1: neither aeron:ipc nor aeron:udp " +
            "with a numeric endpoint; write aeron:ipc or aeron:udp?endpoint=127.0.0.1:4421", message("""
            control:
              channel: aeron:udp?endpoint=somewhere:1
            """));
        assertEquals("test.yaml:1: control.secrets: missing, and commands are accepted over UDP; name a file with " +
            "keys, " +
            "or set channel: aeron:ipc", message("""
            control:
              channel: aeron:udp?endpoint=127.0.0.1:4421
            """));
    }
}
