package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.DeviceHealth;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.nvmf.initiator.TcpProxy;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.seed.TestSeeds;
import io.millrace.serve.config.ConfigReader;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * A RAID 6 of namespaces of other targets: one target is killed, another is cut off by the network. Then both are back,
 * the data plane of the array is started again and rebuilds them, the array is renamed, and the other two fail.
 */
@LabTest
final class ArrayRemoteTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:remote-array";
    private static final String ARRAY = "vol";
    /** One after the other, while the host writes. */
    private static final List<String> NEW_NAMES = List.of("vol1", "vol2", "vol", "vol3");
    private static final int RENAME_PAUSE_MS = 300;
    private static final int LIMIT_S = 400;
    private static final long HEALTH_LIMIT_S = 90;
    private static final int KEEP_ALIVE_MS = 5000;
    private static final List<String> EVENTS = List.of("kill", "cut", "restart", "rename", "kill-others");

    private final Path share;
    private final Path images;
    private String array = ARRAY;

    ArrayRemoteTest() throws Exception
    {
        share = Lab.directory("array-remote-share");
        images = Lab.directory("array-remote-images");
        for (final String event : EVENTS)
        {
            Files.deleteIfExists(share.resolve(event));
        }
    }

    /** Namespaces of one NQN have numbers of their own, also at other targets: those below the first are unused. */
    private TargetProcess inner(final String name, final int firstNsid, final String... devices) throws Exception
    {
        final List<String> lines = new ArrayList<>();
        final List<String> shown = new ArrayList<>();
        for (int nsid = 1; nsid < firstNsid; nsid++)
        {
            shown.add("unused" + nsid);
            lines.add("{name: " + shown.getLast() + ", type: memory, size: 64KiB}");
        }
        for (final String device : devices)
        {
            final Path image = images.resolve(device + ".img");
            Files.deleteIfExists(image);
            shown.add(device);
            lines.add("{name: " + device + ", type: file, path: " + image + ", size: 8MiB}");
        }
        return TargetProcess.start(
            "array-remote-" + name, "status: {file: none}\n", lines, shown.toArray(String[]::new));
    }

    private static String remote(final String name, final int port, final int nsid)
    {
        return "  - {name: " + name + ", type: remote, addresses: ['tcp://127.0.0.1:" + port + "'], subsystem: " +
            TargetProcess.NQN + ", nsid: " + nsid + ", keep-alive-timeout: " + KEEP_ALIVE_MS +
            "ms, connect-timeout: 20s, controller-loss-timeout: 2s, reconnect-delay: 50ms, reconnect-delay-max: 1s}\n";
    }

    private static DataPlane outer(final int port, final List<String> remotes)
    {
        return DataPlane.start(ConfigReader.read("outer.yaml",
            "reactors: [{name: outer0}, {name: outer1}]\ndevices:\n" + String.join("", remotes) +
            "  - {name: " + ARRAY + ", type: raid, level: 6, members: [killed, cut, other1, other2]}\n" +
            "subsystems: [{nqn: '" + NQN + "', allow-any-host: true, namespaces: [{nsid: 1, device: " + ARRAY +
            "}]}]\nlisteners: [{transport: tcp, address: 127.0.0.1, port: " + port + "}]\ndiscovery: false\n")
            .config());
    }

    private void await(final DataPlane dataPlane, final String what, final BooleanSupplier condition)
    {
        try
        {
            Waits.until(what, HEALTH_LIMIT_S, condition);
        }
        catch (final AssertionError e)
        {
            final DeviceSnapshot snapshot = dataPlane.devices().get(array);
            throw new AssertionError("the array is " + snapshot.health() + ": " + snapshot.status().reason(), e);
        }
    }

    private void awaitOnline(final DataPlane dataPlane)
    {
        await(dataPlane, "a complete array", () ->
        {
            final DeviceSnapshot snapshot = dataPlane.devices().get(array);
            return DeviceHealth.ONLINE == snapshot.health() && null == snapshot.progress();
        });
    }

    private void awaitFailed(final DataPlane dataPlane, final String... members)
    {
        await(dataPlane, "members that failed", () ->
        {
            final DeviceSnapshot snapshot = dataPlane.devices().get(array);
            boolean isFailed = DeviceHealth.DEGRADED == snapshot.health();
            for (final String member : members)
            {
                isFailed &= snapshot.status().reason().contains('(' + member + ") is FAILED");
            }
            return isFailed;
        });
    }

    private void rename(final DataPlane dataPlane) throws Exception
    {
        for (final String name : NEW_NAMES)
        {
            final long beganNs = System.nanoTime();
            dataPlane.arrays().rename(array, name);
            array = name;
            say("renamed to " + name, beganNs);
            Thread.sleep(RENAME_PAUSE_MS);
        }
        assertEquals(DeviceHealth.ONLINE, dataPlane.devices().get(array).health());
    }

    private void goOn(final LabMachine machine, final String event) throws Exception
    {
        Files.createFile(share.resolve(event));
        machine.awaitLine("goes on after " + event);
    }

    private static void say(final String event, final long sinceNs)
    {
        System.out.println("ARRAY " + event + ": " + (System.nanoTime() - sinceNs) / 1_000_000 + " ms");
    }

    @Test
    void shouldLoseNothingAcknowledgedWhenTargetsBelowAreKilledAndCutOff() throws Exception
    {
        final int port = Ports.free();
        DataPlane outer = null;
        final LabResult result;
        try (TargetProcess killed = inner("killed", 1, "killed"); TargetProcess cut = inner("cut", 2, "cut");
            TargetProcess others = inner("others", 3, "other1", "other2");
            TcpProxy network = new TcpProxy(new InetSocketAddress("127.0.0.1", cut.port()), 1 << 16, TestSeeds.seed()))
        {
            final List<String> remotes = List.of(remote("killed", killed.port(), 1),
                remote("cut", network.address().getPort(), 2), remote("other1", others.port(), 3),
                remote("other2", others.port(), 4));
            outer = outer(port, remotes);
            awaitOnline(outer);
            final List<Object> arguments = new ArrayList<>(List.of(port, NQN,
                ProcessHandle.current().info().command().orElseThrow(), Lab.testClasses()));
            arguments.addAll(EVENTS);
            try (LabMachine machine = Lab.named("array-remote").share(share)
                .start(LIMIT_S, "array-remote.sh", arguments.toArray()))
            {
                machine.awaitLine("ready for kill");
                long beganNs = System.nanoTime();
                killed.kill();
                awaitFailed(outer, "killed");
                say("killed member failed", beganNs);
                goOn(machine, "kill");

                machine.awaitLine("ready for cut");
                beganNs = System.nanoTime();
                network.stall(true);
                awaitFailed(outer, "killed", "cut");
                say("member that was cut off failed", beganNs);
                goOn(machine, "cut");

                machine.awaitLine("ready for restart");
                network.stall(false);
                killed.start();
                outer.close();
                outer = outer(port, remotes);
                awaitOnline(outer);
                goOn(machine, "restart");

                machine.awaitLine("ready for rename");
                rename(outer);
                goOn(machine, "rename");

                machine.awaitLine("ready for kill-others");
                beganNs = System.nanoTime();
                others.kill();
                awaitFailed(outer, "other1", "other2");
                say("two members failed", beganNs);
                goOn(machine, "kill-others");
                result = machine.await();
            }
        }
        finally
        {
            if (null != outer)
            {
                outer.close();
            }
        }
        result.assertPassed();
        assertTrue(result.lines("IDENTITY").stream().anyMatch((line) -> line.startsWith("uuid")), result::description);
        assertEquals("lost 0", result.lines("WRITER").getLast(), result::description);
    }
}
