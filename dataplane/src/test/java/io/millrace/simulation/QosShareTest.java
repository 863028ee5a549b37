package io.millrace.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.reactor.SimulatedReactor;
import io.millrace.seed.TestSeeds;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Hosts and namespaces get what their limits allow, neither more nor less, on reactors of a simulated clock: each host
 * has a queue on each of two reactors, and always more to do than it may.
 */
class QosShareTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:shares";
    private static final InetSocketAddress ADDRESS = SimulatedKernel.address(0, 4420);
    private static final int BLOCK_BYTES = 512;
    private static final int DEPTH = 8;
    private static final long BEGIN_NS = 200_000_000L;
    private static final long MEASURED_NS = 1_000_000_000L;
    /** A burst at an end of the measured time. */
    private static final double LIMIT_TOLERANCE = 0.02;
    private static final double SHARE_TOLERANCE = 0.1;

    private Simulator simulator;
    private TargetProcess target;
    private MemoryDevice second;
    private List<LoadHost> hosts;

    @Test
    void shouldGiveEachHostItsLimit() throws InterruptedException
    {
        simulate(() ->
        {
            target.subsystem().qos().limitHost(identity(0).hostNqn(), iops(500));
            target.subsystem().qos().limitHost(identity(1).hostNqn(), iops(1_500));
            final long[] completed = measure(1, 1);
            assertEquals(500, completed[0], 500 * LIMIT_TOLERANCE);
            assertEquals(1_500, completed[1], 1_500 * LIMIT_TOLERANCE);
        });
    }

    @Test
    void shouldGiveEachNamespaceItsLimit() throws InterruptedException
    {
        simulate(() ->
        {
            target.subsystem().qos().limitNamespace(1, iops(1_200));
            target.subsystem().qos().limitNamespace(2, new QosLimits(0, 0, 0, 0, 0, 400L * BLOCK_BYTES, 10));
            final long[] completed = measure(1, 2);
            assertEquals(1_200, completed[0], 1_200 * LIMIT_TOLERANCE);
            assertEquals(400, completed[1], 400 * LIMIT_TOLERANCE);
        });
    }

    @Test
    void shouldShareTheLimitOfANamespaceEvenly() throws InterruptedException
    {
        simulate(() ->
        {
            target.subsystem().qos().limitNamespace(1, iops(2_000));
            final long[] completed = measure(1, 1);
            assertEquals(2_000, completed[0] + completed[1], 2_000 * LIMIT_TOLERANCE);
            assertEquals(1_000, completed[0], 1_000 * SHARE_TOLERANCE);
        });
    }

    private static QosLimits iops(final long count)
    {
        return new QosLimits(0, 0, count, 0, 0, 0, 10);
    }

    private static HostConfig identity(final int number)
    {
        return HostConfig.of(new UUID(0x1234_5678_9ABC_4DEFL, 0x8000_0000_0000_0000L + number));
    }

    /** {@return requests of each host that ended in a second} */
    private long[] measure(final int firstNsid, final int secondNsid)
    {
        hosts.get(0).begin(firstNsid, DEPTH, BLOCK_BYTES);
        hosts.get(1).begin(secondNsid, DEPTH, BLOCK_BYTES);
        pass(BEGIN_NS);
        final long[] before = {hosts.get(0).completed(), hosts.get(1).completed()};
        pass(MEASURED_NS);
        return new long[]{hosts.get(0).completed() - before[0], hosts.get(1).completed() - before[1]};
    }

    private void pass(final long durationNs)
    {
        final long endNs = simulator.nowNs() + durationNs;
        simulator.run("time", 2 * durationNs, () -> simulator.nowNs() >= endNs);
    }

    private void simulate(final Runnable task) throws InterruptedException
    {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread thread = SimulatedReactor.thread(() ->
        {
            try
            {
                begin();
                task.run();
                end();
            }
            catch (final Throwable t)
            {
                failure.set(t);
            }
        }, "simulation");
        thread.start();
        thread.join();
        assertNull(failure.get());
    }

    private void begin()
    {
        simulator = new Simulator(new Draw(TestSeeds.seed()), new Trace(false));
        final DeviceSource source = DeviceSource.of(device("first"));
        second = device("second");
        target = new TargetProcess(simulator, "target", NQN, source, 2, 8 << 10, new TcpTransportConfig(
            8192, 4096, 64 << 10, true, 2_000_000_000L, 64, 0, 0, 1_000_000_000L, 1_000_000_000L));
        target.subsystem().addNamespace(Namespace.of(NQN, 2, second));
        target.listen(ADDRESS);
        hosts = List.of(host(0), host(1));
    }

    private MemoryDevice device(final String name)
    {
        return MemoryDevice.create(name, 8 * BLOCK_BYTES, BLOCK_BYTES, simulator.kernel()::nanoTime);
    }

    private LoadHost host(final int number)
    {
        return new LoadHost(simulator, identity(number),
            ConnectionConfig.to(ADDRESS, NQN).queueDepth(DEPTH).keepAliveMs(0).build(), 2);
    }

    private void end()
    {
        hosts.forEach(LoadHost::close);
        target.close();
        second.close();
    }
}
