package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.block.DeviceHealth;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.HostTransports;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.lab.guest.AcknowledgedWriter;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * A data plane in this process that serves namespaces of another target.
 */
@LabTest
final class RemoteDeviceTest
{
    static final String OUTER = "nqn.2026-11.io.millrace:outer";
    private static final String KERNEL = "nqn.2026-11.io.millrace:kernel-target";
    private static final int KILLS = 2;
    private static final String ACKNOWLEDGED = "WRITER ack ";
    private static final int IMAGE_BYTES = 8 << 20;
    private static final long SEED = TestSeeds.seed();
    private static final long LIMIT_S = 120;

    /** Serves namespaces of a target on a port of this machine, in order. */
    static DataPlane outer(final int innerPort, final String innerNqn, final int namespaces)
    {
        final List<DeviceConfig> devices = new ArrayList<>();
        final List<SubsystemSettings.NamespaceSettings> shown = new ArrayList<>();
        for (int nsid = 1; nsid <= namespaces; nsid++)
        {
            devices.add(DeviceConfig.of("far" + nsid, "remote", Map.of(
                "addresses", List.of("tcp://127.0.0.1:" + innerPort), "subsystem", innerNqn, "nsid", nsid,
                "keep-alive-timeout", TimeUnit.SECONDS.toNanos(2),
                "reconnect-delay", TimeUnit.MILLISECONDS.toNanos(50),
                "reconnect-delay-max", TimeUnit.SECONDS.toNanos(1))));
            shown.add(new SubsystemSettings.NamespaceSettings(nsid, "far" + nsid, null));
        }
        return DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of("outer0", -1), ReactorConfig.of("outer1", -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 4,
            devices,
            List.of(new SubsystemSettings(OUTER, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(), shown)),
            List.of(new ListenerSettings(TransportAddress.tcp("127.0.0.1", 0))),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults()));
    }

    private static void awaitHealth(final DataPlane dataPlane, final String device, final DeviceHealth health)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (health != dataPlane.devices().get(device).health())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError(device + " is " + dataPlane.devices().get(device).status());
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void shouldLoseNothingAcknowledgedWhenTheTargetBelowIsKilledUnderLoad() throws Exception
    {
        final Path directory = Lab.directory("remote-target");
        final Path share = Lab.directory("remote-share");
        final List<Path> images = List.of(directory.resolve("load.img"), directory.resolve("writer.img"));
        for (final Path image : images)
        {
            Files.deleteIfExists(image);
        }
        for (int i = 1; i <= KILLS; i++)
        {
            Files.deleteIfExists(share.resolve("back" + i));
        }
        final List<String> devices = images.stream().map((image) -> "{name: " +
            image.getFileName().toString().replace(".img", "") + ", type: file, path: " + image +
            ", size: 16MiB, block-size: 4096}").toList();
        final LabResult result;
        try (TargetProcess inner = TargetProcess.start("remote", devices, "load", "writer");
            DataPlane outer = outer(inner.port(), TargetProcess.NQN, images.size());
            LabMachine machine = Lab.named("remote").share(share).start(480, "remote.sh",
                outer.addresses().getFirst().port(), OUTER,
                ProcessHandle.current().info().command().orElseThrow(), Lab.testClasses(), KILLS))
        {
            for (int i = 1; i <= KILLS; i++)
            {
                machine.awaitLine("ready for kill " + i);
                inner.kill();
                awaitHealth(outer, "far1", DeviceHealth.RECOVERING);
                awaitHealth(outer, "far2", DeviceHealth.RECOVERING);
                assertEquals(0, AcknowledgedWriter.lost(images.getLast(), acknowledged(machine)), "after kill " + i);
                inner.start();
                awaitHealth(outer, "far1", DeviceHealth.ONLINE);
                awaitHealth(outer, "far2", DeviceHealth.ONLINE);
                Files.createFile(share.resolve("back" + i));
            }
            result = machine.await();
        }
        result.assertPassed();
        assertEquals("lost 0", result.lines("WRITER").getLast(), result::description);
        assertEquals(List.of(), result.lines("WARNING"), result::description);
        for (final Path image : images)
        {
            Files.deleteIfExists(image);
        }
    }

    /** Number of the last record that the writer has seen flushed. */
    private static long acknowledged(final LabMachine machine)
    {
        final List<String> acknowledged = machine.output().lines().filter((l) -> l.startsWith(ACKNOWLEDGED)).toList();
        assertFalse(acknowledged.isEmpty(), "the writer wrote nothing before the kill");
        return Long.parseLong(acknowledged.getLast().substring(ACKNOWLEDGED.length()));
    }

    @Test
    void shouldServeNamespacesOfTheKernelsTarget() throws Exception
    {
        final Path share = Lab.directory("remote-kernel-share");
        Files.deleteIfExists(share.resolve("cut"));
        Files.deleteIfExists(share.resolve("done"));
        final int port = Ports.free();
        try (LabMachine machine = Lab.named("remote-kernel").share(share).forward(port, 4420)
            .start(480, "kernel-target.sh", KERNEL);
            Reactor reactor = new Reactor(ReactorConfig.of("remote-kernel", -1));
            HostPollGroup group = HostTransports.pollGroup(reactor);
            Arena arena = Arena.ofShared())
        {
            reactor.start();
            machine.awaitLine("serving");
            final MemorySegment image = arena.allocate(IMAGE_BYTES, 4096);
            final Random random = TestSeeds.random();
            for (long i = 0; i < IMAGE_BYTES; i += Long.BYTES)
            {
                image.set(ValueLayout.JAVA_LONG, i, random.nextLong());
            }
            final MemorySegment copy = arena.allocate(IMAGE_BYTES, 4096);
            final String second;
            try (DataPlane outer = outer(port, KERNEL, 2);
                RemoteController controller = await(RemoteController.connect(group, HostConfig.random(),
                    ConnectionConfig.to(outer.addresses().getFirst(), OUTER).build(), ControllerListener.NONE)))
            {
                second = drive(machine, share, group, controller, image, copy);
                assertEquals(DeviceHealth.ONLINE, outer.devices().get("far1").health());
            }
            Files.createFile(share.resolve("done"));
            final LabResult result = machine.await().assertPassed();
            assertEquals(result.lines("SHA2"), List.of(second), () -> "seed " + SEED);
            assertEquals(result.lines("SHA1"), List.of(sha256(image)), () -> "seed " + SEED);
        }
    }

    /** Writes the image to namespace 1 and reads it, also while the path is cut; answers the digest of namespace 2. */
    private static String drive(
        final LabMachine machine,
        final Path share,
        final HostPollGroup group,
        final RemoteController controller,
        final MemorySegment image,
        final MemorySegment copy) throws Exception
    {
        final List<RemoteQueuePair> queues =
            List.of(await(controller.openQueuePair(group)), await(controller.openQueuePair(group)));
        final List<NamespaceInfo> namespaces = await(controller.namespaces());
        assertEquals(List.of(512, 4096), namespaces.stream().map(NamespaceInfo::blockSizeBytes).toList());
        await(HostTransfer.write(queues, namespaces.get(0), image, 131072, 16));
        await(HostTransfer.read(queues, namespaces.get(0), copy, 4096, 16));
        assertEquals(-1, image.mismatch(copy), () -> "seed " + SEED);
        Files.createFile(share.resolve("cut"));
        while (!machine.output().contains("cut and mended"))
        {
            await(HostTransfer.write(queues, namespaces.get(0), image, 65536, 8));
        }
        await(HostTransfer.write(queues, namespaces.get(0), image, 65536, 8));
        await(HostTransfer.read(queues, namespaces.get(0), copy, 65536, 8));
        assertEquals(-1, image.mismatch(copy), () -> "after the cut, seed " + SEED);
        await(HostTransfer.read(queues, namespaces.get(1), copy, 65536, 8));
        return sha256(copy);
    }

    private static String sha256(final MemorySegment image) throws Exception
    {
        final MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(image.asByteBuffer());
        return HexFormat.of().formatHex(digest.digest());
    }

    private static <T> T await(final CompletableFuture<T> future) throws Exception
    {
        return future.get(LIMIT_S, TimeUnit.SECONDS);
    }
}
