package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Role;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that do not run for longer than Aeron bears, as with SIGSTOP or in a machine that is suspended. */
class StoppedProcessIT
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String REPORT = "control: stood still for too long, .* clients connect again";
    /** More than Aeron's 10 s between two calls of a client or driver. */
    private static final long STOP_NS = TimeUnit.SECONDS.toNanos(13);
    /** In which control answers again. */
    private static final long BACK_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long WAIT_S = 60;
    private static final int KEEP_ALIVE_MS = 2_000;

    @TempDir
    private Path directory;

    private ControlClient connect(final String to, final long timeoutNs)
    {
        return ControlClient.connect(new ControlClientContext().aeronDirectoryName(directory.resolve(to).toString())
            .role(Role.ADMIN).clientName("test").callTimeoutNs(timeoutNs).connectTimeoutNs(timeoutNs));
    }

    private MillraceProcess serve() throws IOException
    {
        return MillraceProcess.start("serve", "--config", Files.writeString(directory.resolve("plane.yaml"), """
            control: {directory: '%s'}
            status: {file: '%s', size: 1MiB}
            devices: [{name: mem0, type: memory, size: 1MiB}]
            subsystems:
              - {nqn: %s, allow-any-host: true, namespaces: [{nsid: 1, device: mem0}]}
            listeners: [{transport: tcp, address: 127.0.0.1, port: 0}]
            discovery: false
            """.formatted(directory.resolve("plane"), directory.resolve("plane.status"), NQN)).toString());
    }

    /** The time that passes is the matter: nothing else tells that Aeron has waited long enough. */
    private static void stop(final MillraceProcess process) throws IOException, InterruptedException
    {
        process.signal("STOP");
        final long endNs = System.nanoTime() + STOP_NS;
        for (long leftNs = STOP_NS; leftNs > 0; leftNs = endNs - System.nanoTime())
        {
            LockSupport.parkNanos(leftNs);
        }
        process.signal("CONT");
    }

    @Test
    void shouldServeHostsAndCommandsAfterADataPlaneWasStopped() throws Exception
    {
        try (MillraceProcess process = serve(); Reactor reactor = new Reactor(ReactorConfig.of("test-host", -1)))
        {
            final int port = process.port();
            process.await("^ready");
            reactor.start();
            try (ControlClient before = connect("plane", TimeUnit.SECONDS.toNanos(WAIT_S));
                HostPollGroup group = HostTransports.pollGroup(reactor);
                RemoteController host = RemoteController.connect(group, HostConfig.random(), ConnectionConfig.to(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), NQN)
                    .keepAliveMs(KEEP_ALIVE_MS).build(), ControllerListener.NONE).get(WAIT_S, TimeUnit.SECONDS))
            {
                assertEquals(1, before.devices("").size());
                stop(process);
                try (ControlClient after = connect("plane", BACK_NS))
                {
                    assertEquals(1, after.devices("").size());
                }
                assertEquals(1, before.devices("").size(), "a client of before");
                process.await(REPORT);
                assertEquals(1, host.namespaces().get(WAIT_S, TimeUnit.SECONDS).size());
                assertTrue(host.reconnectCount() > 0, "the host did not notice");
            }
            process.signal("TERM");
            assertEquals(ExitCode.OK, process.exitCode());
            assertFalse(process.output().contains("Exception"), process::said);
        }
    }

    @Test
    void shouldReconcileAfterAManagerWasStopped() throws Exception
    {
        final Path config = Files.writeString(directory.resolve("manager.yaml"), """
            state: {directory: '%s'}
            control: {directory: '%s'}
            data-planes: [{name: dp0, directory: '%s'}]
            """.formatted(directory.resolve("state"), directory.resolve("manager"), directory.resolve("plane")));
        try (MillraceProcess plane = serve();
            MillraceProcess manager = MillraceProcess.start("manager", "--config", config.toString()))
        {
            plane.await("^ready");
            manager.await("dp0: active with term 1");
            stop(manager);
            manager.await(REPORT);
            try (ControlClient client = connect("manager", BACK_NS))
            {
                final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_S);
                while (client.manager().managed("").stream().noneMatch((each) -> Health.IN_SYNC == each.health()))
                {
                    assertTrue(System.nanoTime() - deadlineNs < 0, () -> client.manager().managed("").toString());
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                }
                assertEquals(1, client.devices("").size());
            }
            manager.signal("TERM");
            assertEquals(ExitCode.OK, manager.exitCode());
        }
    }
}
