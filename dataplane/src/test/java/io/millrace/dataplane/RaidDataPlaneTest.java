package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceProperties;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.raid.RaidDetails;
import io.millrace.block.raid.RaidMemberDetails;
import io.millrace.block.raid.ScrubMode;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A data plane that serves an array of files, whose members fail, are replaced and are missing.
 */
class RaidDataPlaneTest
{
    private static final int SCRUBS = 12;
    private static final String NQN = "nqn.2026-11.io.millrace:array";
    private static final int BLOCK = 4096;
    private static final int METADATA_BYTES = 1 << 20;
    private static final int FILE_BYTES = 4 << 20;
    private static final long SLOW_BYTES_PER_S = 256 << 10;
    private static final int CHUNK_BLOCKS = 24;
    private static final FaultPlan DEAD = FaultPlan.of(1, FaultRule.error(BlockStatus.DEVICE_ERROR));

    @TempDir
    private Path directory;
    private final Random random = TestSeeds.random();
    private final List<String> changes = new CopyOnWriteArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final List<String> notes = new CopyOnWriteArrayList<>();
    private final TargetListener log = new TargetListener()
    {
        @Override
        public void onNote(final String message)
        {
            notes.add(message);
        }

        @Override
        public void onError(final String message)
        {
            errors.add(message);
        }
    };
    private byte[] model;

    private DeviceConfig file(final String name) throws IOException
    {
        final Path path = path(name);
        if (!Files.exists(path))
        {
            newFile(name);
        }
        return DeviceConfig.of(name, "file", Map.of("path", path.toString(), "preallocate", false));
    }

    private Path path(final String name)
    {
        return directory.resolve(name + ".img");
    }

    private void newFile(final String name) throws IOException
    {
        Files.write(path(name), new byte[FILE_BYTES]);
    }

    private static DeviceConfig array(final String level, final List<String> members, final List<String> spares)
    {
        return DeviceConfig.of("vol", "raid", Map.of("level", level, "members", members, "spares", spares));
    }

    private DataPlane start(final List<DeviceConfig> devices)
    {
        return DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of("array0", -1), ReactorConfig.of("array1", -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 4,
            devices,
            List.of(new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, "vol", null)))),
            List.of(new ListenerSettings(
                TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults()), log, this::onEvent);
    }

    private void onEvent(final DataPlaneEvent event)
    {
        if (ResourceKind.DATA_PLANE == event.kind())
        {
            warnings.add(event.text());
        }
        else if (ResourceKind.DEVICE == event.kind() && "vol".equals(event.name()))
        {
            changes.add(event.text());
        }
    }

    private static void awaitOnline(final DataPlane dataPlane)
    {
        Waits.until("a complete array", () ->
        {
            final DeviceSnapshot array = dataPlane.devices().get("vol");
            return DeviceHealth.ONLINE == array.health() && null == array.progress();
        });
    }

    private static void apply(final DataPlane dataPlane, final String device, final String base, final FaultPlan plan)
    {
        Waits.get(dataPlane.devices().modify(device, plan.properties(base)));
    }

    private static void copyRate(final DataPlane dataPlane, final long bytesPerS)
    {
        Waits.get(dataPlane.devices().modify("vol", dataPlane.devices().get("vol").config().properties()
            .with("sync-rate-max", bytesPerS).with("sync-rate-min", bytesPerS)));
    }

    /** A host that knows what it has written. */
    private final class Writer implements AutoCloseable
    {
        private final HostFixture host = new HostFixture();
        private final RemoteController controller;
        private final RemoteQueuePair queue;
        private final MemorySegment buffer;
        private final int blocks;

        Writer(final DataPlane dataPlane)
        {
            controller = host.connect(
                ConnectionConfig.to(dataPlane.addresses().getFirst().socketAddress(), NQN).build());
            queue = host.queue(controller);
            blocks = (int)(Waits.get(controller.namespace(1)).sizeBytes() / BLOCK);
            buffer = host.memory((long)blocks * BLOCK);
            if (null == model)
            {
                model = new byte[blocks * BLOCK];
            }
            assertEquals(model.length, blocks * BLOCK, "size of the array");
        }

        /** Writes several disjoint ranges at once, and executes an action while they are outstanding. */
        void write(final Runnable whileOutstanding)
        {
            final List<CompletableFuture<Integer>> writes = new ArrayList<>();
            for (int first = random.nextInt(CHUNK_BLOCKS); first < blocks; first += CHUNK_BLOCKS)
            {
                final int start = first;
                final int count = Math.min(1 + random.nextInt(CHUNK_BLOCKS), blocks - first);
                final byte[] data = new byte[count * BLOCK];
                random.nextBytes(data);
                System.arraycopy(data, 0, model, first * BLOCK, data.length);
                final MemorySegment part = buffer.asSlice((long)first * BLOCK, data.length);
                MemorySegment.copy(data, 0, part, ValueLayout.JAVA_BYTE, 0, data.length);
                writes.add(host.submit(queue, (r) -> r.write(1, start, count, part.address(), data.length)));
            }
            whileOutstanding.run();
            writes.forEach((each) -> assertEquals(0, Waits.get(each), "status of a write"));
        }

        void write()
        {
            write(() ->
            {
            });
        }

        void check()
        {
            buffer.fill((byte)0x55);
            for (int first = 0; first < blocks; first += CHUNK_BLOCKS)
            {
                final int start = first;
                final int count = Math.min(CHUNK_BLOCKS, blocks - first);
                assertEquals(0, host.run(queue, (r) -> r.read(
                    1, start, count, buffer.address() + (long)start * BLOCK, count * BLOCK)), "status of a read");
            }
            assertArrayEquals(model, buffer.toArray(ValueLayout.JAVA_BYTE));
        }

        @Override
        public void close()
        {
            controller.close();
            host.close();
        }
    }

    @Test
    void shouldRebuildOnASpareWhileAHostWritesAndAssembleItAgain() throws IOException
    {
        final List<DeviceConfig> devices = List.of(file("m0"), file("m1"), file("m2"), file("m3"),
            DeviceConfig.fault("bad1", "m1", FaultPlan.NONE),
            array("5", List.of("m0", "bad1", "m2"), List.of("m3")));
        try (DataPlane dataPlane = start(devices))
        {
            assertEquals(List.of("m0", "bad1", "m2", "m3"), dataPlane.devices().get("vol").members());
            try (Writer writer = new Writer(dataPlane))
            {
                writer.write();
                awaitOnline(dataPlane);
                writer.check();
                // The rebuild is not done before it has been seen.
                copyRate(dataPlane, SLOW_BYTES_PER_S);
                writer.write(() -> apply(dataPlane, "bad1", "m1", DEAD));
                Waits.until(() -> "a rebuild; " + dataPlane.devices().get("vol") + changes + errors + notes, () ->
                {
                    final DeviceSnapshot array = dataPlane.devices().get("vol");
                    return DeviceHealth.DEGRADED == array.health() && null != array.progress() &&
                        "rebuild".equals(array.progress().operation());
                });
                writer.check();
                copyRate(dataPlane, 1L << 40);
                writer.write();
                awaitOnline(dataPlane);
                writer.check();
                Waits.until("the event", () -> changes.contains("is ONLINE again"));
            }
        }
        warnings.clear();
        try (DataPlane dataPlane = start(devices); Writer writer = new Writer(dataPlane))
        {
            assertEquals(DeviceHealth.ONLINE, dataPlane.devices().get("vol").health());
            writer.check();
            assertEquals(List.of(), warnings);
        }
    }

    @Test
    void shouldGiveHostsTheRoomOfMembersThatBecameLarger() throws IOException
    {
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m1"), file("m2"),
            array("5", List.of("m0", "m1", "m2"), List.of()))))
        {
            try (Writer writer = new Writer(dataPlane))
            {
                writer.write();
                for (final String each : List.of("m0", "m1", "m2"))
                {
                    Waits.get(dataPlane.devices().resize(each, 2L * FILE_BYTES));
                }
                assertTrue(dataPlane.notes().stream().anyMatch((each) -> each.endsWith(
                    "the rest of larger ones is not used: m0 has 8388608, m1 has 8388608, m2 has 8388608")),
                    () -> dataPlane.notes().toString());
                Waits.get(dataPlane.arrays().resizeMembers("vol", 0));
                writer.write();
                Waits.until("the room", () ->
                    dataPlane.arrays().get("vol").memberBytes() == dataPlane.arrays().get("vol").roomBytes());
                writer.check();
                model = Arrays.copyOf(model, (int)(2 * dataPlane.arrays().get("vol").memberBytes()));
                Waits.until("the size", () -> model.length == Waits.get(writer.controller.namespace(1)).sizeBytes());
            }
            // Another one reaches all of it, and finds zeroes.
            try (Writer writer = new Writer(dataPlane))
            {
                writer.check();
                writer.write();
                writer.check();
            }
        }
    }

    @Test
    void shouldSayThatAResizeWaitsForARebuild() throws IOException
    {
        // So slow that a member is lost within it.
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m1"), file("m2"), file("m3"),
            DeviceConfig.of("vol", "raid", Map.of("level", "5", "members", List.of("m0", "m1", "m2"), "spares",
            List.of("m3"), "assume-clean", true, "sync-rate-min", 1L << 20, "sync-rate-max", 2L << 20)))))
        {
            awaitOnline(dataPlane);
            for (final String each : List.of("m0", "m1", "m2", "m3"))
            {
                Waits.get(dataPlane.devices().resize(each, 2L * FILE_BYTES));
            }
            Waits.get(dataPlane.arrays().resizeMembers("vol", 0));
            Waits.until("the resize", () -> changes.contains("resize has begun"));
            Waits.get(dataPlane.arrays().fail("vol", "m1"));
            Waits.until("the rebuild", () -> changes.contains("rebuild has begun"));
            assertTrue(changes.contains("resize waits for another operation"), changes::toString);
            assertTrue(!changes.contains("resize has ended"), changes::toString);
            assertTrue(changes.stream().anyMatch((each) -> each.contains("; the resize waits for that")),
                changes::toString);
            Waits.until("the end", () -> changes.contains("resize has ended"));
            assertEquals(dataPlane.arrays().get("vol").roomBytes(), dataPlane.arrays().get("vol").memberBytes());
        }
    }

    private static void set(final DataPlane dataPlane, final String key, final Object value)
    {
        Waits.get(dataPlane.devices().modify("vol",
            dataPlane.devices().get("vol").config().properties().with(key, value)));
    }

    @Test
    void shouldSayWhatWaitsForAReshapeAndThatOneWaits() throws IOException
    {
        // So slow that a member is lost within it.
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m1"), file("m2"), file("m3"), file("m4"),
            DeviceConfig.of("vol", "raid", Map.of("level", "5", "members", List.of("m0", "m1", "m2"),
            "assume-clean", true, "sync-rate-min", 1L << 20, "sync-rate-max", 1L << 20)))))
        {
            final RaidArrays arrays = dataPlane.arrays();
            awaitOnline(dataPlane);
            set(dataPlane, "members", List.of("m0", "m1", "m2", "m3"));
            Waits.until("the reshape", () -> changes.contains("reshape has begun"));
            arrays.scrub("vol", ScrubMode.CHECK);
            Waits.until("the scrub", () ->
                changes.contains("scrub waits for another operation, or until all slots are in sync"));
            assertEquals(List.of(), changes.stream().filter((each) ->
                each.startsWith("reshape waits") || each.equals("scrub has begun")).toList());
            assertEquals("reshape", arrays.get("vol").status().progress().operation());
            Waits.get(arrays.fail("vol", "m1"));
            Waits.until("the event", () -> changes.contains("reshape waits"));
            assertEquals(null, arrays.get("vol").status().progress());
            assertEquals(RaidDetails.UNKNOWN, arrays.get("vol").leftMs());
            set(dataPlane, "spares", List.of("m4"));
            Waits.until("the end", () -> changes.stream().anyMatch((each) -> each.startsWith("scrub completed")));
            final List<String> operations = changes.stream().filter((each) -> each.matches(
                "(reshape|rebuild|scrub) (has|waits|goes).*")).toList();
            assertEquals(List.of("reshape has begun", "scrub waits for another operation, or until all slots are in " +
                "sync", "reshape waits", "rebuild has begun", "rebuild has ended", "reshape has begun",
                "reshape has ended", "scrub has begun"), operations);
        }
    }

    @Test
    void shouldSayThatAScrubWaitsForARebuild() throws IOException
    {
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m1"), file("m2"), file("m3"),
            DeviceConfig.of("vol", "raid", Map.of("level", "5", "members", List.of("m0", "m1", "m2"), "spares",
            List.of("m3"), "assume-clean", true, "sync-rate-min", 1L << 20, "sync-rate-max", 1L << 20)))))
        {
            final RaidArrays arrays = dataPlane.arrays();
            awaitOnline(dataPlane);
            arrays.scrub("vol", ScrubMode.CHECK);
            Waits.until("it goes on", () -> null != arrays.get("vol").scrub() &&
                arrays.get("vol").scrub().checkedBytes() > 0 && changes.contains("scrub has begun"));
            Waits.get(arrays.fail("vol", "m1"));
            final String waits = "scrub waits for another operation, or until all slots are in sync";
            Waits.until("it waits", () -> changes.contains(waits));
            assertTrue(!changes.contains("rebuild has ended"), changes::toString);
            Waits.until("the end", () -> changes.stream().anyMatch((each) -> each.startsWith("scrub completed")));
            assertEquals(List.of("scrub has begun", waits, "scrub goes on"),
                changes.stream().filter((each) -> each.matches("scrub (has|waits|goes).*")).toList());
        }
    }

    @Test
    void shouldSayThatEachScrubBegins() throws IOException
    {
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m1"), DeviceConfig.of("vol", "raid",
            Map.of("level", "1", "members", List.of("m0", "m1"), "assume-clean", true)))))
        {
            awaitOnline(dataPlane);
            // Some are seen for the first time when they have compared a part.
            for (int i = 1; i <= SCRUBS; i++)
            {
                final int count = i;
                dataPlane.arrays().scrub("vol", ScrubMode.CHECK);
                Waits.until("the end", () ->
                    count == changes.stream().filter((each) -> each.startsWith("scrub completed")).count());
            }
            assertEquals(List.of(),
                changes.stream().filter((each) -> each.matches("scrub (waits|goes).*")).toList());
        }
    }

    @Test
    void shouldSayWhatBecomesOfAnArray() throws IOException
    {
        // So slow that the rebuild is seen.
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m1"), file("m2"), file("m3"),
            DeviceConfig.of("vol", "raid", Map.of("level", "5", "members", List.of("m0", "m1", "m2"), "spares",
            List.of("m3"), "sync-rate-min", 1L << 20, "sync-rate-max", 2L << 20)))))
        {
            try (Writer writer = new Writer(dataPlane))
            {
                writer.write();
            }
            awaitOnline(dataPlane);
            final RaidArrays arrays = dataPlane.arrays();
            assertThrows(OperationException.class, () -> arrays.get("m0"));
            assertThrows(OperationException.class, () -> arrays.stopScrub("vol"));
            assertEquals(null, arrays.get("vol").scrub());
            arrays.scrub("vol", ScrubMode.CHECK);
            Waits.until("the note", () -> notes.stream().anyMatch((each) ->
                each.startsWith("array vol: scrub completed: ") && each.contains(", 0 mismatches,")));
            try (RandomAccessFile file = new RandomAccessFile(path("m1").toFile(), "rw"))
            {
                file.seek(METADATA_BYTES + 5L * BLOCK);
                file.writeInt(random.nextInt() | 1);
            }
            arrays.scrub("vol", ScrubMode.REPAIR);
            Waits.until("the event", () -> changes.stream().anyMatch((each) ->
                each.startsWith("scrub with repair completed: ") && each.contains(", 1 mismatches, 1 repaired,")));
            assertEquals(List.of(5L * BLOCK), arrays.get("vol").scrub().offsets());
            assertEquals(List.of(), errors);
            Waits.get(arrays.fail("vol", "m1"));
            Waits.until("the error", () -> errors.stream().anyMatch((each) ->
                each.startsWith("array vol: is DEGRADED: slot 1 (m") && each.contains("m1 was failed by an operator")));
            awaitOnline(dataPlane);
            Waits.until("the notes", () -> notes.containsAll(List.of("array vol: rebuild has begun",
                "array vol: rebuild has ended", "array vol: is ONLINE again")));
            final List<RaidMemberDetails> members = arrays.get("vol").members();
            assertEquals(List.of("m0", "m3", "m2", "m1"), members.stream().map(RaidMemberDetails::name).toList());
            assertEquals(RaidMemberDetails.State.FAILED, members.getLast().state());
            assertEquals(RaidMemberDetails.State.IN_SYNC, members.get(1).state());
            assertThrows(CompletionException.class, () -> arrays.fail("vol", "m1").join());
        }
    }

    @Test
    void shouldStartWithoutAMemberAndRebuildItWhenItIsBack() throws IOException
    {
        final List<DeviceConfig> devices = List.of(file("m0"), file("m1"),
            DeviceConfig.fault("bad1", "m1", FaultPlan.NONE), file("m2"),
            array("5", List.of("m0", "bad1", "m2"), List.of()));
        try (DataPlane dataPlane = start(devices); Writer writer = new Writer(dataPlane))
        {
            writer.write();
            awaitOnline(dataPlane);
        }
        Files.delete(path("m1"));
        warnings.clear();
        try (DataPlane dataPlane = start(devices))
        {
            assertEquals(2, warnings.size(), warnings::toString);
            assertTrue(warnings.get(0).startsWith("device m1 is missing, and device vol is started without it: "),
                warnings::toString);
            assertTrue(warnings.get(0).contains(path("m1") + " does not exist"), warnings::toString);
            assertTrue(warnings.get(1).startsWith("device bad1 is missing, and device vol is started without it: "),
                warnings::toString);
            final DeviceSnapshot array = dataPlane.devices().get("vol");
            assertEquals(DeviceHealth.DEGRADED, array.health());
            assertEquals(List.of("m0", "m2"), array.members());
            try (Writer writer = new Writer(dataPlane))
            {
                writer.check();
                writer.write();
                writer.check();
            }
            assertEquals(DeviceHealth.DEGRADED, dataPlane.devices().get("vol").health());
        }
        newFile("m1");
        try (DataPlane dataPlane = start(devices); Writer writer = new Writer(dataPlane))
        {
            awaitOnline(dataPlane);
            apply(dataPlane, "bad1", "m1", FaultPlan.NONE);
            writer.check();
        }
        // All the data without another member is on that one.
        Files.delete(path("m0"));
        try (DataPlane dataPlane = start(devices); Writer writer = new Writer(dataPlane))
        {
            writer.check();
        }
    }

    @Test
    void shouldNotStartWithoutAMemberThatIsNeeded() throws IOException
    {
        final List<DeviceConfig> striped =
            List.of(file("s0"), file("s1"), array("0", List.of("s0", "s1"), List.of()));
        start(striped).close();
        Files.delete(path("s1"));
        final String refused = assertThrows(SettingException.class, () -> start(striped)).getMessage();
        assertTrue(refused.startsWith("devices[1].path") && refused.contains("does not exist"), refused);

        final List<DeviceConfig> mirrored = List.of(file("m0"), file("m1"), file("m2"), file("other"),
            array("5", List.of("m0", "m1", "m2"), List.of()));
        start(mirrored).close();
        Files.delete(path("other"));
        final String other = assertThrows(SettingException.class, () -> start(mirrored)).getMessage();
        assertTrue(other.startsWith("devices[3].path"), other);
        newFile("other");
        Files.delete(path("m0"));
        Files.delete(path("m2"));
        final String tooFew = assertThrows(SettingException.class, () -> start(mirrored)).getMessage();
        assertTrue(tooFew.startsWith("devices[4]") && tooFew.contains("too few members are there"), tooFew);
        assertTrue(tooFew.contains("; device m0 is missing: ") && tooFew.endsWith("; and 1 more missing"), tooFew);
    }

    @Test
    void shouldChangeTheRateOfARebuildWhileItServes() throws IOException
    {
        final DeviceConfig slow = DeviceConfig.of("vol", "raid", Map.of("level", "1", "members", List.of("m0", "m1"),
            "sync-rate-min", 65_536L, "sync-rate-max", 65_536L));
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m1"), slow)); Writer writer = new Writer(dataPlane))
        {
            writer.write();
            // At this rate the resync of 3 MiB would last 48 s.
            final DeviceProperties properties = dataPlane.devices().get("vol").config().properties();
            assertTrue(assertThrows(RuntimeException.class, () -> dataPlane.devices().modify("vol",
                properties.with("sync-rate-max", 65_535L))).getMessage().contains("sync-rate-max"));
            final DeviceProperties fast = properties.with("sync-rate-max", 1L << 40).with("sync-rate-min", 1L << 40);
            Waits.get(dataPlane.devices().modify("vol", fast));
            awaitOnline(dataPlane);
            writer.check();
        }
    }

    private static void set(final DataPlane dataPlane, final List<String> members, final List<String> spares)
    {
        Waits.get(dataPlane.devices().modify("vol", dataPlane.devices().get("vol").config().properties()
            .with("members", members).with("spares", spares)));
    }

    private static String refusal(final Runnable action)
    {
        return assertThrows(RuntimeException.class, action::run).getMessage();
    }

    @Test
    void shouldReportAnotherLevelAndAnotherJournalDevice() throws IOException
    {
        final List<DeviceConfig> devices = List.of(file("m0"), file("m1"), file("m2"), file("m3"), file("m4"),
            file("m5"), array("5", List.of("m0", "m1", "m2"), List.of()));
        try (DataPlane dataPlane = start(devices))
        {
            awaitOnline(dataPlane);
            assertEquals("RAID 5 of m0, m1, m2", dataPlane.devices().get("vol").description());
            set(dataPlane, "journal-device", "m4");
            Waits.until("the device", () -> notes.contains("array vol: device m4 has the journal now"));
            set(dataPlane, "journal-device", "m5");
            Waits.until("the other", () -> notes.contains("array vol: device m5 has the journal now"));
            set(dataPlane, "journal-device", "");
            Waits.until("members", () -> notes.contains("array vol: members have the journal now, device m5 had it"));
            Waits.get(dataPlane.devices().modify("vol", dataPlane.devices().get("vol").config().properties()
                .with("level", "6").with("members", List.of("m0", "m1", "m2", "m3"))));
            Waits.until("the level", () -> notes.contains("array vol: is RAID 6 now, was RAID 5"));
            assertTrue(changes.toString().contains("is RAID 6 now, was RAID 5"), changes::toString);
            awaitOnline(dataPlane);
            assertEquals("RAID 6 of m0, m1, m2, m3", dataPlane.devices().get("vol").description());
        }
        // Settings that are older than the array, which finds the device of its last slot only where it is declared.
        try (DataPlane dataPlane = start(devices))
        {
            assertEquals("RAID 6 of m0, m1, m2, m3", dataPlane.devices().get("vol").description());
        }
        try (DataPlane dataPlane = start(devices.stream().filter((each) -> !"m3".equals(each.name())).toList()))
        {
            assertEquals("RAID 6 of m0, m1, m2, (missing)", dataPlane.devices().get("vol").description());
        }
    }

    private static void set(final DataPlane dataPlane, final String setting, final String value)
    {
        Waits.get(dataPlane.devices().modify("vol", dataPlane.devices().get("vol").config().properties()
            .with(setting, value)));
    }

    @Test
    void shouldChangeMembersWhileAHostWrites() throws IOException
    {
        final List<DeviceConfig> devices = List.of(file("m0"), file("m1"), file("m2"), file("m3"), file("m4"),
            DeviceConfig.fault("bad1", "m1", FaultPlan.NONE), array("5", List.of("m0", "bad1", "m2"), List.of()));
        try (DataPlane dataPlane = start(devices); Writer writer = new Writer(dataPlane))
        {
            writer.write();
            awaitOnline(dataPlane);
            // A device has one user.
            assertTrue(refusal(() -> set(dataPlane, List.of("m0", "bad1", "m2"), List.of("m1")))
                .contains("device m1: is used by device bad1"));
            assertEquals(List.of("m0", "bad1", "m2"), dataPlane.devices().get("vol").members());
            set(dataPlane, List.of("m0", "bad1", "m2"), List.of("m3"));
            assertTrue(refusal(() -> dataPlane.devices().delete("m3")).contains("is used by device vol"));
            Waits.until("the note", () -> notes.contains("array vol: device m3 was added"));
            writer.write(() -> apply(dataPlane, "bad1", "m1", DEAD));
            awaitOnline(dataPlane);
            writer.check();
            assertTrue(refusal(() -> set(dataPlane, List.of("m0", "bad1", "m2"), List.of()))
                .contains("name a new device in members"));
            // Another takes the name of the one that failed, whose drive is used otherwise.
            writer.write(() -> set(dataPlane, List.of("m0", "m3", "m2"), List.of()));
            assertEquals(List.of("m0", "m2", "m3"), dataPlane.devices().get("vol").members());
            assertEquals(List.of("m0", "m3", "m2"),
                dataPlane.devices().get("vol").config().properties().texts("members"));
            dataPlane.devices().delete("bad1");
            writer.write(() -> set(dataPlane, List.of("m4", "m3", "m2"), List.of()));
            Waits.until("a replacement", () -> !dataPlane.devices().get("vol").members().contains("m0"));
            Waits.until("a free device", () -> null == dataPlane.devices().get("m0").user());
            awaitOnline(dataPlane);
            writer.check();
            Waits.until("the note", () -> notes.contains("array vol: device m0 was removed"));
            dataPlane.devices().delete("m0");
            set(dataPlane, List.of("m4", "m3", "m2"), List.of("m1"));
            set(dataPlane, List.of("m4", "m3", "m2"), List.of());
            dataPlane.devices().delete("m1");
            writer.write();
            writer.check();
        }
        try (DataPlane dataPlane = start(List.of(file("m2"), file("m3"), file("m4"),
            array("5", List.of("m2", "m3", "m4"), List.of()))); Writer writer = new Writer(dataPlane))
        {
            assertEquals(DeviceHealth.ONLINE, dataPlane.devices().get("vol").health());
            writer.check();
        }
    }

    /** The file names the new member alone, and declares the old one anywhere, also behind the array. */
    @Test
    void shouldGoOnWithAReplacementThatTheEndOfTheDataPlaneInterrupted() throws IOException
    {
        // All of it would take minutes, and the next part is not long in coming.
        final Map<String, Object> slow = Map.of("level", "1", "members", List.of("m0", "m1"), "assume-clean", true,
            "strip-size", 4096, "sync-rate-min", 1L << 14, "sync-rate-max", 1L << 14);
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m1"), file("m2"),
            DeviceConfig.of("vol", "raid", slow))); Writer writer = new Writer(dataPlane))
        {
            writer.write();
            writer.write(() -> set(dataPlane, List.of("m0", "m2"), List.of()));
        }
        final Map<String, Object> named = new HashMap<>(slow);
        named.put("members", List.of("m0", "m2"));
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m2"), DeviceConfig.of("vol", "raid", named),
            file("m1"))); Writer writer = new Writer(dataPlane))
        {
            assertEquals(DeviceHealth.ONLINE, dataPlane.devices().get("vol").health());
            assertTrue(dataPlane.devices().get("vol").members().contains("m1"));
            assertTrue(refusal(() -> dataPlane.devices().delete("m1")).contains("is used by device vol"));
            writer.check();
            writer.write(() -> Waits.get(dataPlane.devices().modify("vol", dataPlane.devices().get("vol").config()
                .properties().with("sync-rate-max", 1L << 40))));
            Waits.until("a replacement", () -> null == dataPlane.devices().get("m1").user());
            awaitOnline(dataPlane);
            writer.check();
            dataPlane.devices().delete("m1");
        }
        Files.delete(path("m1"));
        try (DataPlane dataPlane = start(List.of(file("m0"), file("m2"), DeviceConfig.of("vol", "raid", named)));
            Writer writer = new Writer(dataPlane))
        {
            assertEquals(DeviceHealth.ONLINE, dataPlane.devices().get("vol").health());
            writer.check();
        }
    }

    @Test
    void shouldStartAMirrorWithoutACopyWhenToldSo() throws IOException
    {
        final List<String> names = List.of("m0", "m1");
        final List<DeviceConfig> devices = List.of(file("m0"), file("m1"), array("1", names, List.of()));
        try (DataPlane dataPlane = start(devices); Writer writer = new Writer(dataPlane))
        {
            writer.write();
            awaitOnline(dataPlane);
        }
        Files.delete(path("m0"));
        // The other copy might be in use elsewhere.
        final String refused = assertThrows(SettingException.class, () -> start(devices)).getMessage();
        assertTrue(refused.contains("set force-start: true"), refused);
        final DeviceConfig told = DeviceConfig.of("vol", "raid",
            Map.of("level", "1", "members", names, "force-start", true));
        try (DataPlane dataPlane = start(List.of(devices.get(0), devices.get(1), told));
            Writer writer = new Writer(dataPlane))
        {
            assertEquals(DeviceHealth.DEGRADED, dataPlane.devices().get("vol").health());
            writer.check();
            writer.write();
        }
        newFile("m0");
        try (DataPlane dataPlane = start(devices); Writer writer = new Writer(dataPlane))
        {
            awaitOnline(dataPlane);
            writer.check();
        }
    }

    @Test
    void shouldNotMakeAnArrayWithoutAllItsMembers() throws IOException
    {
        final List<DeviceConfig> devices =
            List.of(file("m0"), file("m1"), file("m2"), array("5", List.of("m0", "m1", "m2"), List.of()));
        Files.delete(path("m1"));
        final String refused = assertThrows(SettingException.class, () -> start(devices)).getMessage();
        assertTrue(refused.contains("no usable superblock was found, and m1 cannot be used"), refused);
    }

    @Test
    void shouldRefuseANameThatIsNotDeclared() throws IOException
    {
        final DeviceConfig m0 = file("m0");
        final DeviceConfig m1 = file("m1");
        final String member = assertThrows(SettingException.class, () -> start(List.of(m0, m1,
            array("1", List.of("m0", "mm1"), List.of())))).getMessage();
        assertTrue(member.startsWith("devices[2].members = mm1: no such device"), member);
        final String spare = assertThrows(SettingException.class, () -> start(List.of(m0, m1,
            array("1", List.of("m0", "m1"), List.of("m2"))))).getMessage();
        assertTrue(spare.startsWith("devices[2].spares = m2: no such device"), spare);
    }
}
