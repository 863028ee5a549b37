package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.get;
import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.jfr.FlightEvents;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.status.ReactorCounters;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the flight recorder gets of a data plane with real connections.
 */
class FlightEventsTest
{
    private static final String NQN = OperationsFixture.NQN;
    private static final int BLOCK = OperationsFixture.BLOCK;
    private static final String SLOW_REQUEST = "io.millrace.SlowRequest";
    private static final long DELAY_NS = 100_000_000L;

    @TempDir
    private Path directory;

    private List<RecordedEvent> events(final Recording recording, final String name) throws IOException
    {
        recording.stop();
        final Path file = directory.resolve("events.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream().filter((event) -> name.equals(event.getEventType().getName()))
            .toList();
    }

    @Test
    void shouldTellOfSlowRequestsAlone() throws IOException
    {
        try (OperationsFixture fixture = new OperationsFixture())
        {
            final TransportAddress address = serveSlowReads(fixture);
            final RemoteController controller = fixture.connect(address);
            final RemoteQueuePair queue = fixture.queue(controller);
            assertEquals(Long.MAX_VALUE, FlightEvents.slowRequestNs(), "nobody records");
            try (Recording recording = new Recording())
            {
                recording.enable(SLOW_REQUEST).with("longerThan", DELAY_NS / 2 + " ns");
                recording.start();
                assertEquals(DELAY_NS / 2, FlightEvents.slowRequestNs());
                assertEquals(0, fixture.write(queue, 1, 7));
                assertEquals(0, read(fixture, queue));
                until("the answer to have left", () -> 1 == reads(fixture));
                final List<RecordedEvent> events = events(recording, SLOW_REQUEST);
                assertEquals(Long.MAX_VALUE, FlightEvents.slowRequestNs(), "nobody records any more");
                final List<RecordedEvent> reads =
                    events.stream().filter((event) -> "READ".equals(event.getString("opcode"))).toList();
                assertEquals(1, reads.size(), events::toString);
                final RecordedEvent event = reads.getFirst();
                assertEquals(NQN, event.getString("subsystem"));
                assertEquals(1, event.getInt("namespaceId"));
                assertEquals(fixture.host.hostNqn(), event.getString("host"));
                assertEquals(1, event.getInt("controllerId"));
                assertEquals(1, event.getInt("queueId"));
                assertEquals(0, event.getInt("status"));
                assertEquals(2 * BLOCK, event.getInt("bytes"));
                assertTrue(event.getDuration("latency").compareTo(Duration.ofNanos(DELAY_NS)) >= 0, event::toString);
                assertTrue(event.getThread().getJavaName().contains("ops"), event::toString);
            }
            try (Recording recording = new Recording())
            {
                recording.enable(SLOW_REQUEST).with("longerThan", "1000 s");
                recording.start();
                assertEquals(0, read(fixture, queue));
                until("the answer to have left", () -> 2 == reads(fixture));
                assertEquals(List.of(), events(recording, SLOW_REQUEST));
            }
            controller.close();
        }
    }

    private static TransportAddress serveSlowReads(final OperationsFixture fixture)
    {
        fixture.memory("mem0", 256);
        fixture.dataPlane.devices().create(DeviceConfig.fault("slow0", "mem0", FaultPlan.of(1,
            FaultRule.delay(DELAY_NS).withOperations(Set.of(BlockOperation.READ)))));
        fixture.subsystem(NQN);
        fixture.namespace(NQN, 1, "slow0");
        return fixture.dataPlane.listeners().add(OperationsFixture.anyPort(), false);
    }

    private static int read(final OperationsFixture fixture, final RemoteQueuePair queue)
    {
        final MemorySegment blocks = fixture.arena.allocate(2 * BLOCK, BLOCK);
        return fixture.run(queue, (r) -> r.read(1, 7, 2, blocks.address(), 2 * BLOCK));
    }

    /** Reads whose answers have left, which the host may know first. */
    private static long reads(final OperationsFixture fixture)
    {
        return fixture.dataPlane.namespaces().list(NQN).getFirst().reads();
    }

    @Test
    void shouldTellOfEachChangeWhatItsOwnListenerHears() throws IOException
    {
        try (Recording recording = new Recording())
        {
            recording.enable("io.millrace.StateChange");
            recording.start();
            final List<String> heard;
            try (OperationsFixture fixture = new OperationsFixture())
            {
                final TransportAddress address = fixture.serveVolume();
                fixture.connect(address);
                get(fixture.dataPlane.controllers().disconnect(NQN, 1));
                fixture.awaitEvent(ResourceKind.CONTROLLER, ResourceChange.DISCONNECTED, NQN + "/1");
                get(fixture.dataPlane.namespaces().remove(NQN, 1));
                fixture.dataPlane.close();
                heard = fixture.events.stream().map((event) -> String.join("|", event.kind().name(),
                    event.change().name(), event.name(), event.text())).sorted().toList();
            }
            final List<String> recorded = events(recording, "io.millrace.StateChange").stream().map((event) ->
                String.join("|", event.getString("kind"), event.getString("change"), event.getString("name"),
                    event.getString("text"))).sorted().toList();
            assertEquals(heard, recorded);
            for (final String part : List.of("CONTROLLER|CONNECTED", "CONTROLLER|DISCONNECTED", "DEVICE|CREATED",
                "NAMESPACE|DELETED", "LISTENER|CREATED", "DATA_PLANE|CHANGED"))
            {
                assertTrue(recorded.stream().anyMatch((each) -> each.startsWith(part)), () -> part + " " + recorded);
            }
        }
    }

    @Test
    void shouldTellOfConnectionsThatTookTooLong() throws IOException
    {
        final TcpTransportConfig tcp = new TcpTransportConfig(8192, 128 << 10, 512 << 10, true, 5_000_000L, 16, 0, 0);
        try (Recording recording = new Recording();
            DataPlane dataPlane = DataPlane.start(new DataPlaneConfig(List.of(ReactorConfig.of("r0", -1)), 8 << 20,
                List.of(), List.of(), List.of(), DataPlaneConfig.NO_DISCOVERY_PORT, TargetConfig.defaults(), tcp,
                true)))
        {
            recording.enable("io.millrace.ConnectionFailed");
            recording.start();
            final TransportAddress address = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
            final int port;
            try (Socket silent = new Socket(address.address(), address.port()))
            {
                port = silent.getLocalPort();
                assertEquals(-1, silent.getInputStream().read());
            }
            final List<RecordedEvent> events = events(recording, "io.millrace.ConnectionFailed");
            assertEquals(1, events.size());
            assertEquals("tcp://127.0.0.1:" + port, events.getFirst().getString("remote"));
            assertEquals("no Connect command within 5 ms", events.getFirst().getString("reason"));
        }
    }

    @Test
    void shouldTellOfACycleThatHeldOthersUp() throws IOException
    {
        try (Recording recording = new Recording(); OperationsFixture fixture = new OperationsFixture())
        {
            recording.enable("io.millrace.LongCycle").with("longerThan", "50 ms");
            recording.start();
            final DataPlane dataPlane = fixture.dataPlane;
            get(dataPlane.reactors().get(1).call(() ->
            {
                final long beganNs = System.nanoTime();
                while (System.nanoTime() - beganNs < DELAY_NS)
                {
                    Thread.onSpinWait();
                }
                return null;
            }));
            // Told with the next copy of the reactor's numbers to the status file.
            until("the cycle to be copied", () -> dataPlane.statusSnapshot().reactors().get(1)
                .value(ReactorCounters.Value.LONGEST_CYCLE_NS) >= DELAY_NS);
            get(dataPlane.reactors().get(1).call(() -> null));
            final List<RecordedEvent> events = events(recording, "io.millrace.LongCycle");
            assertTrue(events.stream().anyMatch((event) -> "ops1".equals(event.getString("reactor")) &&
                event.getDuration("elapsed").toNanos() >= DELAY_NS), events::toString);
        }
    }
}
