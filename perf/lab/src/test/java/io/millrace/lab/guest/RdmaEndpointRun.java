package io.millrace.lab.guest;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.bindings.NativeMemory;
import io.millrace.perf.rdma.RdmaOperation;
import io.millrace.perf.rdma.RdmaTestConfig;
import io.millrace.perf.rdma.RdmaTestServer;
import io.millrace.perf.rdma.RdmaTests;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.rdma.endpoint.ConnectionState;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Connections of our own over an RDMA device: what they carry and how they end. Argument: an address of the device.
 * Prints a line {@code DONE name} for each part.
 */
public final class RdmaEndpointRun
{
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final QueuePairConfig SIZES = new QueuePairConfig(64, 64, 4, 64, 4);
    private static final long LIMIT_MS = 120_000;
    private static final int HALF = RdmaPeer.BYTES / 2;

    private final Reactor reactor = new Reactor(ReactorConfig.of("client", -1));
    private final Reactor servers = new Reactor(ReactorConfig.of("server", -1));
    private final LinkedBlockingQueue<RdmaPeer> accepted = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<RdmaConnection> waiting = new LinkedBlockingQueue<>();
    private final InetSocketAddress listening;
    private ConnectionManager clientManager;
    private ConnectionManager serverManager;
    /** What the next accepted end does with its new queue pair. */
    private volatile Consumer<RdmaPeer> onServerQueuePair = RdmaEndpointRun::postReceives;

    private RdmaPeer client;
    private RdmaPeer server;

    private RdmaEndpointRun(final String address) throws Exception
    {
        reactor.start();
        servers.start();
        clientManager = reactor.call(() -> new ConnectionManager(reactor)).get();
        serverManager = servers.call(() -> new ConnectionManager(servers)).get();
        listening = servers.call(() -> serverManager.listen(new InetSocketAddress(address, 0), 8, (request) ->
        {
            if (new String(request.peerData(), US_ASCII).startsWith("no"))
            {
                request.reject("full".getBytes(US_ASCII));
                return;
            }
            if (new String(request.peerData(), US_ASCII).startsWith("wait"))
            {
                waiting.add(request);
                return;
            }
            final RdmaPeer peer = new RdmaPeer(onServerQueuePair);
            request.accept(SIZES, peer, "welcome".getBytes(US_ASCII));
            accepted.add(peer);
        })).get();
    }

    /** Runs all of it. */
    public static void main(final String[] args) throws Exception
    {
        try
        {
            runAll(new RdmaEndpointRun(args[0]));
        }
        catch (final AssertionError e)
        {
            // The reactors' threads would go on.
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void runAll(final RdmaEndpointRun run) throws Exception
    {
        run.part("messages", run::messages);
        run.part("one-sided", run::oneSided);
        run.part("stream", run::stream);
        run.part("idle", run::idle);
        run.part("wrong-key", run::wrongKey);
        run.part("revoked-region", run::revokedRegion);
        run.part("long-message", run::longMessage);
        run.part("receiver-not-ready", run::receiverNotReady);
        run.part("refusals", run::refusals);
        run.part("measurements", run::measurements);
        run.part("event-channel", run::eventChannel);
        run.part("late-answers", run::lateAnswers);
        run.part("closed-in-handler", run::closedInHandler);
        run.part("closed-manager", run::closedManager);
        run.servers.call(() ->
        {
            run.serverManager.close();
            return null;
        }).get();
        run.reactor.close();
        run.servers.close();
    }

    private interface Part
    {
        void run() throws Exception;
    }

    private void part(final String name, final Part part) throws Exception
    {
        part.run();
        System.out.println("DONE " + name);
    }

    private void onClient(final Runnable task) throws Exception
    {
        reactor.call(() ->
        {
            task.run();
            return null;
        }).get(60, TimeUnit.SECONDS);
    }

    private static void postReceives(final RdmaPeer peer)
    {
        for (int i = 0; i < 64; i++)
        {
            check(peer.at(i * 64, 64).postReceive(i), "room for receives");
        }
        check(0 == peer.queuePair().receiveRoom() && !peer.at(0, 64).postReceive(99), "no more room");
    }

    private static void check(final boolean holds, final String what)
    {
        if (!holds)
        {
            throw new AssertionError("not so: " + what);
        }
    }

    private RdmaPeer connect(final InetSocketAddress address, final String data) throws Exception
    {
        final RdmaPeer peer = new RdmaPeer(RdmaEndpointRun::postReceives);
        reactor.call(() ->
            clientManager.connect(address, SIZES, peer, data.getBytes(US_ASCII), CONNECT_NS)).get();
        return peer;
    }

    private void open() throws Exception
    {
        client = connect(listening, "hello");
        client.expect("established");
        server = accepted.poll(60, TimeUnit.SECONDS);
        server.expect("established");
        check(new String(client.connection.peerData(), US_ASCII).startsWith("welcome"), "what the server said");
        check(new String(server.connection.peerData(), US_ASCII).startsWith("hello"), "what the client said");
    }

    private void close() throws Exception
    {
        onClient(() -> client.connection.close("done"));
        check("done".equals(client.closed()), "own reason");
        check("the peer ended the connection".equals(server.closed()), "the peer's reason");
    }

    private void messages() throws Exception
    {
        open();
        onClient(() ->
        {
            check(client.queuePair().inlineBytes() >= 64, "inline data");
            NativeMemory.putLong(client.memory.address() + HALF, 0x1122334455667788L);
            check(client.at(HALF, 8).postSend(1, true), "room");
            // Sent inline: its memory is free.
            NativeMemory.putLong(client.memory.address() + HALF, 0L);
            client.at(HALF, 4);
            check(client.at(HALF + 8, 4).postSendWithImmediate(2, false, -7), "room");
            check(client.queuePair().postSend(3, true), "an empty message");
        });
        client.expect("sent 1 SUCCESS");
        client.expect("sent 3 SUCCESS");
        server.expect("received 0 SUCCESS 8 0");
        check(0x1122334455667788L == NativeMemory.getLong(server.memory.address()), "what was sent");
        server.expect("received 1 SUCCESS 8 -7");
        server.expect("received 2 SUCCESS 0 0");
        close();
    }

    private void oneSided() throws Exception
    {
        open();
        final long there = server.memory.address() + HALF;
        final int key = server.region.remoteKey();
        final long here = client.memory.address() + HALF;
        for (int i = 0; i < HALF; i += Long.BYTES)
        {
            NativeMemory.putLong(here + i, i * 0x9E3779B97F4A7C15L);
        }
        onClient(() -> check(client.at(HALF, HALF).postWrite(1, true, there, key), "room"));
        client.expect("sent 1 SUCCESS");
        check(-1 == NativeMemory.mismatch(here, there, HALF), "what was written");
        NativeMemory.fill(here, HALF, (byte)0);
        onClient(() -> check(client.at(HALF, HALF).postRead(2, true, there, key), "room"));
        client.expect("sent 2 SUCCESS");
        check(-1 == NativeMemory.mismatch(here, there, HALF), "what was read");
        NativeMemory.putLong(there, 40);
        onClient(() ->
        {
            check(client.at(HALF, 8).postFetchAndAdd(3, there, key, 2), "room");
            check(client.at(HALF + 8, 8).postCompareAndSwap(4, there, key, 42, 43), "room");
            check(client.at(HALF + 16, 8).postCompareAndSwap(5, there, key, 42, 44), "room");
            check(client.at(0, 16).fence().postWriteWithImmediate(6, true, there + 64, key, 5), "room");
        });
        for (int i = 3; i <= 6; i++)
        {
            client.expect("sent " + i + " SUCCESS");
        }
        check(40 == NativeMemory.getLong(here) && 42 == NativeMemory.getLong(here + 8) &&
            43 == NativeMemory.getLong(here + 16) && 43 == NativeMemory.getLong(there), "atomics");
        server.expect("received 0 SUCCESS 16 5");
        close();
    }

    /** More messages than the queues hold, few of them reported. */
    private void stream() throws Exception
    {
        open();
        final int total = 20_000;
        server.isCounting = true;
        final int[] sent = {0};
        while (sent[0] < total)
        {
            onClient(() ->
            {
                while (sent[0] < total && 0 != client.queuePair().sendRoom())
                {
                    check(client.at(HALF, 64).postSend(sent[0], 0 == sent[0] % 1000), "room");
                    sent[0]++;
                }
            });
        }
        for (int i = 0; i < total; i += 1000)
        {
            client.expect("sent " + i + " SUCCESS");
        }
        final long deadlineNs = System.nanoTime() + CONNECT_NS;
        while (total != server.receivedCount)
        {
            check(System.nanoTime() < deadlineNs, "received " + server.receivedCount);
            Thread.sleep(10);
        }
        check(client.events.isEmpty() && server.events.isEmpty(), client.events + " " + server.events);
        close();
    }

    /** Two reactors with a connection that does nothing. */
    private void idle() throws Exception
    {
        open();
        Thread.sleep(500);
        final OperatingSystemMXBean machine = (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
        final long beforeNs = machine.getProcessCpuTime();
        Thread.sleep(2_000);
        final long usedMs = TimeUnit.NANOSECONDS.toMillis(machine.getProcessCpuTime() - beforeNs);
        System.out.println("VALUE idle-ms " + usedMs);
        // Both would have used four seconds.
        check(usedMs < 500, usedMs + " ms of CPU in two seconds");
        onClient(() -> check(client.at(0, 8).postSend(1, true), "room"));
        client.expect("sent 1 SUCCESS");
        server.expect("received 0 SUCCESS 8 0");
        close();
    }

    /** A connection that fails leaves the others alone. */
    private void failing(final Runnable request, final String status, final String reason) throws Exception
    {
        open();
        final RdmaPeer otherClient = client;
        final RdmaPeer otherServer = server;
        open();
        onClient(request);
        client.expect("sent 9 " + status);
        final String why = client.closed();
        check(why.contains(reason), why);
        client = otherClient;
        onClient(() -> check(client.at(0, 8).postSend(1, true), "room"));
        client.expect("sent 1 SUCCESS");
        otherServer.expect("received 0 SUCCESS 8 0");
        server = otherServer;
        close();
    }

    private void wrongKey() throws Exception
    {
        failing(() -> client.at(0, 8).postWrite(9, true, server.memory.address(), server.region.remoteKey() ^ 0x100),
            "REMOTE_ACCESS", "the peer refused the access");
    }

    private void revokedRegion() throws Exception
    {
        failing(() ->
        {
            server.region.close();
            client.at(0, 8).postRead(9, true, server.memory.address(), server.region.remoteKey());
        }, "REMOTE_ACCESS", "the peer refused the access");
    }

    private void longMessage() throws Exception
    {
        // Soft-RoCE's answer; others say that the request was invalid.
        failing(() -> client.at(0, 65).postSend(9, true), "REMOTE_OPERATION", "the queue pair of the peer failed");
    }

    private void receiverNotReady() throws Exception
    {
        onServerQueuePair = (_) -> { };
        open();
        onServerQueuePair = RdmaEndpointRun::postReceives;
        onClient(() -> client.at(0, 8).postSend(9, true));
        client.expect("sent 9 RECEIVER_NOT_READY");
        final String why = client.closed();
        check(why.contains("no receive request"), why);
        check("the peer ended the connection".equals(server.closed()), "the peer's reason");
    }

    private void refusals() throws Exception
    {
        final RdmaPeer refused = connect(listening, "no");
        check("the peer refused the connection".equals(refused.closed()), "refused");
        check(new String(refused.connection.peerData(), US_ASCII).startsWith("full"), "what was said");
        final String nobody = connect(new InetSocketAddress(listening.getAddress(), 9), "hello").closed();
        check("connection refused: no RDMA listener at the peer's address and port".equals(nobody), nobody);
        String unknown;
        try
        {
            unknown = connect(new InetSocketAddress("203.0.113.1", 9), "hello").closed();
        }
        catch (final ExecutionException e)
        {
            unknown = e.getCause().getMessage();
        }
        check(unknown.contains("no RDMA device reaches the address"), unknown);
    }

    private void measurements() throws Exception
    {
        final LinkedBlockingQueue<String> log = new LinkedBlockingQueue<>();
        final RdmaTestServer tests = servers.call(() ->
            new RdmaTestServer(servers, new InetSocketAddress(listening.getAddress(), 0), log::add)).get();
        for (final RdmaOperation operation : RdmaOperation.values())
        {
            final RdmaTestConfig many = new RdmaTestConfig(tests.address(), operation, 4096, 32, 2000);
            final long ns = RdmaTests.bandwidth(many, LIMIT_MS);
            check(ns > 0, "a time");
            System.out.println("VALUE bandwidth-" + operation + " " + many.count() * 1_000_000_000L / ns);
        }
        for (final RdmaOperation operation : new RdmaOperation[]{RdmaOperation.SEND, RdmaOperation.READ})
        {
            final Histogram latencies =
                RdmaTests.latency(new RdmaTestConfig(tests.address(), operation, 2, 1, 500), LIMIT_MS);
            check(500 == latencies.getTotalCount() && latencies.getMinValue() > 0, "every operation");
            System.out.println("VALUE latency-" + operation + " " + latencies.getValueAtPercentile(50));
        }
        // One byte and depth 1, and the most; what is no client of tests is refused with the reason.
        RdmaTests.bandwidth(new RdmaTestConfig(tests.address(), RdmaOperation.SEND, 1, 1, 10), LIMIT_MS);
        RdmaTests.bandwidth(new RdmaTestConfig(tests.address(), RdmaOperation.WRITE, 8 << 20, 8, 2), LIMIT_MS);
        final RdmaPeer stranger = connect(tests.address(), "hello, this is no test");
        check("the peer refused the connection".equals(stranger.closed()), "refused");
        final String said = new String(stranger.connection.peerData(), US_ASCII);
        check(said.startsWith("the peer is no 'millrace rdma' test"), said);
        try
        {
            RdmaTests.latency(new RdmaTestConfig(listening, RdmaOperation.READ, 2, 1, 1), LIMIT_MS);
            check(false, "a server that is none of tests");
        }
        catch (final RdmaException e)
        {
            check(e.getMessage().contains("the peer is no 'millrace rdma' test"), e.getMessage());
        }
        final RdmaPeer tested = accepted.take();
        tested.expect("established");
        tested.closed();
        servers.call(() ->
        {
            tests.close();
            return null;
        }).get();
        check(14 == log.stream().filter((each) -> each.contains("connected")).count(), log.toString());
        check(1 == log.stream().filter((each) -> each.startsWith("refused")).count(), log.toString());
    }

    /** Asking for an event that is gone must not stop a reactor. */
    private void eventChannel() throws Exception
    {
        int channels = 0;
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd")))
        {
            for (final Path each : descriptors.filter(Files::isSymbolicLink).toList())
            {
                if (Files.readSymbolicLink(each).endsWith("rdma_cm"))
                {
                    final List<String> lines = Files.readAllLines(Path.of("/proc/self/fdinfo").resolve(
                        each.getFileName()));
                    final String flags = lines.stream().filter(line -> line.startsWith("flags:")).findAny().get();
                    final int bits = Integer.parseInt(flags.substring("flags:".length()).trim(), 8);
                    check(0 != (bits & 04000), "non-blocking: " + lines);
                    channels++;
                }
            }
        }
        check(channels >= 2, channels + " event channels");
    }

    /** Requests that are answered when the peer has given up, or too late. */
    private void lateAnswers() throws Exception
    {
        final RdmaPeer impatient = connect(listening, "wait");
        final RdmaConnection given = waiting.poll(60, TimeUnit.SECONDS);
        onClient(() -> impatient.connection.close("too slow"));
        check("too slow".equals(impatient.closed()), "own reason");
        Thread.sleep(200);
        final RdmaPeer answered = new RdmaPeer(RdmaEndpointRun::postReceives);
        servers.call(() ->
        {
            given.accept(SIZES, answered, new byte[0]);
            return null;
        }).get();
        System.out.println("VALUE gave-up " + answered.closed());
        final RdmaPeer patient = connect(listening, "wait");
        final RdmaConnection forgotten = waiting.poll(60, TimeUnit.SECONDS);
        check("the peer refused the connection".equals(patient.closed()), "refused");
        final RdmaPeer late = new RdmaPeer(RdmaEndpointRun::postReceives);
        servers.call(() ->
        {
            forgotten.reject(new byte[0]);
            forgotten.accept(SIZES, late, new byte[0]);
            return null;
        }).get();
        check("the request was not answered in time".equals(late.closed()), "own reason");
    }

    /** Handlers that end a connection and go on to use it. */
    private void closedInHandler() throws Exception
    {
        final RdmaPeer undecided = new RdmaPeer((peer) ->
        {
            peer.connection.close("changed its mind");
            postReceives(peer);
        });
        reactor.call(() -> clientManager.connect(
            listening, SIZES, undecided, "hello".getBytes(US_ASCII), CONNECT_NS)).get();
        check("changed its mind".equals(undecided.closed()), "own reason of the client");
        onServerQueuePair = (peer) ->
        {
            postReceives(peer);
            peer.connection.close("no room");
        };
        client = connect(listening, "hello");
        final String why = client.closed();
        check("the peer refused the connection".equals(why), why);
        check("no room".equals(accepted.poll(60, TimeUnit.SECONDS).closed()), "own reason of the server");
        onServerQueuePair = RdmaEndpointRun::postReceives;
        open();
        onClient(() ->
        {
            client.connection.close("enough");
            check(ConnectionState.CLOSING == client.connection.state(), "reported later");
        });
        check("enough".equals(client.closed()), "own reason");
        check(listening.equals(client.connection.peerAddress()), "whose connection it was");
        check("the peer ended the connection".equals(server.closed()), "the peer's reason");
        check(new String(server.connection.peerData(), US_ASCII).startsWith("hello"), "what the client said");
    }

    /** What is outstanding is reported before the connection is. */
    private void closedManager() throws Exception
    {
        open();
        final RdmaPeer closing = client;
        onClient(() -> clientManager.close());
        check("the connection manager was closed".equals(closing.closed()), "own reason");
        check("the peer ended the connection".equals(server.closed()), "the peer's reason");
    }
}
