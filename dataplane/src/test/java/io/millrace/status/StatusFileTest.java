package io.millrace.status;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.file.ChildJvm;
import io.millrace.lock.LockHolder;
import io.millrace.seed.TestSeeds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusFileTest
{
    private static final int PART_BYTES = StatusSettings.BYTES_EACH_MIN;

    @TempDir
    private Path directory;

    private StatusSettings settings()
    {
        return new StatusSettings(directory.resolve("millrace.status"), true, PART_BYTES, "test");
    }

    private StatusFile create(final int partCount)
    {
        final StatusFile file = StatusFile.create(settings(), partCount);
        file.publish();
        return file;
    }

    private List<String> files() throws IOException
    {
        try (Stream<Path> list = Files.list(directory))
        {
            return list.map((file) -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void read(final IoCounters counters, final int times)
    {
        for (int i = 0; i < times; i++)
        {
            counters.onSuccess(IoOperation.READ, 4096, 10_000, LatencyBuckets.index(10_000));
        }
    }

    @Test
    void shouldTellWhoHasBuffers() throws IOException
    {
        try (StatusFile file = create(2))
        {
            final StatusReader reader = StatusReader.open(file.path());
            final BufferHolderRecord host = file.part(1).bufferHolder(2, "nqn.h", 4096, 3, 5_000);
            final BufferHolderRecord device = file.part(0).bufferHolder(3, "disk", 8192, 0, 7_000);
            assertEquals(List.of(new BufferHolderStatus(0, "device", "disk", 8192, 0, 7_000),
                new BufferHolderStatus(1, "host", "nqn.h", 4096, 3, 5_000)), reader.read().bufferHolders());
            host.release();
            device.release();
            assertEquals(List.of(), reader.read().bufferHolders());
        }
    }

    @Test
    void shouldTellDistinctErrorsOfDevicesOverAllReactors() throws IOException
    {
        try (StatusFile file = create(2))
        {
            final StatusReader reader = StatusReader.open(file.path());
            final DeviceErrorRecord full = file.part(0).deviceError("vol0", "write", "CAPACITY_EXCEEDED", "ENOSPC", 28);
            final DeviceErrorRecord same = file.part(1).deviceError("vol0", "write", "CAPACITY_EXCEEDED", "ENOSPC", 28);
            final DeviceErrorRecord bare = file.part(1).deviceError("vol0", "read", "MEDIA_ERROR", "", 0);
            assertEquals(List.of(), reader.read().deviceErrors());
            full.add(7);
            same.add(9);
            same.add(11);
            bare.add(1L << 40);
            final List<DeviceErrorStatus> errors = reader.read().deviceErrors();
            assertEquals(List.of(
                new DeviceErrorStatus("vol0", "write", "CAPACITY_EXCEEDED", "ENOSPC", 28, 3, full.firstEpochMs(),
                    same.lastEpochMs(), 7, 11),
                new DeviceErrorStatus("vol0", "read", "MEDIA_ERROR", "", 0, 1, bare.firstEpochMs(),
                    bare.lastEpochMs(), 1L << 40, 1L << 40)), errors);
            full.release();
            assertEquals(2, reader.read().deviceErrors().getFirst().count());
            file.part(0).deviceError("vol1", "flush", "DEVICE_ERROR", "NVMe status 0x6", 0).add(0);
            assertEquals("NVMe status 0x6", reader.read().deviceErrors().getFirst().cause());
        }
    }

    @Test
    void shouldTellAnotherProcessWhatIsCounted() throws IOException
    {
        try (StatusFile file = create(2))
        {
            assertEquals(List.of("millrace.status", "millrace.status.lock"), files());
            final StatusReader reader = StatusReader.open(file.path());
            assertEquals(List.of(), reader.read().namespaces());
            read(file.part(0).namespace("nqn.a", 1), 3);
            read(file.part(1).namespace("nqn.a", 1), 4);
            read(file.part(1).namespace("nqn.a", 2), 1);
            file.part(1).host("nqn.h").onError(IoOperation.WRITE);
            file.part(1).written(5);
            file.onError("the disk is full");
            file.onError("the disk is full");
            file.onError(new IllegalStateException("broken"));
            final StatusSnapshot snapshot = reader.read();
            assertEquals(2, snapshot.namespaces().size());
            final IoStatus first = snapshot.namespaces().stream().filter((each) -> 1 == each.nsid()).findFirst()
                .orElseThrow();
            assertEquals("nqn.a", first.name());
            assertEquals(7, first.operation(IoOperation.READ).count());
            assertEquals(7 * 4096, first.operation(IoOperation.READ).bytes());
            assertEquals(10_000, first.operation(IoOperation.READ).latencies().meanNs());
            assertEquals(1, snapshot.hosts().getFirst().operation(IoOperation.WRITE).errors());
            assertTrue(snapshot.writtenEpochMs() > 0);
            assertEquals(0, snapshot.stopEpochMs());
            assertEquals(ProcessHandle.current().pid(), snapshot.processId());
            assertEquals(2, snapshot.errors().size());
            assertEquals("the disk is full", snapshot.errors().getFirst().text());
            assertEquals(2, snapshot.errors().getFirst().count());
            assertTrue(snapshot.errors().get(1).text().startsWith("java.lang.IllegalStateException: broken\n\tat "));
            assertEquals(snapshot.namespaces().size(), file.snapshot().namespaces().size());
        }
        assertEquals(List.of("millrace.status", "millrace.status.lock"), files(), "kept for those who come later");
        assertTrue(StatusReader.open(directory.resolve("millrace.status")).read().stopEpochMs() > 0);
    }

    @Test
    void shouldUseRoomAgain()
    {
        try (StatusFile file = create(1))
        {
            final StatusReader reader = StatusReader.open(file.path());
            final StatusPart part = file.part(0);
            for (int i = 1; i <= 100_000; i++)
            {
                final QueuePairCounters queuePair = part.queuePair("nqn.a", "nqn.host" + i, i, 1, 128);
                queuePair.commands(i);
                queuePair.release();
            }
            part.queuePair("nqn.b", "h", 5, 1, 64);
            final List<QueuePairStatus> found = reader.read().queuePairs();
            assertEquals(1, found.size());
            assertEquals("h", found.getFirst().hostNqn());
            assertEquals(0, found.getFirst().commands());
            assertEquals(64, found.getFirst().depth());
            assertEquals(0, reader.read().lost());
        }
    }

    @Test
    void shouldCountOnWhenTheFileIsFullAndSaySoOnce()
    {
        final List<String> said = new ArrayList<>();
        try (StatusFile file = create(1))
        {
            file.part(0).onLoss(said::add);
            final List<IoCounters> namespaces = new ArrayList<>();
            for (int nsid = 1; nsid <= 500; nsid++)
            {
                final IoCounters namespace = file.part(0).namespace("nqn.a", nsid);
                read(namespace, nsid);
                namespaces.add(namespace);
            }
            final StatusSnapshot seen = StatusReader.open(file.path()).read();
            assertEquals(500 - seen.namespaces().size(), seen.lost());
            assertTrue(seen.lost() > 0 && seen.namespaces().size() > 150, seen::toString);
            assertEquals(1, said.size());
            assertTrue(said.getFirst().startsWith("status file: no room for a record of a namespace after 10"),
                said.getFirst());
            final StatusSnapshot all = file.snapshot();
            assertEquals(500, all.namespaces().size());
            all.namespaces().forEach((each) -> assertEquals(each.nsid(), each.operation(IoOperation.READ).count()));
            namespaces.forEach(IoCounters::release);
            assertEquals(0, file.snapshot().namespaces().size());
        }
    }

    @Test
    void shouldTakeNoMoreSpaceThanItUses() throws IOException, InterruptedException
    {
        try (StatusFile file = StatusFile.create(
            new StatusSettings(directory.resolve("sparse"), true, StatusSettings.BYTES_EACH_MAX, ""), 4))
        {
            file.publish();
            assertEquals(4L * StatusSettings.BYTES_EACH_MAX + 4096 + 65536, Files.size(file.path()));
            final Process du = new ProcessBuilder("du", "-k", file.path().toString()).start();
            final long usedKib = Long.parseLong(du.inputReader().readLine().split("\\s")[0]);
            du.waitFor();
            assertTrue(usedKib < 1024, () -> usedKib + " KiB");
        }
    }

    @Test
    void shouldReplaceWhatAFormerProcessLeft() throws IOException
    {
        final StatusReader before;
        try (StatusFile file = create(1))
        {
            read(file.part(0).namespace("nqn.old", 1), 1);
            before = StatusReader.open(file.path());
        }
        try (StatusFile file = create(1))
        {
            assertEquals(List.of(), StatusReader.open(file.path()).read().namespaces());
            assertEquals("nqn.old", before.read().namespaces().getFirst().name(), "keeps what it has mapped");
            assertEquals(List.of("millrace.status", "millrace.status.lock"), files());
        }
    }

    @Test
    void shouldRefuseWhatALivingProcessHas() throws IOException
    {
        try (StatusFile file = create(1))
        {
            final StatusException e = assertThrows(StatusException.class, () -> create(1));
            assertEquals(file.path() + " is in use by another data plane: " + file.path() + ".lock is locked by " +
                LockHolder.describe(Path.of(file.path() + ".lock")), e.getMessage());
            assertEquals(List.of("millrace.status", "millrace.status.lock"), files());
        }
    }

    @Test
    void shouldNotReplaceWhatIsNoStatusFile() throws IOException
    {
        final Path path = settings().file();
        for (final String content : new String[]{"", "precious", "precious".repeat(1000)})
        {
            Files.writeString(path, content);
            assertEquals(path + " exists and is not a status file",
                assertThrows(StatusException.class, () -> create(1)).getMessage());
            assertEquals(content, Files.readString(path));
        }
        Files.delete(path);
        Files.createDirectory(path);
        assertThrows(StatusException.class, () -> create(1));
        Files.delete(path);
        Files.createSymbolicLink(path, directory.resolve("elsewhere"));
        assertThrows(StatusException.class, () -> create(1));
        assertFalse(Files.exists(directory.resolve("elsewhere")));
        assertThrows(StatusException.class, () -> StatusFile.create(
            new StatusSettings(directory.resolve("none/there"), true, PART_BYTES, ""), 1));
    }

    @Test
    void shouldRefuseToReadWhatIsNoStatusFile() throws IOException
    {
        final Path path = directory.resolve("other");
        assertEquals(path + " does not exist: start a data plane that writes it, or name another",
            assertThrows(StatusException.class, () -> StatusReader.open(path)).getMessage());
        for (final String content : new String[]{"", "x", "y".repeat(100_000)})
        {
            Files.writeString(path, content);
            assertEquals(path + " is not a status file of a data plane",
                assertThrows(StatusException.class, () -> StatusReader.open(path)).getMessage());
        }
        assertThrows(StatusException.class, () -> StatusReader.open(directory));
    }

    @Test
    void shouldNotMixRecordsThatAreUsedAnewWhileTheyAreRead() throws InterruptedException
    {
        try (StatusFile file = create(1))
        {
            final AtomicBoolean isOver = new AtomicBoolean();
            final Thread writer = Thread.ofPlatform().start(() ->
            {
                for (int i = 1; !isOver.get(); i++)
                {
                    final int id = i % 1000;
                    final QueuePairCounters queuePair = file.part(0).queuePair("nqn." + id, "host" + id, id, id, id);
                    queuePair.commands(id);
                    queuePair.answered(id, id, id, id);
                    queuePair.release();
                }
            });
            final StatusReader reader = StatusReader.open(file.path());
            int seen = 0;
            for (int i = 0; i < 200_000 || 0 == seen && i < 20_000_000; i++)
            {
                for (final QueuePairStatus each : reader.read().queuePairs())
                {
                    seen++;
                    final int id = each.controllerId();
                    assertEquals("nqn." + id, each.nqn());
                    assertEquals("host" + id, each.hostNqn());
                    assertEquals(id, each.queueId());
                    // Numbers come after the record: each is what it was at the beginning or what it became.
                    assertTrue(0 == each.commands() || id == each.commands(), each::toString);
                    assertTrue(0 == each.errors() || id == each.errors(), each::toString);
                }
            }
            isOver.set(true);
            writer.join();
            assertTrue(seen > 0);
        }
    }

    @Test
    void shouldReadWhatAKilledProcessCounted() throws IOException, InterruptedException
    {
        final Path path = settings().file();
        final Process process = new ProcessBuilder(ChildJvm.command(KilledWriter.class, path.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader out = process.inputReader())
        {
            long written = 0;
            while (written < 50_000)
            {
                written = Long.parseLong(out.readLine());
                assertTrue(StatusReader.open(path).isWriterAlive());
            }
            process.toHandle().destroyForcibly();
            for (String line = out.readLine(); null != line; line = out.readLine())
            {
                written = Long.parseLong(line);
            }
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            final StatusReader reader = StatusReader.open(path);
            assertFalse(reader.isWriterAlive());
            final StatusSnapshot snapshot = reader.read();
            assertEquals(0, snapshot.stopEpochMs());
            assertEquals(process.pid(), snapshot.processId());
            final OperationStatus reads = snapshot.namespaces().getFirst().operation(IoOperation.READ);
            // What it had printed it had counted before.
            assertTrue(reads.count() >= written, reads.count() + " of " + written);
            assertTrue(Math.abs(reads.bytes() - 4096 * reads.count()) <= 4096);
        }
        finally
        {
            process.destroyForcibly();
        }
        final Path kept = directory.resolve("millrace.status.crashed");
        try (StatusFile file = create(1))
        {
            assertEquals(kept, file.crashed());
            assertEquals(0, file.snapshot().namespaces().size());
        }
        try (StatusFile file = create(1))
        {
            assertNull(file.crashed(), "the one before was stopped");
        }
        final StatusReader reader = StatusReader.open(kept);
        assertFalse(reader.isWriterAlive());
        assertEquals(process.pid(), reader.read().processId());
    }

    @Test
    void shouldTakeNothingAwayWhenTheStartFails() throws IOException
    {
        create(1).close();
        final byte[] before = Files.readAllBytes(settings().file());
        StatusFile.create(settings(), 1).close();
        assertArrayEquals(before, Files.readAllBytes(settings().file()));
        assertEquals(List.of("millrace.status", "millrace.status.lock"), files());
    }

    /** Counts until it is killed. */
    static final class KilledWriter
    {
        private KilledWriter()
        {
        }

        public static void main(final String[] args)
        {
            final StatusFile file =
                StatusFile.create(new StatusSettings(Path.of(args[0]), true, PART_BYTES, "victim"), 1);
            file.publish();
            final IoCounters namespace = file.part(0).namespace("nqn.a", 1);
            for (long count = 1000; true; count += 1000)
            {
                read(namespace, 1000);
                System.out.println(count);
            }
        }
    }

    @Test
    void shouldSayWhatIsDamagedWhateverIsInTheFile() throws IOException
    {
        final Path path = settings().file();
        try (StatusFile file = create(2))
        {
            file.part(0).reactor(0, 1, "reactor-0");
            file.part(0).dataPlane("");
            file.part(0).queuePair("nqn.a", "host", 1, 1, 128);
            read(file.part(1).namespace("nqn.a", 1), 3);
            file.part(1).host("nqn.h");
            file.onError("sentence");
        }
        final byte[] whole = Files.readAllBytes(path);
        final Path damaged = directory.resolve("damaged");
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        final int[] starts = {8, 4096, 4096 + 65536, 4096 + 65536 + PART_BYTES};
        int refused = 0;
        for (int round = 0; round < 2_000; round++)
        {
            final byte[] bytes = whole.clone();
            for (int i = random.nextInt(1, 20); i > 0; i--)
            {
                bytes[starts[random.nextInt(starts.length)] + random.nextInt(700)] = (byte)random.nextInt();
            }
            final int length = 0 == random.nextInt(8) ? random.nextInt(bytes.length) : bytes.length;
            write(damaged, bytes, length);
            try
            {
                StatusReader.open(damaged).read();
            }
            catch (final StatusException e)
            {
                refused++;
                assertTrue(e.getMessage().startsWith(damaged.toString()) && e.getMessage().lines().count() == 1,
                    () -> "seed " + seed + ": " + e.getMessage());
            }
            catch (final RuntimeException e)
            {
                throw new AssertionError("seed " + seed + ", round " + round, e);
            }
        }
        assertTrue(refused > 100, refused + " of 2000");
    }

    private static void write(final Path path, final byte[] bytes, final int length)
    {
        try
        {
            Files.write(path, length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldMissNothingWhenThereIsNoFile()
    {
        final List<String> said = new ArrayList<>();
        final StatusPart part = StatusPart.unpublished();
        part.onLoss(said::add);
        read(part.namespace("nqn.a", 1), 3);
        assertEquals(List.of(), said);
    }
}
