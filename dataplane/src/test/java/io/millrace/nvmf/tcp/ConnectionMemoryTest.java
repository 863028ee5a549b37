package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.nvmf.LaterDevice;
import io.millrace.nvmf.config.CapacityLimits;
import java.lang.foreign.Arena;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/**
 * What connections, controllers and commands take of the heap, measured: it is what {@link CapacityLimits} reckons
 * with. Hosts are descriptors and cost nothing there.
 */
class ConnectionMemoryTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    /** Besides one that makes what is made once. */
    private static final int COUNT = 250;
    private static final int DEPTH = 1024;
    private static final long TIMEOUT_NS = 20_000_000_000L;
    private static final int QUEUES = 12;
    /** One address may have half of them, and all come from one. */
    private static final CapacityLimits LIMITS =
        new CapacityLimits(CapacityLimits.REQUESTS_MAX, 1000, 1000, 1000, 1000);

    private final Arena arena = Arena.ofShared();
    private final long scratch = arena.allocate(64, 8).address();
    private final long bytes = arena.allocate(1 << 16, 8).address();
    private final int[] fds = new int[COUNT + 1];
    private final TcpConnection[] connections = new TcpConnection[COUNT + 1];

    @Test
    void shouldTakeNoMoreOfTheHeapThanItsLimitsReckonWith()
    {
        final LaterDevice device = new LaterDevice(BLOCK, 16L << 20);
        try (ManualTarget target = new ManualTarget(device, TcpTransportConfig.defaults(), 64L << 20, LIMITS))
        {
            device.hold(true);
            open(target, 0);
            connectAdmin(target, 0);
            send(target, 0, WirePdu.capsule(
                Digests.NONE, WireCommand.propertySet(2, 0x14, 0x00460001), WirePdu.NOTHING));
            for (int round = 0; round < 2; round++)
            {
                each(COUNT, (i) -> open(target, i));
                each(COUNT, (i) -> connectAdmin(target, i));
                each(COUNT, this::close);
            }
            final long pending = costOf(COUNT, (i) -> open(target, i));
            final long controller = pending + costOf(COUNT, (i) -> connectAdmin(target, i));
            each(COUNT, this::close);
            each(QUEUES, (i) -> open(target, i));
            each(QUEUES, (i) -> connectIo(target, i));
            final long requests = costOf(QUEUES, (i) -> writes(target, i)) / (DEPTH - 1);
            assertEquals(QUEUES * (DEPTH - 1), target.group().pollGroup().requestsInUse());
            System.out.println("heap of a connection before Connect " + pending + ", of a controller " + controller +
                ", of a command " + requests + " bytes");
            assertTrue(pending <= LIMITS.pendingBytes(), pending + " bytes of heap before Connect");
            assertTrue(controller <= LIMITS.connectionBytes(32), controller + " bytes of heap of a controller");
            assertTrue(requests <= LIMITS.requestBytes(), requests + " bytes of heap of a command");
            device.hold(false);
        }
        finally
        {
            each(COUNT, (i) -> Files.close(fds[i]));
            arena.close();
        }
    }

    private void open(final ManualTarget target, final int i)
    {
        fds[i] = NativeException.check("socket",
            Sockets.socket(Sockets.AF_INET, Sockets.SOCK_STREAM | Sockets.SOCK_CLOEXEC, 0));
        NativeException.check("connect",
            Sockets.connect(fds[i], scratch, SocketAddress.write(scratch, target.address())));
        connections[i] = target.accept();
        send(target, i, WirePdu.initializeRequest(0, Digests.NONE, 0));
    }

    private void close(final int i)
    {
        connections[i].close("test");
        connections[i] = null;
        Files.close(fds[i]);
    }

    private void connectAdmin(final ManualTarget target, final int i)
    {
        send(target, i, WirePdu.capsule(Digests.NONE, WireCommand.connect(1, 0, 32),
            WireCommand.connectData(TargetFixture.NQN, TestHost.HOST_NQN, 0xFFFF)));
        assertTrue(connections[i].queuePair().connected());
    }

    private void connectIo(final ManualTarget target, final int i)
    {
        send(target, i, WirePdu.capsule(Digests.NONE, WireCommand.connect(1, i, DEPTH),
            WireCommand.connectData(TargetFixture.NQN, TestHost.HOST_NQN, 1)));
        assertTrue(connections[i].queuePair().connected());
    }

    private void writes(final ManualTarget target, final int i)
    {
        for (int id = 0; id < DEPTH - 1; id++)
        {
            send(target, i, WirePdu.capsule(Digests.NONE, WireCommand.write(id, 0, 1, BLOCK), WirePdu.NOTHING));
        }
    }

    private void send(final ManualTarget target, final int i, final byte[] data)
    {
        for (int j = 0; j < data.length; j++)
        {
            NativeMemory.putByte(bytes + j, data[j]);
        }
        NativeException.check("send", (int)Sockets.send(fds[i], bytes, data.length, 0));
        long left = data.length;
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (left > 0)
        {
            left -= connections[i].receive();
            target.turn();
            assertTrue(System.nanoTime() - deadlineNs < 0, connections[i].toString());
        }
    }

    private static void each(final int count, final IntConsumer task)
    {
        for (int i = 1; i <= count; i++)
        {
            task.accept(i);
        }
    }

    private static long costOf(final int count, final IntConsumer task)
    {
        final long before = usedBytes();
        each(count, task);
        return (usedBytes() - before) / count;
    }

    private static long usedBytes()
    {
        final Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++)
        {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
