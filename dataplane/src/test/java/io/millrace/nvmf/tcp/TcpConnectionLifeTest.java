package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Connections that come and go, many of them, and those that do not do what they should.
 */
class TcpConnectionLifeTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int CONNECTIONS = 1000;
    private static final int QUEUES_PER_CONTROLLER = 125;
    private static final int CHURN = 10_000;

    private TargetFixture target;

    @AfterEach
    void stop()
    {
        target.close();
    }

    @Test
    void shouldServeAThousandConnectionsAtOnceOnOneReactor() throws IOException
    {
        target = new TargetFixture();
        final List<TestHost> admins = new ArrayList<>();
        final List<TestHost> hosts = new ArrayList<>();
        try
        {
            for (int i = 0; i < CONNECTIONS; i++)
            {
                if (0 == i % QUEUES_PER_CONTROLLER)
                {
                    admins.add(TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE));
                }
                hosts.add(TestHost.io(target.address(), TargetFixture.NQN, admins.getLast(),
                    1 + i % QUEUES_PER_CONTROLLER, 32, Digests.NONE));
            }
            assertEquals(CONNECTIONS + admins.size(), target.transport().connectionCount());
            for (int round = 0; round < 3; round++)
            {
                for (int i = 0; i < CONNECTIONS; i++)
                {
                    hosts.get(i).sendCapsule(
                        WireCommand.writeInCapsule(1, i, 1, BLOCK), TcpIoTest.random(BLOCK, round + i));
                }
                for (final TestHost host : hosts)
                {
                    host.expectSuccess(1);
                }
                for (int i = 0; i < CONNECTIONS; i++)
                {
                    hosts.get(i).sendCapsule(WireCommand.read(2, i, 1, BLOCK), WirePdu.NOTHING);
                }
                for (int i = 0; i < CONNECTIONS; i++)
                {
                    assertArrayEquals(TcpIoTest.random(BLOCK, round + i), hosts.get(i).receiveRead(2));
                }
            }
        }
        finally
        {
            hosts.forEach(TestHost::close);
            admins.forEach(TestHost::close);
        }
        TargetFixture.await("no connection left", () -> 0 == target.transport().connectionCount());
    }

    @Test
    void shouldLeakNothingOverTenThousandConnections() throws IOException
    {
        target = new TargetFixture();
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE))
        {
            churn(admin, 200);
            final int descriptors = openDescriptors();
            churn(admin, CHURN);
            TargetFixture.await("only the admin connection left", () -> 1 == target.transport().connectionCount());
            assertTrue(openDescriptors() <= descriptors + 4,
                () -> descriptors + " descriptors before, " + openDescriptors() + " after");
            assertEquals(0, target.pool(0).usedBytes());
            assertEquals(0, target.pool(0).waiting());
            assertEquals(1, target.blocksInUse());
            assertArrayEquals(new byte[BLOCK], admin.readThroughNewQueue(target.address(), TargetFixture.NQN, 7));
        }
    }

    /**
     * Ends connections at every stage of their life, politely and by reset.
     */
    private void churn(final TestHost admin, final int count) throws IOException
    {
        for (int i = 0; i < count; i++)
        {
            final TestHost host = TestHost.open(target.address());
            final int stage = i % 6;
            if (stage > 0)
            {
                host.initialize(0 == (i & 8) ? Digests.NONE : Digests.HEADER_AND_DATA, 0);
            }
            if (stage > 1)
            {
                host.connectIo(TargetFixture.NQN, admin.controllerId(), 1 + i % 100, 32);
            }
            if (stage > 2)
            {
                host.sendCapsule(WireCommand.write(1, 0, 4, 4 * BLOCK), WirePdu.NOTHING);
                final int tag = host.expect(PduType.READY_TO_TRANSFER).transferTag();
                if (stage > 3)
                {
                    final byte[] data = WirePdu.h2cData(
                        host.digests(), 1, tag, new byte[4 * BLOCK], 0, 4 * BLOCK, true);
                    host.sendRaw(data, 0, 4 == stage ? data.length / 2 : 10);
                }
            }
            // A reset leaves no TIME_WAIT behind, or the ports of this machine would run out.
            host.socket().setSoLinger(true, 0);
            host.close();
            if (0 == i % 50)
            {
                TargetFixture.await("connections to go", () -> target.transport().connectionCount() < 50);
            }
        }
    }

    @Test
    void shouldCloseAConnectionThatDoesNotConnectInTime() throws IOException
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        // The admin queue has to be connected within this time, and the last host to have said what it says.
        target = new TargetFixture(1, new TcpTransportConfig(defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(),
            defaults.receiveBufferBytes(), true, 2_000_000_000L, defaults.connectionsMax(), 0, 0));
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost silent = TestHost.open(target.address());
            TestHost slow = TestHost.open(target.address());
            TestHost lazy = TestHost.open(target.address()))
        {
            lazy.initialize(Digests.NONE, 0);
            slow.sendRaw(WirePdu.initializeRequest(0, Digests.NONE, 0), 0, 100);
            silent.expectEnd();
            slow.expectEnd();
            lazy.expectEnd();
            assertEquals(3, target.transport().counters().connectTimeouts());
            // The one that connected in time stays.
            assertArrayEquals(new byte[BLOCK], admin.readThroughNewQueue(target.address(), TargetFixture.NQN, 1));
        }
    }

    @Test
    void shouldCloseWhenTheHostStopsSending() throws IOException
    {
        target = new TargetFixture();
        try (TestHost host = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE))
        {
            host.socket().shutdownOutput();
            host.expectEnd();
        }
        TargetFixture.await("no connection left", () -> 0 == target.transport().connectionCount());
        assertEquals("host closed the connection", target.transport().counters().lastCloseReason());
    }

    @Test
    void shouldCloseInBoundedTimeWhenTheHostIgnoresTheTermination() throws IOException
    {
        target = new TargetFixture();
        try (TestHost host = TestHost.open(target.address()))
        {
            host.send(new byte[]{0x7E, 0, 8, 0, 8, 0, 0, 0});
            final WirePdu termination = host.expect(PduType.C2H_TERM_REQ);
            assertEquals(FatalErrorStatus.INVALID_HEADER_FIELD, termination.fatalStatus());
            // The host neither closes nor stops sending.
            TargetFixture.await("the target to close", () ->
            {
                trySend(host);
                return 0 == target.transport().connectionCount();
            });
        }
    }

    private static void trySend(final TestHost host)
    {
        try
        {
            host.send(new byte[100]);
        }
        catch (final IOException e)
        {
            // The target has closed: that is what the caller looks for.
            Objects.requireNonNull(e);
        }
    }

    @Test
    void shouldRefuseConnectionsBeyondTheLimit() throws IOException
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        target = new TargetFixture(1, new TcpTransportConfig(defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(),
            defaults.receiveBufferBytes(), true, defaults.connectTimeoutNs(), 2, 0, 0));
        try (TestHost first = TestHost.open(target.address());
            TestHost second = TestHost.open(target.address()))
        {
            first.initialize(Digests.NONE, 0);
            second.initialize(Digests.NONE, 0);
            try (TestHost third = TestHost.open(target.address()))
            {
                third.expectEnd();
            }
            assertEquals(1, target.transport().counters().refused());
            first.socket().close();
            TargetFixture.await("room", () -> 1 == target.transport().connectionCount());
            try (TestHost third = TestHost.open(target.address()))
            {
                third.initialize(Digests.NONE, 0);
            }
        }
    }

    @Test
    void shouldCloseConnectionsWhenTheTransportCloses() throws IOException
    {
        target = new TargetFixture(2, TcpTransportConfig.defaults());
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost other = TestHost.open(target.address()))
        {
            other.initialize(Digests.NONE, 0);
            target.transport().close();
            admin.expectEnd();
            other.expectEnd();
            assertEquals(0, target.transport().connectionCount());
        }
    }

    private static int openDescriptors()
    {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }
}
