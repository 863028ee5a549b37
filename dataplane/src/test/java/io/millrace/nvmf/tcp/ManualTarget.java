package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.block.BlockDevice;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.connection.ConnectionAdmission;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.reactor.Kernel;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.BiFunction;

/**
 * A target whose reactor never starts: the test's thread turns it by hand, so that it knows what the target has seen.
 */
final class ManualTarget implements AutoCloseable
{
    private static final long TIMEOUT_NS = 20_000_000_000L;

    private final Arena arena = Arena.ofShared();
    private final Reactor reactor = new Reactor(ReactorConfig.of("manual", -1));
    private final BlockDevice device;
    private final DmaMemory memory;
    private final BufferPool pool;
    private final PollGroup pollGroup;
    private final TcpCounters counters = new TcpCounters();
    private final TcpPollGroup group;
    private final int listenFd;
    private final InetSocketAddress address;

    ManualTarget(final BlockDevice device, final TcpTransportConfig config, final long poolBytes)
    {
        this(device, config, poolBytes, TargetConfig.defaults().capacity());
    }

    ManualTarget(
        final BlockDevice device,
        final TcpTransportConfig config,
        final long poolBytes,
        final CapacityLimits capacity)
    {
        this(device, config, poolBytes, capacity, GatherBuffer::new);
    }

    ManualTarget(
        final BlockDevice device,
        final TcpTransportConfig config,
        final long poolBytes,
        final CapacityLimits capacity,
        final BiFunction<Kernel, DmaMemory, GatherBuffer> sending)
    {
        this.device = device;
        final Target target = new Target(new TargetConfig(
            TargetConfig.QUEUE_PAIRS_MAX, TargetConfig.QUEUE_DEPTH_DEFAULT, TargetConfig.MAX_TRANSFER_BYTES_DEFAULT,
            TargetConfig.CONTROLLERS_MAX).capacity(capacity));
        final Subsystem subsystem = new Subsystem(SubsystemConfig.open(TargetFixture.NQN));
        subsystem.addNamespace(Namespace.of(TargetFixture.NQN, 1, device));
        target.addSubsystem(subsystem);
        memory = DmaMemory.map(poolBytes);
        pool = new BufferPool(memory.allocate(poolBytes, 1 << 20), poolBytes, 1 << 20);
        pollGroup = new PollGroup(reactor, target, pool);
        group = new TcpPollGroup(pollGroup, config, counters,
            new ConnectionAdmission(capacity, counters, (warning) -> {}), sending);
        final long scratch = arena.allocate(64, 8).address();
        listenFd = NativeException.check("socket",
            Sockets.socket(Sockets.AF_INET, Sockets.SOCK_STREAM | Sockets.SOCK_CLOEXEC, 0));
        NativeException.check("bind", Sockets.bind(listenFd, scratch,
            SocketAddress.write(scratch, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))));
        NativeException.check("listen", Sockets.listen(listenFd, 64));
        NativeMemory.putInt(scratch + 32, SocketAddress.SIZE_BYTES_MAX);
        NativeException.check("getsockname", Sockets.getsockname(listenFd, scratch, scratch + 32));
        address = SocketAddress.read(scratch);
    }

    TcpPollGroup group()
    {
        return group;
    }

    TcpCounters counters()
    {
        return counters;
    }

    BufferPool pool()
    {
        return pool;
    }

    InetSocketAddress address()
    {
        return address;
    }

    /**
     * Takes the connection that a host has just opened.
     */
    TcpConnection accept()
    {
        final int fd = NativeException.check("accept4",
            Sockets.accept4(listenFd, 0, 0, Sockets.SOCK_NONBLOCK | Sockets.SOCK_CLOEXEC));
        group.assignedCount().incrementAndGet();
        return group.adopt(fd);
    }

    /**
     * Hands bytes to the target in one piece, and lets it act on them.
     */
    void deliver(final TestHost host, final TcpConnection connection, final byte[] bytes, final int from, final int to)
        throws IOException
    {
        host.sendRaw(bytes, from, to);
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        long left = to - from;
        while (left > 0 && ConnectionState.CLOSED != connection.state())
        {
            left -= connection.receive();
            turn();
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError(left + " bytes did not arrive at " + connection);
            }
        }
    }

    void deliver(final TestHost host, final TcpConnection connection, final byte[] bytes) throws IOException
    {
        deliver(host, connection, bytes, 0, bytes.length);
    }

    /**
     * One cycle of the pollers.
     */
    void turn()
    {
        pool.poll();
        pollGroup.poll();
        group.poll();
        pollGroup.devices().poll();
    }

    @Override
    public void close()
    {
        group.close();
        pollGroup.close();
        reactor.close();
        Files.close(listenFd);
        arena.close();
        memory.close();
        device.close();
    }
}
