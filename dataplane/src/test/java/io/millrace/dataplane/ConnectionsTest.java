package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.snapshot.ConnectionSnapshot;
import io.millrace.dataplane.snapshot.ReactorSnapshot;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.status.QueuePairStatus;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionsTest
{
    private final OperationsFixture fixture = new OperationsFixture(3);
    private final Connections connections = fixture.dataPlane.connections();

    @AfterEach
    void close()
    {
        fixture.close();
    }

    private ConnectionSnapshot queue(final int queueId)
    {
        return connections.list(NQN).stream().filter((each) -> queueId == each.queueId()).findFirst().orElseThrow();
    }

    private QueuePairStatus counted(final int queueId)
    {
        return fixture.dataPlane.statusSnapshot().queuePairs().stream()
            .filter((each) -> queueId == each.queueId()).findFirst().orElseThrow();
    }

    @Test
    void shouldListConnectionsWithTheirReactors()
    {
        try (RemoteController controller = fixture.connect(fixture.serveVolume()))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            assertEquals(List.of(0, 1), connections.list(null).stream().map(ConnectionSnapshot::queueId).toList());
            final ConnectionSnapshot first = queue(1);
            assertEquals(fixture.host.hostNqn(), first.hostNqn());
            assertEquals(1, first.controllerId());
            assertTrue(first.remote().startsWith("tcp://127.0.0.1:"), first::toString);
            assertEquals(0, fixture.write(queue, 1, 0));
            assertEquals(first.reactor(), counted(1).reactor());
            assertEquals(2, fixture.dataPlane.reactorSnapshots().stream().mapToInt(ReactorSnapshot::connections).sum());
            refused(Reason.NOT_FOUND, "subsystem " + NQN + ".none: does not exist; existing subsystems: " + NQN,
                () -> connections.list(NQN + ".none"));
        }
    }

    /** Five queues and the admin queue of one host: two on each of three reactors. */
    @Test
    void shouldSpreadTheQueuesOfAHostOverReactors()
    {
        try (RemoteController controller = fixture.connect(fixture.serveVolume()))
        {
            for (int i = 0; i < 5; i++)
            {
                fixture.queue(controller);
            }
            final Map<Integer, Long> byReactor = connections.list(NQN).stream()
                .collect(Collectors.groupingBy(ConnectionSnapshot::reactor, Collectors.counting()));
            assertEquals(Map.of(0, 2L, 1, 2L, 2, 2L), byReactor);
        }
    }
}
