package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.failure;
import static io.millrace.dataplane.OperationsFixture.get;
import static io.millrace.dataplane.OperationsFixture.refused;
import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.nvmf.TransportAddress;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.status.QueuePairStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    void shouldTellWhereConnectionsAreAndMoveThem()
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
            for (int round = 1; round <= 6; round++)
            {
                final int reactor = (first.reactor() + round) % 3;
                get(connections.move(NQN, 1, 1, reactor));
                assertEquals(reactor, queue(1).reactor());
                assertEquals(0, fixture.write(queue, 1, round));
                final long commands = 2 + round;
                until("it to be counted on", () -> commands == counted(1).commands() &&
                    commands * OperationsFixture.BLOCK == counted(1).bytesWritten() + OperationsFixture.BLOCK);
                assertEquals(reactor, counted(1).reactor());
            }
            until("all writes to be counted", () -> 7 == fixture.dataPlane.namespaces().list(NQN).getFirst().writes());
            fixture.awaitEvent(ResourceKind.CONTROLLER, ResourceChange.CHANGED, NQN + "/1");
            assertEquals(2, fixture.dataPlane.reactorSnapshots().stream().mapToInt(ReactorSnapshot::connections).sum());
        }
    }

    @Test
    void shouldRefuseWhatCannotBe()
    {
        try (RemoteController controller = fixture.connect(fixture.serveVolume()))
        {
            fixture.queue(controller);
            final int there = queue(1).reactor();
            refused(Reason.NOT_FOUND, "reactor 3: does not exist; choose one from 0 to 2",
                () -> connections.move(NQN, 1, 1, 3));
            refused(Reason.NOT_FOUND, "reactor -1: does not exist; choose one from 0 to 2",
                () -> connections.move(NQN, 1, 1, -1));
            refused(Reason.NOT_FOUND, "connection " + NQN + "/1/2: does not exist; list connections to see the " +
                "existing ones",
                () -> connections.move(NQN, 1, 2, 0));
            refused(Reason.NOT_FOUND, "connection " + NQN + "/9/1: does not exist; list connections to see the " +
                "existing ones",
                () -> connections.move(NQN, 9, 1, 0));
            refused(Reason.NOT_FOUND,
                "connection " + NQN + "/1/-7: does not exist; list connections to see the existing ones",
                () -> connections.move(NQN, 1, -7, 0));
            refused(Reason.UNSUPPORTED, "connection " + NQN + "/1/0: is an admin queue, which stays where its " +
                "controller is; move the I/O queues, from 1", () -> connections.move(NQN, 1, 0, 0));
            refused(Reason.INVALID, "connection " + NQN + "/1/1: is on reactor " + there +
                " already; choose another", () -> connections.move(NQN, 1, 1, there));
            assertEquals(there, queue(1).reactor());
            get(fixture.dataPlane.state(DataPlaneState.DRAINING));
            get(connections.move(NQN, 1, 1, (there + 1) % 3));
        }
    }

    @Test
    void shouldStayWhileACommandHangs()
    {
        fixture.memory("mem0", 16);
        fixture.dataPlane.devices().create(new DeviceConfig.Fault("bad0", "mem0",
            FaultPlan.of(1, FaultRule.hang().withCount(1))));
        fixture.subsystem(NQN);
        fixture.namespace(NQN, 1, "bad0");
        final TransportAddress address = fixture.dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        try (RemoteController controller = fixture.connect(address))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            final CompletableFuture<Integer> hung = fixture.submit(queue, (r) -> r.flush(1));
            until("it to hang", () -> 1 == queue(1).openCommands());
            final int there = queue(1).reactor();
            final CompletableFuture<Void> move = connections.move(NQN, 1, 1, (there + 1) % 3);
            final CompletableFuture<Integer> later = fixture.submit(queue, (r) -> r.flush(1));
            final OperationException problem = (OperationException)failure(move);
            assertEquals(Reason.FAILED, problem.reason());
            assertTrue(problem.getMessage().contains("has commands that did not end within a second"),
                problem::getMessage);
            assertEquals(0, get(later), "what was put aside begins where it was");
            assertEquals(there, queue(1).reactor());
            get(fixture.dataPlane.devices().setFaults("bad0", FaultPlan.NONE));
            assertTrue(0 != get(hung));
            get(connections.move(NQN, 1, 1, (there + 1) % 3));
            assertEquals(0, fixture.run(queue, (r) -> r.flush(1)));
        }
    }
}
