package io.millrace.lab.guest;

import io.millrace.dataplane.HostTransports;
import io.millrace.lab.HostTransfer;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Our host on our target over RDMA, through a network that the script spoils: data on two queue pairs while packets are
 * lost, the same data after the link was down, and 64 queue pairs that do nothing. Arguments: address, port, NQN of a
 * subsystem with namespace 2. Prints {@code DONE name} for each part; asks the script for changes by files
 * {@code /tmp/want-NAME}, which the script removes.
 */
public final class RdmaNetworkRun
{
    private static final int IMAGE_BYTES = 1 << 20;
    private static final int QUEUE_PAIRS = 64;
    private static final int QUEUE_DEPTH = 16;
    private static final int KEEP_ALIVE_MS = 10_000;
    private static final long LIMIT_S = 300;
    private static final long LOOK_MS = 20;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment image = arena.allocate(IMAGE_BYTES, 4096);
    private final MemorySegment copy = arena.allocate(IMAGE_BYTES, 4096);
    private final Reactor reactor = new Reactor(ReactorConfig.of("host", -1));
    private final HostPollGroup group;
    private final RemoteController controller;
    private final List<RemoteQueuePair> queues = new ArrayList<>();

    private RdmaNetworkRun(final String host, final int port, final String nqn) throws Exception
    {
        reactor.start();
        group = HostTransports.pollGroup(reactor);
        controller = await(RemoteController.connect(group, HostConfig.random(), ConnectionConfig.to(
            TransportAddress.of(TransportAddress.Type.RDMA, new InetSocketAddress(host, port)), nqn)
            .queueDepth(QUEUE_DEPTH).connectTimeoutMs(20_000).keepAliveMs(KEEP_ALIVE_MS).build(),
            ControllerListener.NONE));
        queues.add(await(controller.openQueuePair(group)));
    }

    /** Runs all of it. */
    public static void main(final String[] args) throws Exception
    {
        System.out.println("SEED " + TestSeeds.seed());
        try
        {
            new RdmaNetworkRun(args[0], Integer.parseInt(args[1]), args[2]).run();
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
        final NamespaceInfo namespace = await(controller.namespace(2));
        final Random random = TestSeeds.random();
        for (long i = 0; i < image.byteSize(); i += Long.BYTES)
        {
            image.set(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
        ask("loss");
        await(HostTransfer.write(queues, namespace, image, 4096, QUEUE_DEPTH));
        verify(namespace, 65_536);
        await(HostTransfer.write(queues, namespace, image, 65_536, QUEUE_DEPTH));
        verify(namespace, 4096);
        System.out.println("DONE loss");

        awaitFile("/tmp/connect-all", true);
        verify(namespace, 65_536);
        System.out.println("DONE link " + controller.reconnectCount());

        // The admin queue has one of its own.
        while (queues.size() < QUEUE_PAIRS - 1)
        {
            queues.add(await(controller.openQueuePair(group)));
        }
        ask("idle");
        verify(namespace, 4096);
        System.out.println("DONE idle");
        await(controller.closeAsync());
        group.close();
        reactor.close();
        System.out.println("DONE closed");
    }

    private void verify(final NamespaceInfo namespace, final int transferBytes) throws Exception
    {
        copy.fill((byte)0);
        await(HostTransfer.read(queues, namespace, copy, transferBytes, QUEUE_DEPTH));
        if (-1 != image.mismatch(copy))
        {
            throw new AssertionError("read in transfers of " + transferBytes + ": differs at " + image.mismatch(copy));
        }
    }

    private static void ask(final String name) throws Exception
    {
        Files.createFile(Path.of("/tmp/want-" + name));
        awaitFile("/tmp/want-" + name, false);
    }

    private static void awaitFile(final String name, final boolean isThere) throws Exception
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (isThere != Files.exists(Path.of(name)))
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("waited in vain for " + name);
            }
            Thread.sleep(LOOK_MS);
        }
    }

    private static <T> T await(final CompletableFuture<T> future) throws Exception
    {
        return future.get(LIMIT_S, TimeUnit.SECONDS);
    }
}
