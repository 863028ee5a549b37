package io.millrace.lab.guest;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.millrace.messaging.Endpoint;
import io.millrace.messaging.EndpointHandler;
import io.millrace.messaging.Messaging;
import io.millrace.messaging.MessagingContext;
import io.millrace.messaging.RdmaOptions;
import io.millrace.messaging.RemoteRegion;
import io.millrace.messaging.SubmitResult;
import io.millrace.messaging.TransportChoice;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.transport.TransportReason;
import io.millrace.seed.TestSeeds;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messaging between two processes over an RDMA device: what it carries, and what becomes of it when the peer is killed,
 * has no RDMA, or the device comes or is removed. Arguments: an address of {@code lab0}, which gets the device
 * {@code rxe0} in between, and {@code all} or {@code connect} for a connection alone. Prints a line {@code DONE name}
 * for each part.
 */
public final class MessagingRun implements EndpointHandler
{
    private static final long LIMIT_S = 120;
    private static final long PEER_LIMIT_S = 360;
    private static final long PEER_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int PORT = 7180;
    private static final int LARGE_BYTES = 48 << 20;
    /** So many packets of a large transfer have been sent when its peer is killed. */
    private static final long PACKETS = 500;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Path DEVICE = Path.of("/sys/class/infiniband/rxe0");
    private static final Path SENT = DEVICE.resolve("ports/1/hw_counters/sent_pkts");

    private final BlockingQueue<Endpoint> connected = new LinkedBlockingQueue<>();
    private final BlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
    private final BlockingQueue<Completion> completions = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> disconnected = new LinkedBlockingQueue<>();
    private final BlockingQueue<Boolean> writable = new LinkedBlockingQueue<>();
    private final String address;
    private final Messaging messaging;
    private Endpoint endpoint;
    private Process peer;
    private int peers;

    private record Completion(long id, EndpointStatus status)
    {
    }

    private MessagingRun(final String address)
    {
        this.address = address;
        messaging = Messaging.launch(new MessagingContext().name("run")
            .rdma(RdmaOptions.DEFAULT.withEventChannel(true))
            .reconnectDelayMaxNs(TimeUnit.SECONDS.toNanos(1))
            .connectTimeoutNs(MessagingPeer.CONNECT_TIMEOUT_NS)
            .keepAliveTimeoutNs(MessagingPeer.KEEP_ALIVE_TIMEOUT_NS)
            .listener(new MessagingPeer.Log()));
    }

    /** Runs all of it. */
    public static void main(final String[] args) throws Exception
    {
        System.out.println("SEED " + TestSeeds.seed());
        final MessagingRun run = new MessagingRun(args[0]);
        try
        {
            if ("connect".equals(args[1]))
            {
                run.connectOnly();
            }
            else
            {
                run.all();
            }
            run.end();
            System.exit(0);
        }
        catch (final AssertionError e)
        {
            // The reactor's thread would go on.
            e.printStackTrace(System.out);
            System.out.println("at " + run.completions + " " + run.disconnected);
            run.end();
            System.exit(1);
        }
    }

    private void end() throws Exception
    {
        if (null != peer)
        {
            peer.destroyForcibly().waitFor();
            for (int i = 1; i <= peers; i++)
            {
                Files.readAllLines(Path.of("/tmp/peer-" + i)).forEach((line) -> System.out.println("PEER " + line));
            }
        }
    }

    private void all() throws Exception
    {
        part("device-added", this::deviceAdded);
        part("messages", this::messages);
        part("one-sided", this::oneSided);
        part("denied", this::denied);
        part("killed-in-rendezvous", this::killedWhileItReads);
        part("killed-while-offering", this::killedWhileItIsRead);
        part("killed-in-read", this::killedInRead);
        part("peer-without-rdma", this::peerWithoutRdma);
        part("peer-with-rdma", this::peerWithRdma);
        part("device-removed", this::deviceRemoved);
        part("device-back", this::deviceBack);
    }

    private interface Part
    {
        void run() throws Exception;
    }

    private void part(final String name, final Part part) throws Exception
    {
        part.run();
        check(completions.isEmpty() && messages.isEmpty() && disconnected.isEmpty(),
            "nothing is left: " + completions + " " + messages.size() + " " + disconnected);
        System.out.println("DONE " + name);
    }

    private static void check(final boolean holds, final String what)
    {
        if (!holds)
        {
            throw new AssertionError("not so: " + what);
        }
    }

    private InetSocketAddress peerAddress()
    {
        return new InetSocketAddress(InetAddress.ofLiteral(address), PORT);
    }

    private void startPeer(final String transport) throws Exception
    {
        peers++;
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), MessagingPeer.class.getName(), address,
            String.valueOf(PORT), transport));
        peer = new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(Path.of("/tmp/peer-" + peers).toFile()).start();
        awaitPeer("LISTENING");
    }

    private void awaitPeer(final String line) throws Exception
    {
        awaitPeer(line, 1);
    }

    private int linesOfPeer(final String line) throws Exception
    {
        return Files.readString(Path.of("/tmp/peer-" + peers)).split(line, -1).length - 1;
    }

    private void awaitPeer(final String line, final int count) throws Exception
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PEER_LIMIT_S);
        while (linesOfPeer(line) < count)
        {
            check(System.nanoTime() - deadlineNs < 0, "in " + PEER_LIMIT_S + " s the peer wrote '" + line + "'");
            LockSupport.parkNanos(PEER_PAUSE_NS);
        }
    }

    /** As kill -9 does. */
    private void killPeer() throws Exception
    {
        peer.destroyForcibly().waitFor();
    }

    private static <T> T next(final BlockingQueue<T> queue, final String what) throws InterruptedException
    {
        final T next = queue.poll(LIMIT_S, TimeUnit.SECONDS);
        check(null != next, "in " + LIMIT_S + " s came " + what);
        return next;
    }

    private void expectTransport(final TransportKind kind, final TransportReason reason) throws Exception
    {
        final TransportChoice choice = next(connected, "a connection").transport();
        System.out.println("TRANSPORT " + choice.kind() + " " + choice.reason() + ": " + choice.text());
        check(kind == choice.kind() && reason == choice.reason(), "connected by " + kind + ", " + reason);
        check(!choice.text().isBlank(), "a reason in words");
    }

    private void send(final long id, final byte[] message) throws Exception
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(message);
        while (true)
        {
            final SubmitResult result = messaging.call(() -> endpoint.send(id, buffer, 0, message.length));
            if (SubmitResult.BACK_PRESSURED != result)
            {
                check(SubmitResult.ACCEPTED == result, "message " + id + " is accepted, not " + result);
                return;
            }
            next(writable, "onWritable");
        }
    }

    private void send(final long id, final String message) throws Exception
    {
        send(id, message.getBytes(US_ASCII));
    }

    private void complete(final long id, final EndpointStatus status) throws Exception
    {
        final Completion completion = next(completions, "a completion");
        check(completion.equals(new Completion(id, status)), id + " " + status + ", but " + completion);
    }

    private void echo(final long id, final int bytes) throws Exception
    {
        final byte[] message = new byte[bytes];
        TestSeeds.fixed(id).nextBytes(message);
        if (bytes > 0)
        {
            message[0] = 'x';
        }
        send(id, message);
        check(Arrays.equals(message, next(messages, "the answer")), "message " + id + " comes back as it was sent");
        complete(id, EndpointStatus.SUCCESS);
    }

    private void messages() throws Exception
    {
        final int[] sizes = {0, 1, 100, 256, 4_063, 4_064, 4_065, 65_536, 1_000_003, 8 << 20, 5};
        for (int i = 0; i < sizes.length; i++)
        {
            echo(i, sizes[i]);
        }
        final int count = 1_000;
        for (int i = 0; i < count; i++)
        {
            final UnsafeBuffer numbered = new UnsafeBuffer(new byte[8 + i % 7]);
            numbered.putInt(0, i);
            numbered.putByte(0, (byte)'x');
            numbered.putInt(4, i);
            send(i, numbered.byteArray());
        }
        for (int i = 0; i < count; i++)
        {
            final byte[] answer = next(messages, "answer " + i);
            check(8 + i % 7 == answer.length && i == new UnsafeBuffer(answer).getInt(4),
                "answer " + i + " in its order");
            complete(i, EndpointStatus.SUCCESS);
        }
    }

    private RemoteRegion export(final int bytes) throws Exception
    {
        send(70, "!export " + bytes);
        final byte[] descriptor = next(messages, "the descriptor");
        complete(70, EndpointStatus.SUCCESS);
        return new RemoteRegion(new UnsafeBuffer(descriptor), 0);
    }

    private SubmitResult read(
        final long id, final RemoteRegion remote, final long offset, final MessageMemory memory, final int length)
    {
        return messaging.call(() -> endpoint.read(id, remote, offset, memory, 0, length));
    }

    private void oneSided() throws Exception
    {
        final RemoteRegion remote = export(1 << 20);
        final MessageMemory memory = new MessageMemory(1 << 20);
        read(71, remote, 0, memory, 1 << 20);
        complete(71, EndpointStatus.SUCCESS);
        for (int i = 0; i < 1 << 20; i++)
        {
            check(MessagingPeer.pattern(i) == memory.buffer().getByte(i), "byte " + i + " as it is there");
        }
        memory.buffer().setMemory(0, 1 << 20, (byte)9);
        messaging.call(() -> endpoint.write(72, remote, 4096, memory, 0, 1000));
        complete(72, EndpointStatus.SUCCESS);
        read(73, remote, 0, memory, 8192);
        complete(73, EndpointStatus.SUCCESS);
        check(9 == memory.buffer().getByte(4096) && 9 == memory.buffer().getByte(5095) &&
            MessagingPeer.pattern(5096) == memory.buffer().getByte(5096), "what was written, and no more");
    }

    private void denied() throws Exception
    {
        final MessageMemory memory = new MessageMemory(8192);
        final RemoteRegion small = export(4096);
        read(81, small, 1, memory, 4096);
        complete(81, EndpointStatus.ACCESS_DENIED);
        check(next(disconnected, "the end").startsWith("ACCESS_DENIED"), "the end of the connection says why");
        expectTransport(TransportKind.RDMA, TransportReason.RDMA_AVAILABLE);

        final RemoteRegion revoked = export(4096);
        read(82, revoked, 0, memory, 4096);
        complete(82, EndpointStatus.SUCCESS);
        send(83, "!revoke");
        next(messages, "that it was revoked");
        complete(83, EndpointStatus.SUCCESS);
        read(84, revoked, 0, memory, 4096);
        complete(84, EndpointStatus.ACCESS_DENIED);
        next(disconnected, "the end");
        expectTransport(TransportKind.RDMA, TransportReason.RDMA_AVAILABLE);
    }

    private static long packets() throws Exception
    {
        return Long.parseLong(Files.readString(SENT).strip());
    }

    /** Waits until a large transfer is under way. */
    private static void awaitPackets(final long before) throws Exception
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (packets() - before < PACKETS)
        {
            check(System.nanoTime() - deadlineNs < 0, "the transfer has begun");
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private void startAgain() throws Exception
    {
        startPeer("rdma");
        // TCP is listened at before RDMA.
        awaitPeer("listening by RDMA");
        final TransportChoice choice = next(connected, "a connection").transport();
        if (TransportKind.TCP == choice.kind())
        {
            send(60, "!leave");
            completions.poll(LIMIT_S, TimeUnit.SECONDS);
            next(disconnected, "the end");
            expectTransport(TransportKind.RDMA, TransportReason.RDMA_AVAILABLE);
        }
        echo(61, 100_000);
    }

    private void killedWhileItReads() throws Exception
    {
        final long before = packets();
        send(1, new byte[LARGE_BYTES]);
        send(2, "behind it");
        awaitPackets(before);
        check(completions.isEmpty(), "the message is being read");
        killPeer();
        System.out.println("KILLED after " + (packets() - before) + " packets");
        completeFailed(1);
        completeFailed(2);
        next(disconnected, "the end");
        startAgain();
    }

    private void completeFailed(final long id) throws Exception
    {
        final Completion completion = next(completions, "a completion");
        System.out.println("COMPLETED " + completion);
        check(id == completion.id() && EndpointStatus.SUCCESS != completion.status(), id + " failed: " + completion);
    }

    private void killedWhileItIsRead() throws Exception
    {
        final long before = packets();
        send(1, "!offer " + LARGE_BYTES);
        complete(1, EndpointStatus.SUCCESS);
        awaitPackets(before);
        check(messages.isEmpty(), "the message is being read");
        killPeer();
        next(disconnected, "the end");
        check(messages.isEmpty(), "half a message is not delivered");
        startAgain();
    }

    private void killedInRead() throws Exception
    {
        final RemoteRegion remote = export(LARGE_BYTES);
        final MessageMemory memory = new MessageMemory(LARGE_BYTES);
        final long before = packets();
        for (int i = 0; i < 4; i++)
        {
            read(i, remote, 0, memory, LARGE_BYTES);
        }
        awaitPackets(before);
        check(completions.size() < 4, "reads are under way");
        killPeer();
        Completion last = null;
        for (int i = 0; i < 4; i++)
        {
            last = next(completions, "a completion");
            System.out.println("COMPLETED " + last);
        }
        check(EndpointStatus.SUCCESS != last.status(), "the last read failed");
        next(disconnected, "the end");
        startAgain();
    }

    /** The device comes while both processes run. */
    private void deviceAdded() throws Exception
    {
        startPeer("rdma");
        endpoint = messaging.connect(peerAddress(), this);
        expectTransport(TransportKind.TCP, TransportReason.NO_RDMA_DEVICE);
        echo(1, 3_000_000);
        Shell.run("rdma link add rxe0 type rxe netdev lab0");
        awaitPeer("listening by RDMA");
        send(2, "!leave");
        next(completions, "a completion");
        next(disconnected, "the end");
        expectTransport(TransportKind.RDMA, TransportReason.RDMA_AVAILABLE);
        echo(3, 3_000_000);
    }

    /** The kernel's removal does not end before both processes have closed the device. */
    private void deviceRemoved() throws Exception
    {
        final long before = packets();
        send(1, new byte[LARGE_BYTES]);
        send(2, "behind it");
        awaitPackets(before);
        new ProcessBuilder("rdma", "link", "delete", "rxe0").inheritIO().start();
        completeFailed(1);
        completeFailed(2);
        next(disconnected, "the end");
        expectTransport(TransportKind.TCP, TransportReason.NO_RDMA_DEVICE);
        awaitPeer("listening without RDMA, NO_RDMA_DEVICE");
        echo(3, 3_000_000);
    }

    /** Librdmacm does not see that its only device is gone before there is another one. */
    private void deviceBack() throws Exception
    {
        Shell.run("ip link add lab1 type dummy && ip link set lab1 up && rdma link add rxe1 type rxe netdev lab1");
        send(4, "!leave");
        next(completions, "a completion");
        next(disconnected, "the end");
        check(TransportKind.TCP == next(connected, "a connection").transport().kind(), "connected by TCP");
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (Files.exists(DEVICE))
        {
            check(System.nanoTime() - deadlineNs < 0, "in " + LIMIT_S + " s the device was gone");
            LockSupport.parkNanos(PEER_PAUSE_NS);
        }
        final int listened = linesOfPeer("listening by RDMA");
        Shell.run("rdma link add rxe0 type rxe netdev lab0");
        awaitPeer("listening by RDMA", listened + 1);
        send(5, "!leave");
        next(completions, "a completion");
        next(disconnected, "the end");
        expectTransport(TransportKind.RDMA, TransportReason.RDMA_AVAILABLE);
        echo(6, 3_000_000);
    }

    private void peerWithoutRdma() throws Exception
    {
        killPeer();
        next(disconnected, "the end");
        startPeer("tcp");
        expectTransport(TransportKind.TCP, TransportReason.PEER_WITHOUT_RDMA);
        echo(1, 3_000_000);
    }

    private void peerWithRdma() throws Exception
    {
        killPeer();
        next(disconnected, "the end");
        startAgain();
    }

    /** The peer is another program's. */
    private void connectOnly() throws Exception
    {
        endpoint = messaging.connect(peerAddress(), this);
        final TransportChoice choice = next(connected, "a connection").transport();
        System.out.println("TRANSPORT " + choice.kind() + " " + choice.reason() + ": " + choice.text());
        echo(1, 100_000);
    }

    @Override
    public void onConnected(final Endpoint of)
    {
        connected.add(of);
    }

    @Override
    public void onMessage(final Endpoint from, final DirectBuffer buffer, final int offset, final int length)
    {
        final byte[] message = new byte[length];
        buffer.getBytes(offset, message);
        messages.add(message);
    }

    @Override
    public void onCompletion(final Endpoint of, final long id, final EndpointStatus status)
    {
        completions.add(new Completion(id, status));
    }

    @Override
    public void onWritable(final Endpoint of)
    {
        writable.add(true);
    }

    @Override
    public void onDisconnected(final Endpoint of, final EndpointStatus status, final String reason)
    {
        System.out.println("DISCONNECTED " + status + ": " + reason);
        // An attempt to connect that failed is none.
        if (EndpointStatus.UNREACHABLE != status && EndpointStatus.CONNECT_TIMEOUT != status)
        {
            disconnected.add(status + ": " + reason);
        }
    }
}
