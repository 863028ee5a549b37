package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.HostTransports;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Two hosts on our target, the kernel's initiator and our own; the kernel's loses its link under load.
 */
@LabTest
final class LinkDownTest
{
    private static final int KEEP_ALIVE_SECONDS = 2;
    /** What a busy machine may add to the timeout before the target has closed the sockets. */
    private static final int SLACK_SECONDS = 4;
    private static final int LIMIT_SECONDS = 480;
    private static final int SIZE_BYTES = 1 << 20;
    private static final int KERNEL_CONNECTIONS = 3;

    @Test
    void shouldEndOnlyTheAssociationWhoseLinkIsDown() throws Exception
    {
        final List<String> devices = List.of(
            "{name: kernels, type: memory, size: 16MiB, block-size: 4096}",
            "{name: ours, type: memory, size: 16MiB, block-size: 4096}");
        try (TargetProcess target = TargetProcess.start("link-down", devices, "kernels", "ours");
            Reactor reactor = new Reactor(ReactorConfig.of("link-down", -1));
            HostPollGroup group = HostTransports.pollGroup(reactor);
            Arena arena = Arena.ofShared())
        {
            reactor.start();
            final RemoteController controller = await(RemoteController.connect(group, HostConfig.random(),
                ConnectionConfig.to(new InetSocketAddress("127.0.0.1", target.port()), TargetProcess.NQN).build(),
                ControllerListener.NONE));
            final List<RemoteQueuePair> queues = List.of(await(controller.openQueuePair(group)));
            final NamespaceInfo namespace = await(controller.namespace(2));
            final MemorySegment image = arena.allocate(SIZE_BYTES, 4096);
            await(HostTransfer.write(queues, namespace, image, 4096, 16));
            final int others = target.connections();

            final LabResult result;
            try (LabMachine machine = Lab.named("link-down")
                .start(LIMIT_SECONDS, "link-down.sh", target.port(), TargetProcess.NQN, KEEP_ALIVE_SECONDS))
            {
                machine.awaitLine("ready for the cut");
                assertEquals(others + KERNEL_CONNECTIONS, target.connections());
                link(machine, false);
                final long cutNs = System.nanoTime();
                long openNs = 0;
                while (target.connections() > others && openNs < TimeUnit.SECONDS.toNanos(2 * SLACK_SECONDS))
                {
                    openNs = System.nanoTime() - cutNs;
                    await(HostTransfer.read(queues, namespace, image, 4096, 16));
                }
                // A host sends something at least each half of the timeout.
                final long openMs = TimeUnit.NANOSECONDS.toMillis(openNs);
                assertTrue(openMs < (KEEP_ALIVE_SECONDS + SLACK_SECONDS) * 1000, "open for " + openMs + " ms");
                assertTrue(openMs >= KEEP_ALIVE_SECONDS * 1000 / 2, "open for " + openMs + " ms only");
                machine.awaitLine("connection lost");
                link(machine, true);
                machine.awaitLine("live again");
                assertEquals(others + KERNEL_CONNECTIONS, target.connections());
                result = machine.await();
            }
            result.assertPassed();
            await(HostTransfer.read(queues, namespace, image, 4096, 16));
            assertEquals(0, controller.reconnectCount());
            await(controller.closeAsync());
        }
    }

    private static void link(final LabMachine machine, final boolean up) throws IOException
    {
        try (QemuMonitor monitor = machine.monitor())
        {
            monitor.link(up);
        }
    }

    private static <T> T await(final CompletableFuture<T> future) throws Exception
    {
        return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
}
