package io.millrace.lab;

import static io.millrace.lab.Answers.number;
import static io.millrace.lab.Answers.object;
import static io.millrace.lab.Answers.objects;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.dataplane.DataPlane;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.serve.config.ConfigReader;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What nvme-cli and the kernel read from our target, field by field: the expected values are those of the configuration
 * below and of the specification, not of our own encoders. One machine asks, each test looks at one part.
 */
@LabTest
final class NvmeCliTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:values";
    private static final String DISCOVERY_NQN = "nqn.2014-08.org.nvmexpress.discovery";
    private static final String CONFIG = """
        reactors: [{name: r0}, {name: r1}]
        devices:
          - {name: memory4k, type: memory, size: 64MiB, block-size: 4096}
          - {name: disk, type: memory, size: 32MiB, block-size: 512}
          - name: bad
            type: fault
            base: disk
            rules:
              - {effect: error, operations: [read], first-block: 1005, last-block: 1005}
              - {effect: delay, operations: [read], first-block: 2000, last-block: 2000, delay: 8s}
          - {name: file512, type: file, path: IMAGE, size: 48MiB, block-size: 512}
          - {name: slow, type: memory, size: 16MiB, block-size: 4096}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:values
            serial: SER-4711
            model: Values of a test
            allow-any-host: true
            namespaces:
              - {nsid: 1, device: memory4k, uuid: 6f1c7a2e-3b1d-4a54-9c0e-5d2f1e0a9b8c}
              - {nsid: 3, device: bad, uuid: 0b1d6f5e-9b62-4c5c-8a57-b0d8d1f3c003}
              - {nsid: 5, device: file512, ana-group: 2, uuid: 0b1d6f5e-9b62-4c5c-8a57-b0d8d1f3c005}
              - {nsid: 6, device: slow, uuid: 0b1d6f5e-9b62-4c5c-8a57-b0d8d1f3c006}
            ana: [{group: 2, state: non-optimized}]
            qos: [{nsid: 6, bandwidth: 4KiB, burst: 2ms}]
        listeners:
          - {transport: tcp, address: 127.0.0.1, port: 0}
        discovery: false
        """;

    private static LabResult result;
    private static Answers answers;
    private static Map<String, Object> identify;
    private static int port;

    @BeforeAll
    // The device lives as long as the target.
    @SuppressWarnings("try")
    static void run() throws Exception
    {
        final Path image = Lab.directory("nvme-cli-target").resolve("file512.img");
        Files.deleteIfExists(image);
        final String config = CONFIG.replace("IMAGE", image.toString());
        try (DataPlane dataPlane = DataPlane.start(ConfigReader.read("lab.yaml", config).config());
            MemoryDevice added = MemoryDevice.create("added", 8 << 20, 4096))
        {
            port = dataPlane.addresses().getFirst().port();
            final List<String> command = TargetProcess.command();
            command.addAll(List.of("identify", "--port", String.valueOf(port), "--nqn", NQN, "--json"));
            try (LabMachine machine = Lab.named("nvme-cli").start(480, "values.sh", port, NQN))
            {
                final Process own = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
                identify = object(Answers.parse(
                    new String(own.getInputStream().readAllBytes(), StandardCharsets.UTF_8)));
                machine.awaitLine("add a namespace");
                dataPlane.target().subsystem(NQN).addNamespace(new Namespace(7, added, UUID.randomUUID()));
                result = machine.await();
            }
        }
        Files.deleteIfExists(image);
        answers = new Answers(result);
    }

    @Test
    void shouldBeInTheDiscoveryLog()
    {
        result.assertStep("discovery");
        final Map<String, Object> log = object(answers.json("discover"));
        final List<Map<String, Object>> records = objects(log.get("records"));
        assertEquals(2, records.size());
        Answers.assertFields("discovery", records.get(0), """
            trtype tcp
            adrfam ipv4
            subtype current discovery subsystem
            treq not specified, sq flow control disable supported
            portid 1
            trsvcid %d
            subnqn %s
            traddr 127.0.0.1
            eflags explicit discovery connections, duplicate discovery information
            sectype none""".formatted(port, DISCOVERY_NQN));
        Answers.assertFields("subsystem", records.get(1), """
            trtype tcp
            adrfam ipv4
            subtype nvme subsystem
            treq not specified, sq flow control disable supported
            portid 1
            trsvcid %d
            subnqn %s
            traddr 127.0.0.1
            eflags none
            sectype none""".formatted(port, NQN));
    }

    /** NVM Express Base 2.0, section 5.16.1.23: what nvme-cli does not print, as bytes. */
    @Test
    void shouldHaveTheLayoutOfTheDiscoveryLog() throws Exception
    {
        final byte[] bytes = new GZIPInputStream(
            new ByteArrayInputStream(Base64.getDecoder().decode(answers.value("discovery-log")))).readAllBytes();
        final ByteBuffer log = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(3 * 1024, bytes.length);
        assertEquals(number(object(answers.json("discover")), "genctr"), log.getLong(0), "GENCTR");
        assertEquals(2, log.getLong(8), "NUMREC");
        assertEquals(0, log.getShort(16), "RECFMT");
        for (int i = 1; i <= 2; i++)
        {
            final int at = i * 1024;
            assertEquals(3, log.get(at), "TRTYPE: TCP");
            assertEquals(1, log.get(at + 1), "ADRFAM: IPv4");
            assertEquals(1 == i ? 3 : 2, log.get(at + 2), "SUBTYPE: current discovery, NVM");
            assertEquals(1 << 2, log.get(at + 3), "TREQ: flow control may be disabled");
            assertEquals(1, log.getShort(at + 4), "PORTID");
            assertEquals((short)0xFFFF, log.getShort(at + 6), "CNTLID: dynamic");
            assertEquals(1024, log.getShort(at + 8), "ASQSZ");
            assertEquals(1 == i ? 3 : 0, log.getShort(at + 10), "EFLAGS");
            assertEquals(padded(String.valueOf(port), 32, ' '), text(bytes, at + 32, 32), "TRSVCID: ASCII, spaces");
            assertEquals(padded(1 == i ? DISCOVERY_NQN : NQN, 256, '\0'), text(bytes, at + 256, 256), "SUBNQN");
            assertEquals(padded("127.0.0.1", 256, ' '), text(bytes, at + 512, 256), "TRADDR: ASCII, spaces");
            assertEquals(0, log.get(at + 768), "TSAS: no security");
        }
    }

    @Test
    void shouldIdentifyTheDiscoveryController()
    {
        // OAES: changes of the discovery log, bit 31, which nvme-cli prints as a sign. CNTRLTYPE: discovery. LPA:
        // extended data.
        final Map<String, Object> page = object(answers.json("discovery-id-ctrl"));
        Answers.assertFields("discovery controller", page, """
            sn %s
            mn Millrace
            fr 0.1
            mdts 8
            cntlid %s
            ver 131072
            oaes -2147483648
            ctratt 65
            cntrltype 2
            aerl 3
            elpe 63
            lpa 4
            kas 10
            maxcmd 1024
            sgls 3145729
            subnqn %s""".formatted(page.get("sn").toString().strip(), page.get("cntlid"), DISCOVERY_NQN));
    }

    @Test
    void shouldIdentifyTheController()
    {
        result.assertStep("identify");
        // CMIC: ports, controllers, ANA. OAES: namespaces, ANA. CTRATT: 128-bit host id, traffic based keep alive.
        // ONCS:
        // Compare, DSM, Write Zeroes, Save and Select, Timestamp, Verify; no Copy, which a file has not. SGLS: data
        // blocks, offsets in capsules, transport data blocks.
        answers.assertFields("id-ctrl", """
            sn SER-4711
            mn Values of a test
            fr 0.1
            cmic 11
            mdts 8
            cntlid %s
            ver 131072
            oaes 2304
            ctratt 65
            cntrltype 1
            acl 3
            aerl 3
            frmw 3
            lpa 38
            elpe 63
            wctemp 343
            cctemp 373
            kas 10
            anatt 10
            anacap 95
            anagrpmax 128
            nanagrpid 128
            sqes 102
            cqes 68
            maxcmd 1024
            nn 16384
            mnan 16384
            oncs 221
            vwc 7
            sgls 3145729
            subnqn nqn.2026-11.io.millrace:values
            ioccsz 516
            iorcsz 1
            msdbd 1
            ofcs 1
            fuses 0
            vid 0""".formatted(answers.value("cntlid")));
        assertTrue(Integer.parseInt(answers.value("cntlid")) > 0);
    }

    @Test
    void shouldIdentifyNamespaces()
    {
        // DLFEAT: deallocated blocks read as zeroes, and Write Zeroes may deallocate.
        answers.assertFields("id-ns-1", """
            nsze 16384
            ncap 16384
            nuse 16384
            nmic 1
            dlfeat 9
            nvmcap 67108864
            mssrl 256
            mcl 1024
            msrc 15
            anagrpid 1
            nguid 6f1c7a2e3b1d4a549c0e5d2f1e0a9b8c
            lbafs [{ms=0, ds=12, rp=0}]
            nawun 0
            eui64 0000000000000000""");
        answers.assertFields("id-ns-3", """
            nsze 65536
            ncap 65536
            nuse 65536
            nmic 1
            dlfeat 9
            nvmcap 33554432
            mssrl 2048
            mcl 8192
            msrc 15
            anagrpid 1
            nguid 0b1d6f5e9b624c5c8a57b0d8d1f3c003
            lbafs [{ms=0, ds=9, rp=0}]""");
        answers.assertFields("id-ns-5", """
            nsze 98304
            ncap 98304
            nuse 98304
            nmic 1
            dlfeat 9
            nvmcap 50331648
            anagrpid 2
            nguid 0b1d6f5e9b624c5c8a57b0d8d1f3c005
            lbafs [{ms=0, ds=9, rp=0}]""");
        // Inactive: all zeroes, and beyond the number of namespaces an error.
        answers.assertFields("id-ns-2", "lbafs [{ms=0, ds=0, rp=0}]");
        answers.assertValues("""
            id-ns-16385 0x400b
            ns-descs-2 0x400b""");
        answers.assertFields("nvm-id-ns", "elbafs [{sts=0, pif=0}]");
    }

    @Test
    void shouldNameNamespaces()
    {
        assertEquals(List.of(
            Map.of("loc", 0, "nidt", 2, "nidl", 16, "type", "nguid", "nguid", "6f1c7a2e3b1d4a549c0e5d2f1e0a9b8c"),
            Map.of("loc", 20, "nidt", 3, "nidl", 16, "type", "uuid", "uuid", "6f1c7a2e-3b1d-4a54-9c0e-5d2f1e0a9b8c"),
            Map.of("loc", 40, "nidt", 4, "nidl", 1, "type", "csi", "csi", "0")),
            objects(object(answers.json("ns-descs-1")).get("ns-descs")));
        answers.assertValues("""
            wwid uuid.6f1c7a2e-3b1d-4a54-9c0e-5d2f1e0a9b8c
            logical 4096
            hw-sectors-kb 1024""");
        assertEquals(List.of(1, 3, 5, 6), nsids("list-ns"));
        assertEquals(List.of(5, 6), nsids("list-ns-after-3"));
        assertEquals(List.of(1, 3, 5, 6), nsids("list-ns-all"));
    }

    @Test
    void shouldBeListedAsASubsystem()
    {
        final Map<String, Object> host = objects(answers.json("list-subsys")).getFirst();
        assertEquals("nqn.2026-11.io.millrace:host1", host.get("HostNQN"));
        assertEquals("01234567-89ab-cdef-0123-456789abcdef", host.get("HostID"));
        final Map<String, Object> subsystem = objects(host.get("Subsystems")).getFirst();
        assertEquals(NQN, subsystem.get("NQN"));
        final Map<String, Object> path = objects(subsystem.get("Paths")).getFirst();
        assertEquals("tcp", path.get("Transport"));
        assertEquals("live", path.get("State"));
        assertTrue(String.valueOf(path.get("Address")).startsWith("traddr=10.0.2.2,trsvcid=" + port), path::toString);
        assertEquals(Map.of("num_ctrl", 1, "ctrl_list",
            List.of(Map.of("ctrl_id", Integer.parseInt(answers.value("cntlid"))))), answers.json("list-ctrl"));
    }

    @Test
    void shouldHaveItsFeatures()
    {
        result.assertStep("features");
        // 0x4002: no such feature. Scope of a supported one: bit 21 the controller, bit 20 a namespace. 0x400b: needs
        // a namespace. Keep alive: 10 s of nvme connect. Interrupts: no coalescing.
        answers.assertValues("""
            feature-01 00000000
            feature-02 00000000
            feature-03 0x4002
            feature-04 00000157
            feature-04-under 00000000
            feature-05 0x400b
            feature-05-of-1 00000000
            feature-05-of-2 0x400b
            feature-06 00000001
            feature-07 00010001
            feature-08 00000000
            feature-09 00010000
            feature-09-of-1 00010001
            feature-0a 00000000
            feature-0b 00000900
            feature-0f 00002710
            feature-0f-default 00000000
            feature-04-capabilities 00000004
            feature-05-capabilities 00000006
            feature-08-capabilities 00000000
            feature-84 0x4002
            host-id-short 0x4018
            supported-features 1=00200001 2=00200001 4=00200001 5=00100001 6=00200001 7=00200001 8=00200001 \
            9=00200001 10=00200001 11=00200001 14=00200001 15=00200001 129=00200001
            host-id 0123456789abcdef0123456789abcdef""");
        // Milliseconds since 1970, 48 bits; set by the host, as the kernel does when it connects (001b from bit 49).
        final long ageMs = System.currentTimeMillis() - timestamp("timestamp");
        assertTrue(ageMs > -60_000 && ageMs < 600_000, () -> "timestamp " + ageMs + " ms ago");
        assertTrue(answers.value("timestamp").endsWith("0200"), () -> answers.value("timestamp"));
    }

    @Test
    void shouldTakeFeatures()
    {
        result.assertStep("set-features");
        // 0x410e: not changeable. 0x410d: not saveable. 0x410f: not of a namespace. 0x400c: queues are there already.
        answers.assertValues("""
            set-01 0
            feature-01-set 03020107
            set-02 0
            feature-02-set 00000040
            set-02-state-1 0x4002
            set-04 0
            set-04-under 0
            feature-04-set 00000160
            feature-04-set-under 00000100
            feature-04-set-default 00000157
            set-04-sensor-9 0x4002
            set-05 0
            feature-05-set 00000064
            feature-05-set-of-3 00000000
            set-05-deallocated 0x4002
            set-06 0
            feature-06-set 00000000
            set-06-back 0
            set-07 0x400c
            set-08 0x410e
            set-0a 0
            feature-0a-set 00000001
            set-0b 0
            feature-0b-set 00000900
            set-0f 0
            feature-0f-set 00007530
            set-04-saved 0x410d
            set-04-of-1 0x410f
            set-10 0x4002
            set-0e 0""");
        final long sinceMs = timestamp("timestamp-set") - 0x0102030405L;
        assertTrue(sinceMs >= 0 && sinceMs < 60_000, () -> "set " + sinceMs + " ms ago");
        assertTrue(answers.value("timestamp-set").endsWith("0200"), () -> answers.value("timestamp-set"));
    }

    @Test
    void shouldHaveProperties()
    {
        result.assertStep("properties");
        // CAP: 1024 entries, contiguous queues, 5 s to be ready, NVM command set and I/O command sets, 4 KiB pages,
        // ready with media. CC: enabled, all command sets, entries of 64 and 16 bytes. CSTS: ready. AQA is not of
        // fabrics.
        answers.assertValues("""
            property-0x0 80008200a0103ff
            property-0x8 20000
            property-0x14 460061
            property-0x1c 1
            property-0x24 0x4002
            property-0x68 a""");
    }

    @Test
    void shouldCountInItsSmartLog()
    {
        result.assertStep("logs");
        final Map<String, Object> before = object(answers.json("smart"));
        final Map<String, Object> after = object(answers.json("smart-after"));
        assertEquals(100, number(after, "avail_spare"));
        assertEquals(0, number(after, "critical_warning"));
        // 3 MiB in writes of the kernel's largest transfer of 1 MiB, 1 MiB in two reads; in thousands of 512 bytes,
        // rounded up. A read that failed is not counted.
        assertEquals(3, number(after, "host_write_commands") - number(before, "host_write_commands"));
        assertEquals(2, number(after, "host_read_commands") - number(before, "host_read_commands"));
        assertEquals(0, number(before, "data_units_written"));
        assertEquals(7, number(after, "data_units_written"));
        assertEquals(2, number(after, "data_units_read") - number(before, "data_units_read"), 1);
        assertEquals(1, number(after, "media_errors"));
        assertEquals(0, number(before, "media_errors"));
        assertEquals(number(before, "num_err_log_entries") + 1, number(after, "num_err_log_entries"));
    }

    @Test
    void shouldLogAnError()
    {
        answers.assertValues("read-error 0x4281");
        final String[] command = answers.value("failed-command").split(" ");
        final Map<String, Object> newest =
            objects(object(answers.json("error-log")).get("errors")).getFirst();
        // Unrecovered Read Error, do not retry; no location in the command; TCP.
        Answers.assertFields("error log", newest, """
            error_count %d
            sqid %s
            cmdid %s
            status_field %d
            parm_error_location 65535
            lba 1005
            nsid 3
            trtype 3""".formatted(number(object(answers.json("smart-after")), "num_err_log_entries"),
            command[0], command[1], 0x4281));
    }

    @Test
    void shouldHaveItsOtherLogs()
    {
        assertEquals(Map.of("Active Firmware Slot (afi)", 1, "Firmware Rev Slot 1", "2314885530819571248 (0.1.....)"),
            object(answers.json("fw-log")).values().iterator().next());
        final Map<String, Object> ana = object(answers.json("ana-log"));
        assertEquals(2, number(ana, "ngrps"));
        final List<Map<String, Object>> groups = objects(ana.get("ANA DESC LIST "));
        assertEquals(List.of(1, "optimized", List.of(Map.of("nsid", 1), Map.of("nsid", 3), Map.of("nsid", 6))),
            List.of(groups.get(0).get("grpid"), groups.get(0).get("state"), groups.get(0).get("NSIDS")));
        assertEquals(List.of(2, "non-optimized", List.of(Map.of("nsid", 5))),
            List.of(groups.get(1).get("grpid"), groups.get(1).get("state"), groups.get(1).get("NSIDS")));
        // By number of the command, of I/O from 256: supported; 3 changes data; scope of a controller, or also of a
        // namespace.
        answers.assertValues("""
            effects 2=00300001 6=00300001 8=00200001 9=00300001 10=00300001 12=00200001 24=00200001 256=00000001 \
            257=00000003 258=00000001 261=00000001 264=00000003 265=00000003 268=00000001 281=00000003
            log-pages 0=00000001 1=00000001 2=00000001 3=00000001 4=00000001 5=00000001 12=00000001 18=00000001 \
            19=00000001
            log-telemetry 0x4109
            log-discovery 0x4109""");
    }

    @Test
    void shouldListChangedNamespacesOnce()
    {
        assertEquals(List.of(), changed("changed-none"));
        assertEquals(List.of("0x7"), changed("changed-7"));
        assertEquals(List.of("0x7"), changed("changed-kept"));
        assertEquals(List.of(), changed("changed-read"));
    }

    /** NVM Express Base 2.0, section 5.1: bit 0 of the result says that the command was not aborted. */
    @Test
    void shouldAbortWhatWaits()
    {
        result.assertStep("abort");
        answers.assertValues("""
            abort-at-device 00000001
            ended-first 0
            abort-waiting 00000000
            ended-aborted 0x7
            abort-ended 00000001
            ended-other 0
            ended-later 0
            abort-unknown-queue 00000001
            abort-unknown-command 00000001
            ended-at-device 0""");
    }

    @Test
    void shouldBeResetByTheHost()
    {
        result.assertStep("reset");
        // The kernel connects again with the keep alive timeout that was set last.
        answers.assertValues("""
            feature-04-after-reset 00000157
            feature-0b-after-reset 00000900
            feature-0f-after-reset 00007530
            subsystem-reset refused""");
    }

    @Test
    void shouldBeReadAlikeByOurInitiator()
    {
        final Map<String, Object> own = object(identify.get("controller"));
        final Map<String, Object> cli = object(answers.json("id-ctrl"));
        assertEquals(cli.get("subnqn"), own.get("subsystem-nqn"));
        assertEquals(String.valueOf(cli.get("mn")).strip(), own.get("model-number"));
        assertEquals(String.valueOf(cli.get("sn")).strip(), own.get("serial-number"));
        assertEquals(String.valueOf(cli.get("fr")).strip(), own.get("firmware-revision"));
        assertEquals("0x" + Long.toHexString(number(cli, "vid")), own.get("vendor-id"));
        assertEquals(number(cli, "nn"), number(own, "namespace-id-max"));
        assertEquals(number(cli, "maxcmd"), number(own, "queue-entries-max"));
        assertEquals(4096L << number(cli, "mdts"), number(own, "max-transfer-bytes"));
        assertEquals(16 * number(cli, "ioccsz") - 64, number(own, "in-capsule-data-bytes"));
        assertEquals(1 == (number(cli, "vwc") & 1), own.get("volatile-write-cache"));
        assertEquals(number(cli, "aerl") + 1, number(own, "async-event-limit"));
        assertEquals(100 * number(cli, "kas"), number(own, "keep-alive-unit-ms"));
        assertEquals(number(cli, "anatt"), number(own, "ana-transition-seconds"));
        assertEquals(number(cli, "anagrpmax"), number(own, "ana-group-id-max"));
        assertEquals(number(cli, "nanagrpid"), number(own, "ana-groups"));
        final List<Map<String, Object>> namespaces = objects(identify.get("namespaces"));
        assertEquals(List.of(1, 3, 5, 6), namespaces.stream().map((each) -> each.get("nsid")).toList());
        for (final Map<String, Object> namespace : namespaces.subList(0, 3))
        {
            final Map<String, Object> idNs = object(answers.json("id-ns-" + namespace.get("nsid")));
            assertEquals(number(idNs, "nsze"), number(namespace, "block-count"));
            assertEquals(number(idNs, "ncap"), number(namespace, "capacity-blocks"));
            assertEquals(number(idNs, "nuse"), number(namespace, "used-blocks"));
            assertEquals(number(idNs, "nvmcap"), number(namespace, "size-bytes"));
            assertEquals(1L << number(objects(idNs.get("lbafs")).getFirst(), "ds"),
                number(namespace, "block-size-bytes"));
            assertEquals(idNs.get("nguid"), namespace.get("nguid"));
            assertEquals(number(idNs, "anagrpid"), number(namespace, "ana-group"));
            assertEquals(1 == number(idNs, "nmic"), namespace.get("shared"));
            assertEquals(1 == (number(idNs, "dlfeat") & 7), namespace.get("deallocated-reads-zero"));
        }
        assertEquals("6f1c7a2e-3b1d-4a54-9c0e-5d2f1e0a9b8c", namespaces.getFirst().get("uuid"));
        assertEquals("non-optimized", namespaces.get(2).get("ana-state"));
    }

    @Test
    void shouldEndWell()
    {
        result.assertPassed();
        assertEquals(List.of(), result.lines("WARNING"), result::description);
    }

    private static List<Integer> nsids(final String name)
    {
        return objects(object(answers.json(name)).get("nsid_list")).stream()
            .map((each) -> (Integer)each.get("nsid")).toList();
    }

    /** The ids of nvme-cli's changed namespace list, the second object of its answer. */
    private static List<String> changed(final String name)
    {
        return object(answers.json(name)).values().stream().filter((each) -> each instanceof Map)
            .flatMap((each) -> object(each).values().stream()).map(String::valueOf).toList();
    }

    private static long timestamp(final String name)
    {
        return ByteBuffer.wrap(HexFormat.of().parseHex(answers.value(name))).order(ByteOrder.LITTLE_ENDIAN)
            .getLong() & 0xFFFF_FFFF_FFFFL;
    }

    private static String text(final byte[] bytes, final int offset, final int length)
    {
        return new String(bytes, offset, length, StandardCharsets.US_ASCII);
    }

    private static String padded(final String text, final int length, final char filler)
    {
        return text + String.valueOf(filler).repeat(length - text.length());
    }
}
