package io.millrace.lab.guest;

import io.millrace.dataplane.HostTransports;
import io.millrace.lab.HostTransfer;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.OutagePolicy;
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
import java.util.concurrent.TimeoutException;

/**
 * Our host on our target over RDMA, through a network that the script spoils: data on two queue pairs while packets are
 * lost, the same data while nothing passes, 64 queue pairs that do nothing, and a target that is killed. Arguments:
 * address, port, NQN of a subsystem with namespace 2. Prints {@code DONE name} for each part; asks the script for
 * changes by files {@code /tmp/want-NAME}, which the script removes. Each command ends within {@link #LIMIT_S}, and
 * once.
 */
public final class RdmaNetworkRun
{
    private static final int BLOCK_BYTES = 4096;
    /** Several packets. */
    private static final int LARGE_BYTES = 65_536;
    private static final int IMAGE_BYTES = 256 << 10;
    private static final int QUEUE_PAIRS = 64;
    private static final int QUEUE_DEPTH = 16;
    private static final int KEEP_ALIVE_MS = 5_000;
    private static final int CONNECT_TIMEOUT_MS = 60_000;
    private static final long LIMIT_S = 200;
    private static final long LOOK_MS = 20;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment image = arena.allocate(IMAGE_BYTES, BLOCK_BYTES);
    private final MemorySegment copy = arena.allocate(IMAGE_BYTES, BLOCK_BYTES);
    private final Reactor reactor = new Reactor(ReactorConfig.of("host", -1));
    private final HostPollGroup group;
    private final ConnectionConfig.Builder target;
    private final List<RemoteQueuePair> queues = new ArrayList<>();

    private RdmaNetworkRun(final String host, final int port, final String nqn) throws Exception
    {
        reactor.start();
        group = HostTransports.pollGroup(reactor);
        target = ConnectionConfig.to(
            TransportAddress.of(TransportAddress.Type.RDMA, new InetSocketAddress(host, port)), nqn)
            .queueDepth(QUEUE_DEPTH).connectTimeoutMs(CONNECT_TIMEOUT_MS).keepAliveMs(KEEP_ALIVE_MS);
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
        catch (final AssertionError | ExecutionException | TimeoutException e)
        {
            // The reactor's thread would go on.
            e.printStackTrace();
            System.exit(1);
        }
    }

    private void run() throws Exception
    {
        final Random random = TestSeeds.random();
        for (long i = 0; i < image.byteSize(); i += Long.BYTES)
        {
            image.set(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
        final RemoteController controller = connect(target.build());
        open(controller, 2);
        final NamespaceInfo namespace = await(controller.namespace(2));
        ask("loss");
        write(namespace, BLOCK_BYTES);
        verify(namespace, LARGE_BYTES);
        write(namespace, LARGE_BYTES);
        verify(namespace, BLOCK_BYTES);
        System.out.println("DONE loss");

        while (!Files.exists(Path.of("/tmp/connect-all")))
        {
            write(namespace, BLOCK_BYTES);
            verify(namespace, LARGE_BYTES);
        }
        System.out.println("DONE cut " + controller.reconnectCount());

        // The admin queue has one of its own.
        open(controller, QUEUE_PAIRS - 1 - queues.size());
        ask("idle");
        verify(namespace, BLOCK_BYTES);
        System.out.println("DONE idle");
        await(controller.closeAsync());
        queues.clear();
        losesTarget(namespace);
        group.close();
        reactor.close();
    }

    /** The commands that the target has when it is killed end with an error; those before have ended with success. */
    private void losesTarget(final NamespaceInfo namespace) throws Exception
    {
        final RemoteController controller =
            connect(target.controllerLossTimeoutMs(0).outagePolicy(OutagePolicy.FAIL).build());
        open(controller, 1);
        final RemoteQueuePair queue = queues.getFirst();
        Files.createFile(Path.of("/tmp/want-kill"));
        long succeeded = 0;
        int failed = 0;
        while (0 == failed)
        {
            for (final CompletableFuture<Integer> each : reactor.call(() -> submit(queue, namespace)).get())
            {
                final int status = await(each);
                succeeded += 0 == status ? 1 : 0;
                failed += 0 == status ? 0 : 1;
            }
        }
        await(controller.closeAsync());
        System.out.println("DONE killed " + succeeded + " " + failed);
    }

    /** {@return the statuses to come of as many writes and reads as the queue takes} */
    private List<CompletableFuture<Integer>> submit(final RemoteQueuePair queue, final NamespaceInfo namespace)
    {
        final List<CompletableFuture<Integer>> statuses = new ArrayList<>();
        for (int i = 0; i < QUEUE_DEPTH; i++)
        {
            final CompletableFuture<Integer> status = new CompletableFuture<>();
            final HostRequest request = new HostRequest(null, (each) ->
            {
                if (!status.complete(each.status()))
                {
                    throw new IllegalStateException("ended twice: " + each);
                }
            });
            final long address = image.address() + (long)i * BLOCK_BYTES;
            if (queue.submit(0 == i % 2 ? request.write(namespace.nsid(), i, 1, address, BLOCK_BYTES) :
                request.read(namespace.nsid(), i, 1, copy.address() + (long)i * BLOCK_BYTES, BLOCK_BYTES)))
            {
                statuses.add(status);
            }
        }
        if (statuses.isEmpty())
        {
            statuses.add(CompletableFuture.failedFuture(new AssertionError("the queue takes nothing, ends nothing")));
        }
        return statuses;
    }

    private RemoteController connect(final ConnectionConfig config) throws Exception
    {
        return await(RemoteController.connect(group, HostConfig.random(), config, ControllerListener.NONE));
    }

    private void open(final RemoteController controller, final int count) throws Exception
    {
        for (int i = 0; i < count; i++)
        {
            queues.add(await(controller.openQueuePair(group)));
        }
    }

    private void write(final NamespaceInfo namespace, final int transferBytes) throws Exception
    {
        await(HostTransfer.write(queues, namespace, image, transferBytes, QUEUE_DEPTH));
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
        final Path file = Files.createFile(Path.of("/tmp/want-" + name));
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (Files.exists(file))
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("the script did not remove " + file);
            }
            Thread.sleep(LOOK_MS);
        }
    }

    private static <T> T await(final CompletableFuture<T> future) throws Exception
    {
        return future.get(LIMIT_S, TimeUnit.SECONDS);
    }
}
