package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.nvmf.LaterDevice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.UniqueElements;

/**
 * Hosts reset their connections while the answers of all of them leave within one receive of another connection, and
 * all are asked in every cycle: those that were reset end, nothing else does.
 */
class TcpResetPropertyTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int HOSTS = 5;
    private static final int READS = 3;

    @Property(tries = 60)
    void shouldEndThoseThatWereResetAndNoOther(
        @ForAll @Size(max = HOSTS) @UniqueElements final List<@IntRange(max = HOSTS - 1) Integer> reset,
        @ForAll @IntRange(max = HOSTS - 1) final int trigger) throws IOException
    {
        final LaterDevice device = new LaterDevice(BLOCK, 16L << 20);
        try (ManualTarget target = new ManualTarget(device, TcpTransportConfig.defaults(), 2L << 20);
            TestHost admin = TestHost.open(target.address()))
        {
            admin.manual(target, target.accept());
            admin.initialize(Digests.NONE, 0);
            admin.connectAdmin(TargetFixture.NQN);
            final List<TestHost> hosts = new ArrayList<>();
            final List<TcpConnection> connections = new ArrayList<>();
            for (int i = 0; i < HOSTS; i++)
            {
                final TestHost host = TestHost.open(target.address());
                final TcpConnection connection = target.accept();
                host.manual(target, connection);
                host.initialize(Digests.NONE, 0);
                host.connectIo(TargetFixture.NQN, admin.controllerId(), 1 + i, 64);
                hosts.add(host);
                connections.add(connection);
            }
            device.hold(true);
            for (int i = 0; i < HOSTS; i++)
            {
                for (int id = 0; id < READS - 1; id++)
                {
                    hosts.get(i).sendCapsule(WireCommand.read(id, 8L * i, 1, BLOCK), WirePdu.NOTHING);
                }
                startPolling(target, hosts.get(i), connections.get(i), WireCommand.read(READS - 1, 8L * i, 1, BLOCK));
            }
            assertEquals(HOSTS, target.group().polledCount());
            assertEquals(HOSTS * READS, device.held());

            // One command more: while it is submitted, hosts reset and what was held completes.
            device.onSubmit(() -> reset.forEach((host) -> reset(hosts.get(host))));
            final byte[] last = WirePdu.capsule(Digests.NONE, WireCommand.read(READS, 0, 1, BLOCK), WirePdu.NOTHING);
            hosts.get(trigger).sendRaw(last, 0, last.length);
            awaitData();
            target.group().poll();
            device.hold(false);
            for (int i = 0; i < 10; i++)
            {
                target.turn();
            }

            assertEquals(HOSTS - reset.size(), target.group().polledCount());
            for (int i = 0; i < HOSTS; i++)
            {
                assertEquals(reset.contains(i) ? ConnectionState.CLOSED : ConnectionState.READY,
                    connections.get(i).state());
                if (!reset.contains(i))
                {
                    for (int id = 0; id < READS + (trigger == i ? 1 : 0); id++)
                    {
                        assertArrayEquals(new byte[BLOCK], hosts.get(i).receiveRead(id));
                    }
                }
                hosts.get(i).close();
            }
        }
    }

    /** Brings a command in as epoll would. */
    private static void startPolling(
        final ManualTarget target, final TestHost host, final TcpConnection connection, final byte[] command)
        throws IOException
    {
        final byte[] bytes = WirePdu.capsule(Digests.NONE, command, WirePdu.NOTHING);
        host.sendRaw(bytes, 0, bytes.length);
        awaitData();
        target.group().onReadable(connection);
    }

    /** Loopback hands bytes over within the call that sends them. */
    private static void awaitData()
    {
        Thread.onSpinWait();
    }

    private static void reset(final TestHost host)
    {
        try
        {
            host.socket().setSoLinger(true, 0);
            host.socket().close();
        }
        catch (final IOException e)
        {
            throw new AssertionError(e);
        }
    }
}
