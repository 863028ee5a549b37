package io.millrace.nvmf.tcp;

import io.millrace.block.BlockDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorErrorHandler;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A whole target on loopback with one namespace, for tests.
 */
final class TargetFixture implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:test";
    static final int BLOCK_BYTES = 4096;
    static final long DEVICE_BYTES = 64L << 20;
    static final long POOL_BYTES = 8L << 20;
    private static final long TIMEOUT_NS = 20_000_000_000L;

    private final Errors errors = new Errors();
    private final Queue<String> messages = new ConcurrentLinkedQueue<>();
    private final List<Reactor> reactors = new ArrayList<>();
    private final List<PollGroup> groups = new ArrayList<>();
    private final List<DmaMemory> memories = new ArrayList<>();
    private final List<BufferPool> pools = new ArrayList<>();
    private final BlockDevice device;
    private final Target target;
    private final TcpTransport transport;
    private final InetSocketAddress address;

    TargetFixture()
    {
        this(1, TcpTransportConfig.defaults());
    }

    TargetFixture(final int reactorCount, final TcpTransportConfig config)
    {
        this(reactorCount, config, MemoryDevice.create("mem0", DEVICE_BYTES, BLOCK_BYTES), POOL_BYTES,
            ReactorConfig.SPIN_NS_DEFAULT);
    }

    TargetFixture(
        final int reactorCount,
        final TcpTransportConfig config,
        final BlockDevice device,
        final long poolBytes,
        final long spinNs)
    {
        this(reactorCount, config, device, poolBytes, spinNs, TargetConfig.defaults().capacity());
    }

    TargetFixture(
        final int reactorCount,
        final TcpTransportConfig config,
        final BlockDevice device,
        final long poolBytes,
        final long spinNs,
        final CapacityLimits capacity)
    {
        this.device = device;
        target = new Target(new TargetConfig(
            TargetConfig.QUEUE_PAIRS_MAX, TargetConfig.QUEUE_DEPTH_DEFAULT, TargetConfig.MAX_TRANSFER_BYTES_DEFAULT,
            TargetConfig.CONTROLLERS_MAX).capacity(capacity), new TargetListener()
            {
                @Override
                public void onError(final String message)
                {
                    messages.add(message);
                }

                @Override
                public void onProtocolError(final String remote, final String reason)
                {
                    messages.add("protocol error: " + reason);
                }
            });
        final Subsystem subsystem = new Subsystem(SubsystemConfig.open(NQN));
        subsystem.addNamespace(Namespace.of(NQN, 1, device));
        target.addSubsystem(subsystem);
        for (int i = 0; i < reactorCount; i++)
        {
            final Reactor reactor = new Reactor(
                new ReactorConfig("test-" + i, -1, ReactorConfig.IdleMode.SLEEP, spinNs), errors);
            reactor.start();
            reactors.add(reactor);
            final DmaMemory memory = DmaMemory.map(poolBytes);
            memories.add(memory);
            final BufferPool pool = BufferPool.withFloors(
                memory.allocate(poolBytes, 1 << 20), poolBytes, 1 << 20);
            pools.add(pool);
            groups.add(reactor.call(() ->
            {
                reactor.addPoller(pool);
                return new PollGroup(reactor, target, pool);
            }).join());
        }
        transport = new TcpTransport(target, groups, config);
        address = transport.listen(TransportAddress.tcp("127.0.0.1", 0)).socketAddress();
    }

    InetSocketAddress address()
    {
        return address;
    }

    Subsystem subsystem()
    {
        return target.subsystem(NQN);
    }

    TcpTransport transport()
    {
        return transport;
    }

    Reactor reactor(final int index)
    {
        return reactors.get(index);
    }

    /**
     * {@return what an operator was told}
     */
    List<String> messages()
    {
        return List.copyOf(messages);
    }

    PollGroup group(final int index)
    {
        return groups.get(index);
    }

    BufferPool pool(final int index)
    {
        return pools.get(index);
    }

    /**
     * {@return blocks that connections of the first reactor hold for sending}
     */
    int blocksInUse()
    {
        return reactors.get(0).call(() -> transport.group(0).senderBlocks().usedCount()).join();
    }

    /**
     * {@return a configuration whose connections have small send buffers: answers that nobody takes stay in the target}
     */
    static TcpTransportConfig smallSendBuffers()
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        return new TcpTransportConfig(
            defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(), true,
            defaults.connectTimeoutNs(), defaults.connectionsMax(), 8192, 0);
    }

    /**
     * Waits until the first reactor has as many commands.
     */
    void awaitRequests(final int count)
    {
        await(count + " commands", () -> requestsInUse() >= count);
    }

    /**
     * {@return commands of the first reactor}
     */
    int requestsInUse()
    {
        return reactors.get(0).call(() -> groups.get(0).requestsInUse()).join();
    }

    static void await(final String what, final BooleanSupplier condition)
    {
        await(what, TIMEOUT_NS, condition);
    }

    /**
     * Waits for what takes long where others have the processors.
     */
    static void await(final String what, final long timeoutNs, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("waited in vain for: " + what);
            }
            LockSupport.parkNanos(100_000);
        }
    }

    @Override
    public void close()
    {
        errors.check();
        transport.close();
        for (final PollGroup group : groups)
        {
            group.reactor().call(() ->
            {
                group.close();
                return null;
            }).join();
        }
        reactors.forEach(Reactor::close);
        memories.forEach(DmaMemory::close);
        device.close();
    }

    /**
     * Keeps what a reactor died of, so that the test fails with it; the standard handler would end the test's process.
     */
    private static final class Errors implements ReactorErrorHandler
    {
        private volatile Throwable first;

        @Override
        public void onCommandError(final Reactor reactor, final Runnable command, final Throwable error)
        {
            first = error;
        }

        @Override
        public void onBrokenInvariant(final Reactor reactor, final Object source, final Throwable error)
        {
            first = error;
        }

        private void check()
        {
            if (null != first)
            {
                throw new AssertionError("a reactor failed", first);
            }
        }
    }
}
