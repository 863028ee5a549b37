package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.lock.LockHolder;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.status.DataPlaneCounters;
import io.millrace.status.IoOperation;
import io.millrace.status.IoStatus;
import io.millrace.status.OperationStatus;
import io.millrace.status.QueuePairStatus;
import io.millrace.status.ReactorCounters;
import io.millrace.status.StatusReader;
import io.millrace.status.StatusSettings;
import io.millrace.status.StatusSnapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a data plane tells of itself, with real connections.
 */
class DataPlaneStatusTest
{
    private static final String NQN = OperationsFixture.NQN;
    private static final int BLOCK = OperationsFixture.BLOCK;

    @TempDir
    private Path directory;

    private DataPlaneConfig config(final Path file, final boolean isWanted)
    {
        return new DataPlaneConfig(List.of(ReactorConfig.of("r0", -1)), 16 << 20, List.of(), List.of(), List.of(),
            DataPlaneConfig.NO_DISCOVERY_PORT, TargetConfig.defaults(), List.of(TcpTransportConfig.defaults()), true,
            new StatusSettings(file, isWanted, 1 << 20, "test"));
    }

    @Test
    void shouldMeasureWhatHostsDo()
    {
        try (OperationsFixture fixture = new OperationsFixture())
        {
            final TransportAddress address = fixture.serveVolume();
            fixture.memory("mem1", 16);
            fixture.namespace(NQN, 2, "mem1");
            final RemoteController controller = fixture.connect(address);
            final RemoteQueuePair queue = fixture.queue(controller);
            for (int i = 0; i < 10; i++)
            {
                assertEquals(0, fixture.write(queue, 1, i));
            }
            assertEquals(0, fixture.run(queue, (request) -> request.flush(1)));
            assertTrue(0 != fixture.write(queue, 1, 100_000), "out of range");
            // Counted when its answer has left, which the host may know first.
            OperationsFixture.until("the failed command to be counted", () ->
                fixture.dataPlane.statusSnapshot().queuePairs().stream().anyMatch((each) -> 1 == each.errors()));
            final StatusSnapshot snapshot = fixture.dataPlane.statusSnapshot();
            assertEquals(1, snapshot.namespaces().size(), "nobody used the other");
            final IoStatus namespace = snapshot.namespaces().getFirst();
            assertEquals(NQN, namespace.name());
            assertEquals(1, namespace.nsid());
            final OperationStatus writes = namespace.operation(IoOperation.WRITE);
            assertEquals(10, writes.count());
            assertEquals(10 * BLOCK, writes.bytes());
            assertEquals(0, writes.errors(), "a command out of range is no namespace's");
            assertTrue(writes.latencies().percentileNs(50) > 0);
            assertTrue(writes.latencies().longestNs() >= writes.latencies().meanNs());
            assertEquals(1, namespace.operation(IoOperation.OTHER).count());
            final IoStatus host = snapshot.hosts().getFirst();
            assertEquals(fixture.host.hostNqn(), host.name());
            assertEquals(10, host.operation(IoOperation.WRITE).count());
            assertEquals(1, host.operation(IoOperation.WRITE).errors());
            final QueuePairStatus io = snapshot.queuePairs().stream().filter((each) -> 1 == each.queueId())
                .findFirst().orElseThrow();
            assertEquals(NQN, io.nqn());
            assertEquals(fixture.host.hostNqn(), io.hostNqn());
            assertEquals(13, io.commands(), "Connect is one of them");
            assertEquals(10 * BLOCK, io.bytesWritten());
            assertEquals(1, io.errors());
            assertEquals(2, snapshot.queuePairs().size());
            assertEquals(10, fixture.dataPlane.namespaces().list(NQN).getFirst().writes());

            OperationsFixture.get(fixture.dataPlane.controllers().disconnect(NQN, 1));
            OperationsFixture.until("queue pairs are gone",
                () -> fixture.dataPlane.statusSnapshot().queuePairs().isEmpty());
            assertEquals(1, fixture.dataPlane.statusSnapshot().hosts().size(), "who went is remembered");
            OperationsFixture.get(fixture.dataPlane.namespaces().remove(NQN, 1));
            assertEquals(0, fixture.dataPlane.statusSnapshot().namespaces().size());
        }
    }

    @Test
    void shouldWriteAFileThatOutlivesIt()
    {
        final Path file = directory.resolve("plane.status");
        try (DataPlane dataPlane = DataPlane.start(config(file, true)))
        {
            assertEquals(file, dataPlane.statusFile());
            final StatusReader reader = StatusReader.open(file);
            OperationsFixture.until("the reactor writes", () ->
                reader.read().reactors().getFirst().value(ReactorCounters.Value.CYCLES) > 10);
            final StatusSnapshot snapshot = reader.read();
            assertEquals("r0", snapshot.reactors().getFirst().name());
            assertEquals(16 << 20, snapshot.dataPlane(DataPlaneCounters.Value.MEMORY_BYTES));
            assertEquals(1, snapshot.dataPlane(DataPlaneCounters.Value.STATE));
            assertTrue(snapshot.reactors().getFirst().value(ReactorCounters.Value.POOL_BYTES) > 0);
            assertTrue(snapshot.dataPlane(DataPlaneCounters.Value.DMA_BYTES) > 16 << 20, "receive buffers besides");
            assertEquals(dataPlane.snapshot().memoryNote(), snapshot.memoryNote());
            assertEquals(dataPlane.notes().contains(snapshot.memoryNote()), !snapshot.memoryNote().isEmpty());
            dataPlane.state(DataPlaneState.DRAINING);
            OperationsFixture.until("it is draining", () ->
                2 == reader.read().dataPlane(DataPlaneCounters.Value.STATE));
            dataPlane.recordError("something beside it");
            dataPlane.reactors().getFirst().execute(() ->
            {
                throw new IllegalStateException("a command that throws");
            });
            OperationsFixture.until("the error is recorded", () -> 2 == reader.read().errors().size());
        }
        final StatusSnapshot left = StatusReader.open(file).read();
        assertTrue(left.stopEpochMs() > 0);
        assertEquals("something beside it", left.errors().getFirst().text());
    }

    @Test
    void shouldServeWithoutTheFileThatNobodyAskedFor()
    {
        final Path file = directory.resolve("plane.status");
        try (DataPlane first = DataPlane.start(config(file, false));
            DataPlane second = DataPlane.start(config(file, false)))
        {
            assertEquals(file, first.statusFile());
            assertNull(second.statusFile());
            assertEquals(List.of("no status file, " + file + " is in use by another data plane: " + file +
                ".lock is locked by " + LockHolder.describe(Path.of(file + ".lock")) + ": set status.file"),
                second.notes().stream().filter((note) -> note.startsWith("no status")).toList());
            final SettingException e = assertThrows(SettingException.class, () -> DataPlane.start(config(file, true)));
            assertEquals("status.file", e.key());
            assertTrue(e.bound().startsWith("is in use by another data plane: "), e.bound());
        }
        assertTrue(Files.exists(file));
    }
}
