package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.ConnectionSnapshot;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.OperationException;
import io.millrace.dataplane.ReactorSnapshot;
import io.millrace.serve.config.ConfigReader;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * The kernel's initiator with two queues that move between three reactors of a running target in this JVM, under a load
 * that verifies itself.
 */
@LabTest
final class MoveTest
{
    private static final String CONFIG = """
        reactors: [{name: r0}, {name: r1}, {name: r2}]
        devices:
          - {name: first, type: memory, size: 32MiB, block-size: 4096}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:lab
            allow-any-host: true
            namespaces: [{nsid: 1, device: first}]
        listeners:
          - {transport: tcp, address: 127.0.0.1, port: 0}
        discovery: false
        """;
    private static final int MOVES_MIN = 100;
    private static final long PAUSE_NS = 20_000_000L;

    private int moved;
    private int stayed;

    @Test
    void shouldMoveQueuesOfTheKernelUnderVerifiedIo() throws Exception
    {
        try (DataPlane dataPlane = DataPlane.start(ConfigReader.read("lab.yaml", CONFIG).config()))
        {
            final LabResult result;
            try (LabMachine machine = Lab.named("move")
                .start(200, "move.sh", dataPlane.addresses().getFirst().port(), TargetProcess.NQN))
            {
                machine.awaitLine("connected");
                final SplittableRandom random = new SplittableRandom(1);
                while (!machine.output().contains("verified\n") && !machine.hasEnded())
                {
                    move(dataPlane, random);
                    LockSupport.parkNanos(PAUSE_NS);
                }
                result = machine.await();
            }
            result.assertPassed();
            assertTrue(result.output().contains("verified\n"), result::description);
            assertEquals(List.of(), result.lines("WARNING"), result::description);
            assertTrue(moved >= MOVES_MIN, moved + " moves, " + stayed + " that were not possible");
            assertEquals(0, dataPlane.reactorSnapshots().stream().mapToLong(ReactorSnapshot::poolUsedBytes).sum());
        }
    }

    private void move(final DataPlane dataPlane, final SplittableRandom random)
    {
        for (final ConnectionSnapshot each : dataPlane.connections().list(TargetProcess.NQN))
        {
            if (0 != each.queueId())
            {
                final int to = (each.reactor() + 1 + random.nextInt(2)) % 3;
                try
                {
                    dataPlane.connections().move(each.nqn(), each.controllerId(), each.queueId(), to).join();
                    moved++;
                }
                catch (final CompletionException | OperationException _)
                {
                    // Commands did not end in a second, as emulation is slow; or the host has just gone.
                    stayed++;
                }
            }
        }
    }
}
