package io.millrace.lab.guest;

import io.millrace.dataplane.HostTransports;
import io.millrace.lab.HostTransfer;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.memory.Segments;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.ControllerState;
import io.millrace.nvmf.initiator.Discovery;
import io.millrace.nvmf.initiator.DiscoveryEntry;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.rdma.HostBuffers;
import io.millrace.nvmf.transport.TransportAddress;
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
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Our host on a target over RDMA. Arguments: address, port, NQN of a subsystem with a RAM disk as namespaces 1 and 2.
 * Prints a line {@code DONE name} for each part, and the digests of what it wrote and read; asks the script for changes
 * of the target by files {@code /tmp/want-NAME}, which the script removes.
 */
public final class RdmaHostRun
{
    private static final int IMAGE_BYTES = 4 << 20;
    private static final int LARGE_BYTES = 1 << 20;
    private static final long LIMIT_S = 120;

    private final Arena arena = Arena.ofShared();
    private final Reactor reactor = new Reactor(ReactorConfig.of("host", -1));
    private final HostPollGroup group;
    private final HostConfig host = HostConfig.random();
    private final TransportAddress address;
    private final String nqn;
    /** One half is written, the other read. */
    private final MemorySegment registered;
    private final MemorySegment unregistered = arena.allocate(2L * IMAGE_BYTES, 4096);

    private RdmaHostRun(final String host, final int port, final String nqn)
    {
        address = TransportAddress.of(TransportAddress.Type.RDMA, new InetSocketAddress(host, port));
        this.nqn = nqn;
        final DmaMemory memory = DmaMemory.map(2L * IMAGE_BYTES);
        final MemoryRegistry registry = new MemoryRegistry();
        registry.add(memory, MemoryRole.BUFFERS);
        registered = segment(memory.allocate(2L * IMAGE_BYTES, 4096), 2L * IMAGE_BYTES);
        reactor.start();
        group = HostTransports.pollGroup(reactor, new HostBuffers(registry));
    }

    /** Runs all of it. */
    public static void main(final String[] args) throws Exception
    {
        System.out.println("SEED " + TestSeeds.seed());
        try
        {
            new RdmaHostRun(args[0], Integer.parseInt(args[1]), args[2]).run();
            System.exit(0);
        }
        catch (final AssertionError | ExecutionException e)
        {
            // The reactor's thread would go on.
            e.printStackTrace();
            System.exit(1);
        }
    }

    private void run() throws Exception
    {
        nobodyListens();
        discovers();
        final RemoteController controller = connect(UnaryOperator.identity());
        final List<RemoteQueuePair> queues = List.of(open(controller), open(controller));
        final List<NamespaceInfo> namespaces = await(controller.namespaces());
        moves(queues, namespaces.get(0), registered, "registered");
        moves(queues, namespaces.get(0), unregistered, "unregistered");
        pieces(queues.getFirst(), namespaces.get(0));
        readsWhatTheKernelWrote(queues, namespaces.get(1));
        survivesACut(controller, queues, namespaces.get(0));
        await(controller.closeAsync());
        endsWithTheTarget();
        group.close();
        reactor.close();
        done("closed");
    }

    private void nobodyListens() throws Exception
    {
        try
        {
            await(RemoteController.connect(group, host, ConnectionConfig.to(address.withPort(4421), nqn)
                .connectTimeoutMs(30_000)
                .controllerLossTimeoutMs(0).build(), ControllerListener.NONE));
            throw new AssertionError("connected to a port where nobody listens");
        }
        catch (final ExecutionException e)
        {
            System.out.println("REFUSED " + e.getCause().getMessage());
            done("nobody-listens");
        }
    }

    private void discovers() throws Exception
    {
        final List<DiscoveryEntry> entries = await(Discovery.discover(
            group, host, TransportAddress.Type.RDMA, address.socketAddress(), 20_000));
        check(entries.stream().anyMatch((entry) -> nqn.equals(entry.subsystemNqn()) &&
            "rdma".equals(entry.transportName()) && address.address().equals(entry.address())), entries.toString());
        done("discover");
    }

    private RemoteController connect(final UnaryOperator<ConnectionConfig.Builder> settings) throws Exception
    {
        return await(RemoteController.connect(group, host, settings.apply(ConnectionConfig.to(address, nqn)
            .connectTimeoutMs(20_000).keepAliveMs(30_000)).build(), ControllerListener.NONE));
    }

    private RemoteQueuePair open(final RemoteController controller) throws Exception
    {
        return await(controller.openQueuePair(group));
    }

    /** In capsules, with one descriptor, large; or all of it through the bounce buffers. */
    private void moves(
        final List<RemoteQueuePair> queues,
        final NamespaceInfo namespace,
        final MemorySegment memory,
        final String name) throws Exception
    {
        final MemorySegment image = memory.asSlice(0, IMAGE_BYTES);
        final MemorySegment copy = memory.asSlice(IMAGE_BYTES, IMAGE_BYTES);
        int round = 0;
        for (final int bytes : new int[]{4096, 65536, LARGE_BYTES})
        {
            fill(image, ++round);
            await(HostTransfer.write(queues, namespace, image, bytes, 16));
            for (final int readBytes : new int[]{LARGE_BYTES, 8192})
            {
                copy.fill((byte)0);
                await(HostTransfer.read(queues, namespace, copy, readBytes, 16));
                check(-1 == image.mismatch(copy), name + ": written by " + bytes + ", read by " + readBytes);
            }
        }
        System.out.println("SHA-" + name + " " + sha256(image));
        done(name);
    }

    private void pieces(final RemoteQueuePair queue, final NamespaceInfo namespace) throws Exception
    {
        final Segments from = new Segments();
        final Segments into = new Segments();
        fill(registered, 7);
        int left = 65536;
        for (int i = 0; i < 5; i++)
        {
            final int bytes = 4 == i ? left : 13_001;
            from.add(registered.address() + i * 100_003L, bytes);
            into.add(unregistered.address() + i * 77_777L, bytes);
            left -= bytes;
        }
        final int blocks = 65536 / namespace.blockSizeBytes();
        check(0 == run(queue, (request) -> request.write(namespace.nsid(), 0, blocks, from)), "write of pieces");
        check(0 == run(queue, (request) -> request.read(namespace.nsid(), 0, blocks, into)), "read of pieces");
        for (int i = 0; i < 5; i++)
        {
            check(-1 == segment(from.address(i), from.lengthBytes(i)).mismatch(
                segment(into.address(i), into.lengthBytes(i))), "piece " + i);
        }
        done("pieces");
    }

    private int run(final RemoteQueuePair queue, final UnaryOperator<HostRequest> fill) throws Exception
    {
        final CompletableFuture<Integer> status = new CompletableFuture<>();
        final HostRequest request = fill.apply(new HostRequest(null, (each) -> status.complete(each.status())));
        check(await(reactor.call(() -> queue.submit(request))), "room for " + request);
        return await(status);
    }

    private void readsWhatTheKernelWrote(final List<RemoteQueuePair> queues, final NamespaceInfo namespace)
        throws Exception
    {
        final MemorySegment copy = registered.asSlice(0, IMAGE_BYTES);
        await(HostTransfer.read(queues, namespace, copy, 131_072, 8));
        System.out.println("SHA-kernel " + sha256(copy));
        done("kernel-data");
    }

    private void survivesACut(
        final RemoteController controller, final List<RemoteQueuePair> queues, final NamespaceInfo namespace)
        throws Exception
    {
        final MemorySegment image = registered.asSlice(0, IMAGE_BYTES);
        final MemorySegment copy = registered.asSlice(IMAGE_BYTES, IMAGE_BYTES);
        fill(image, 9);
        ask("cut");
        while (0 == controller.reconnectCount())
        {
            await(HostTransfer.write(queues, namespace, image, 65536, 8));
            await(HostTransfer.read(queues, namespace, copy, 65536, 8));
            check(-1 == image.mismatch(copy), "blocks after the cut");
        }
        check(ControllerState.LIVE == controller.state(), "state " + controller.state());
        done("reconnect");
    }

    /** A target that goes for good ends the commands that it has, with an error, and nothing hangs. */
    private void endsWithTheTarget() throws Exception
    {
        final RemoteController controller = connect((settings) -> settings.controllerLossTimeoutMs(0));
        final RemoteQueuePair queue = open(controller);
        ask("removal");
        while (0 == run(queue, (request) -> request.read(1, 0, 8, registered.address(), 4096)))
        {
            Thread.onSpinWait();
        }
        await(controller.closeAsync());
        done("removal");
    }

    /** Memory of this test. */
    @SuppressWarnings("restricted")
    private static MemorySegment segment(final long address, final long lengthBytes)
    {
        return MemorySegment.ofAddress(address).reinterpret(lengthBytes);
    }

    private static void ask(final String name) throws Exception
    {
        Files.createFile(Path.of("/tmp/want-" + name));
    }

    private static void fill(final MemorySegment image, final int salt)
    {
        final Random random = TestSeeds.random(salt);
        for (long i = 0; i < image.byteSize(); i += Long.BYTES)
        {
            image.set(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
    }

    private static String sha256(final MemorySegment image) throws Exception
    {
        final MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(image.asByteBuffer());
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void check(final boolean holds, final String what)
    {
        if (!holds)
        {
            throw new AssertionError(what);
        }
    }

    private static void done(final String name)
    {
        System.out.println("DONE " + name);
    }

    private static <T> T await(final CompletableFuture<T> future) throws Exception
    {
        return future.get(LIMIT_S, TimeUnit.SECONDS);
    }
}
