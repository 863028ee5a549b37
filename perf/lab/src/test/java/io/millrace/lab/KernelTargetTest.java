package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.HostTransports;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.Discovery;
import io.millrace.nvmf.initiator.DiscoveryEntry;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Our initiator against the kernel's target.
 */
@LabTest
final class KernelTargetTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:kernel-target";
    private static final int SIZE_BYTES = 8 << 20;
    private static final int LIMIT_SECONDS = 480;
    private static final long SEED = TestSeeds.seed();

    @Test
    void shouldDriveTheKernelsTarget() throws Exception
    {
        final Path share = Lab.directory("kernel-target-share");
        Files.deleteIfExists(share.resolve("cut"));
        Files.deleteIfExists(share.resolve("done"));
        final int port = Ports.free();
        try (LabMachine machine = Lab.named("kernel-target").share(share).forward(port, 4420)
            .start(LIMIT_SECONDS, "kernel-target.sh", NQN);
            Reactor reactor = new Reactor(ReactorConfig.of("kernel-target", -1));
            HostPollGroup group = HostTransports.pollGroup(reactor);
            Arena arena = Arena.ofShared())
        {
            reactor.start();
            machine.awaitLine("serving");
            final InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
            final HostConfig host = HostConfig.random();

            final List<DiscoveryEntry> found = await(Discovery.discover(group, host, address, 10_000));
            assertTrue(found.stream().anyMatch((entry) -> NQN.equals(entry.subsystemNqn())), () -> "found " + found);

            final MemorySegment image = arena.allocate(SIZE_BYTES, 4096);
            final String written = fill(image);
            final MemorySegment copy = arena.allocate(SIZE_BYTES, 4096);
            final String second = writeAndRead(machine, group, host, address, image, copy, share);

            Files.createFile(share.resolve("done"));
            final LabResult result = machine.await().assertPassed();
            assertEquals(result.lines("SHA2"), List.of(second), () -> "seed " + SEED);
            assertEquals(result.lines("SHA1"), List.of(written), () -> "seed " + SEED);
        }
    }

    /** Writes the image to namespace 1 and reads it back; answers the digest of what namespace 2 holds. */
    private static String writeAndRead(
        final LabMachine machine,
        final HostPollGroup group,
        final HostConfig host,
        final InetSocketAddress address,
        final MemorySegment image,
        final MemorySegment copy,
        final Path share) throws Exception
    {
        String second = null;
        for (final boolean digests : new boolean[]{false, true})
        {
            final RemoteController controller = await(RemoteController.connect(group, host,
                ConnectionConfig.to(address, NQN).digests(digests, digests).build(), ControllerListener.NONE));
            final List<RemoteQueuePair> queues = new ArrayList<>();
            for (int i = 0; i < Math.min(2, controller.ioQueueCount()); i++)
            {
                queues.add(await(controller.openQueuePair(group)));
            }
            final List<NamespaceInfo> namespaces = await(controller.namespaces());
            assertEquals(List.of(512, 4096), namespaces.stream().map(NamespaceInfo::blockSizeBytes).toList());

            await(HostTransfer.write(queues, namespaces.get(0), image, digests ? 4096 : 131072, 16));
            copy.fill((byte)0);
            await(HostTransfer.read(queues, namespaces.get(0), copy, digests ? 131072 : 4096, 16));
            assertEquals(-1, image.mismatch(copy), () -> "digests " + digests + ", seed " + SEED);
            await(HostTransfer.read(queues, namespaces.get(1), copy, 65536, 8));
            second = sha256(copy);

            if (digests)
            {
                Files.createFile(share.resolve("cut"));
                while (0 == controller.reconnectCount())
                {
                    await(HostTransfer.read(queues, namespaces.get(0), copy, 65536, 8));
                    assertEquals(-1, image.mismatch(copy), () -> "after the cut, seed " + SEED);
                }
                machine.awaitLine("cut and mended");
            }
            await(controller.closeAsync());
        }
        return second;
    }

    private static String fill(final MemorySegment image) throws Exception
    {
        final Random random = TestSeeds.random();
        for (long i = 0; i < image.byteSize(); i += Long.BYTES)
        {
            image.set(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
        return sha256(image);
    }

    private static String sha256(final MemorySegment image) throws Exception
    {
        final MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(image.asByteBuffer());
        return HexFormat.of().formatHex(digest.digest());
    }

    private static <T> T await(final CompletableFuture<T> future) throws Exception
    {
        return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
}
