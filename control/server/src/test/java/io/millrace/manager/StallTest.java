package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.dataplane.HostTransports;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reactor that does not move any more while its control lives. */
class StallTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";

    @TempDir
    private Path directory;

    private static int serve(final ControlClient client) throws IOException
    {
        final int port = FreePorts.tcp();
        client.createDevice(DeviceSpec.memory("mem0", 1 << 20, 4096));
        client.createSubsystem(new SubsystemSpec(NQN, true));
        client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
        return client.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", port, false));
    }

    private static void block(final Reactor reactor, final CountDownLatch latch)
    {
        reactor.execute(() ->
        {
            try
            {
                latch.await();
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void shouldTellThatAReactorDoesNotMoveAndThatItMovesAgain() throws Exception
    {
        final CountDownLatch latch = new CountDownLatch(1);
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0"));
            Reactor hostReactor = new Reactor(ReactorConfig.of("test-host", -1)))
        {
            final List<ControlEvent> events = new ArrayList<>();
            final ControlClient client = fixture.connect(fixture.context().listener((ControlListener)events::add));
            ManagerFixture.untilWell(client);
            final int port = serve(client);
            hostReactor.start();
            try (HostPollGroup group = HostTransports.pollGroup(hostReactor);
                // It has an Asynchronous Event Request at the target as long as it lives.
                RemoteController host = RemoteController.connect(group, HostConfig.random(), ConnectionConfig.to(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), NQN).build(),
                    ControllerListener.NONE).get(20, TimeUnit.SECONDS))
            {
                assertEquals(1, host.namespaces().get(20, TimeUnit.SECONDS).size());
                ManagerFixture.untilWell(client);
                plane.dataPlane().reactors().forEach((each) -> block(each, latch));
                final ManagedInfo stalled =
                    ManagerFixture.until(client, (info) -> Health.STALLED == info.health());
                assertTrue(stalled.isConnected());
                assertTrue(stalled.text().contains("commands of hosts and no poll cycle for "),
                    stalled.text());
                // Control lives: it tells, and is commanded.
                assertEquals(1, client.devices("").size());
                client.createDevice(DeviceSpec.memory("mem1", 1 << 20, 4096));
                latch.countDown();
                ManagerFixture.untilWell(client);
                assertEquals(2, client.devices("").size());
                final List<String> told = events.stream().filter((each) -> Kind.MANAGED == each.kind())
                    .map(ControlEvent::text).toList();
                assertTrue(told.stream().anyMatch((each) -> each.contains("no poll cycle for ")),
                    told::toString);
                assertEquals("all reactors make progress again", told.getLast());
            }
            finally
            {
                latch.countDown();
            }
        }
    }
}
