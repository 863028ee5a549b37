package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import io.millrace.nvmf.MoveOutcome;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.QueuePair;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A connection that moves to another reactor, with bytes of the host wherever they may be.
 */
class TcpMoveTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int DEPTH = 32;

    private final TargetFixture target = new TargetFixture(2, TcpTransportConfig.defaults());

    @AfterEach
    void stop()
    {
        TargetFixture.await("buffers to be back",
            () -> 0 == target.pool(0).usedBytes() && 0 == target.pool(1).usedBytes());
        target.close();
    }

    private QueuePair queuePair(final TestHost admin)
    {
        return target.group(0).target().subsystem(TargetFixture.NQN).queuePair(admin.controllerId(), 1);
    }

    /** Begins to move to the reactor that it is not on. */
    private CompletableFuture<MoveOutcome> move(final QueuePair queuePair)
    {
        return target.transport().move(queuePair, target.group(queuePair.owner() == target.group(0) ? 1 : 0));
    }

    private static MoveOutcome outcome(final CompletableFuture<MoveOutcome> move)
    {
        try
        {
            return move.get(20, TimeUnit.SECONDS);
        }
        catch (final InterruptedException | ExecutionException | TimeoutException e)
        {
            throw new AssertionError(e);
        }
    }

    private static TestHost io(final TargetFixture target, final TestHost admin, final Digests digests)
        throws IOException
    {
        return TestHost.io(target.address(), TargetFixture.NQN, admin, 1, DEPTH, digests);
    }

    @ParameterizedTest
    @EnumSource(value = Digests.class, names = {"NONE", "HEADER_AND_DATA"})
    void shouldServeOnBothReactorsInTurn(final Digests digests) throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = io(target, admin, digests))
        {
            final QueuePair queuePair = queuePair(admin);
            for (int round = 0; round < 20; round++)
            {
                final byte[] small = TcpIoTest.random(BLOCK, round);
                final byte[] large = TcpIoTest.random(64 * BLOCK, round);
                host.writeInCapsule(1, 3L * round, 1, small);
                host.write(2, 1000, 64, large);
                final PollGroup before = queuePair.owner();
                assertEquals(MoveOutcome.MOVED, outcome(move(queuePair)));
                assertNotSame(before, queuePair.owner());
                assertArrayEquals(small, host.read(3, 3L * round, 1, BLOCK));
                assertArrayEquals(large, host.read(4, 1000, 64, 64 * BLOCK));
            }
            assertEquals(1 + 20 * 4, queuePair.commands());
            TargetFixture.await("connections to be counted right",
                () -> 2 == target.transport().connectionCount() &&
                    2 == target.group(0).queuePairs() + target.group(1).queuePairs());
        }
        TargetFixture.await("all to be gone", () -> 0 == target.transport().connectionCount());
        assertEquals(0, target.blocksInUse());
    }

    @ParameterizedTest
    @EnumSource(value = Digests.class, names = {"NONE", "HEADER_AND_DATA"})
    void shouldCarryPartOfACapsuleOver(final Digests digests) throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = io(target, admin, digests))
        {
            final QueuePair queuePair = queuePair(admin);
            final byte[] data = TcpIoTest.random(BLOCK, 1);
            final byte[] capsule = WirePdu.capsule(digests, WireCommand.writeInCapsule(7, 5, 1, BLOCK), data);
            int sent = 0;
            for (final int part : new int[]{1, 7, 9, 70, 90, 2000, capsule.length})
            {
                host.sendRaw(capsule, sent, part);
                sent = part;
                assertEquals(MoveOutcome.MOVED, outcome(move(queuePair)));
            }
            host.expectSuccess(7);
            assertArrayEquals(data, host.read(8, 5, 1, BLOCK));
        }
    }

    @ParameterizedTest
    @EnumSource(value = Digests.class, names = {"NONE", "HEADER_AND_DATA"})
    void shouldTakeInDataThatLiesBehindCapsules(final Digests digests) throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = io(target, admin, digests))
        {
            final QueuePair queuePair = queuePair(admin);
            for (int round = 0; round < 10; round++)
            {
                final byte[] data = TcpIoTest.random(16 * BLOCK, round);
                final byte[] other = TcpIoTest.random(BLOCK, -round);
                host.sendCapsule(WireCommand.write(1, 0, 16, data.length), WirePdu.NOTHING);
                final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
                final CompletableFuture<MoveOutcome> move = move(queuePair);
                final ByteArrayOutputStream segment = new ByteArrayOutputStream();
                segment.write(WirePdu.capsule(digests, WireCommand.writeInCapsule(2, 100, 1, BLOCK), other));
                segment.write(WirePdu.h2cData(digests, 1, ready.transferTag(), data, 0, 5 * BLOCK, false));
                segment.write(WirePdu.capsule(digests, WireCommand.read(3, 200, 1, BLOCK), WirePdu.NOTHING));
                segment.write(WirePdu.h2cData(digests, 1, ready.transferTag(), data, 5 * BLOCK, 11 * BLOCK, true));
                segment.write(WirePdu.capsule(digests, WireCommand.read(4, 200, 1, BLOCK), WirePdu.NOTHING));
                host.send(segment.toByteArray());
                // Whether the move or the capsules came first, each command is answered once.
                final boolean[] answered = new boolean[5];
                for (int i = 0; i < 4; i++)
                {
                    final WirePdu pdu = host.receive();
                    final int id = pdu.commandId();
                    assertFalse(answered[id], pdu::toString);
                    answered[id] = true;
                    if (PduType.C2H_DATA == pdu.type() && !pdu.has(CommonHeader.FLAG_SUCCESS))
                    {
                        host.expectSuccess(id);
                    }
                }
                assertEquals(MoveOutcome.MOVED, outcome(move));
                assertArrayEquals(data, host.read(5, 0, 16, data.length));
                assertArrayEquals(other, host.read(6, 100, 1, BLOCK));
            }
        }
    }

    @Test
    void shouldStayWhenACommandDoesNotEnd() throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = io(target, admin, Digests.HEADER_AND_DATA))
        {
            final QueuePair queuePair = queuePair(admin);
            final byte[] data = TcpIoTest.random(16 * BLOCK, 3);
            host.sendCapsule(WireCommand.write(1, 0, 16, data.length), WirePdu.NOTHING);
            final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
            final byte[] pdu = WirePdu.h2cData(
                host.digests(), 1, ready.transferTag(), data, 0, data.length, true);
            final CompletableFuture<MoveOutcome> move = move(queuePair);
            assertEquals(MoveOutcome.MOVING, outcome(move(queuePair)), "one at a time");
            host.sendCapsule(WireCommand.read(2, 300, 1, BLOCK), WirePdu.NOTHING);
            host.sendRaw(pdu, 0, 1000);
            assertEquals(MoveOutcome.BUSY, outcome(move));
            // In the middle of the data; what was put aside begins when that is complete.
            host.sendRaw(pdu, 1000, pdu.length);
            host.expectSuccess(1);
            host.receiveRead(2);
            assertArrayEquals(data, host.read(3, 0, 16, data.length));
            assertEquals(MoveOutcome.MOVED, outcome(move(queuePair)));
            assertArrayEquals(data, host.read(4, 0, 16, data.length));
        }
    }

    @Test
    void shouldMoveWhileIoIsPaused() throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = io(target, admin, Digests.NONE))
        {
            final QueuePair queuePair = queuePair(admin);
            target.group(0).target().pause(true).join();
            final byte[] data = TcpIoTest.random(BLOCK, 4);
            for (int i = 1; i < DEPTH; i++)
            {
                host.sendCapsule(WireCommand.writeInCapsule(i, i, 1, BLOCK), data);
            }
            TargetFixture.await("a capsule to wait", () -> target.transport().counters().stalledCapsules() > 0);
            assertEquals(MoveOutcome.MOVED, outcome(move(queuePair)));
            assertEquals(MoveOutcome.MOVED, outcome(move(queuePair)));
            assertEquals(MoveOutcome.MOVED, outcome(move(queuePair)));
            target.group(0).target().pause(false).join();
            for (int i = 1; i < DEPTH; i++)
            {
                host.expectSuccess(i);
            }
            assertArrayEquals(data, host.read(1, DEPTH - 1, 1, BLOCK));
            assertEquals(1 + DEPTH, queuePair.commands());
        }
    }

    @Test
    void shouldSayThatTheConnectionIsGone() throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE))
        {
            final QueuePair queuePair;
            final CompletableFuture<MoveOutcome> move;
            try (TestHost host = io(target, admin, Digests.NONE))
            {
                queuePair = queuePair(admin);
                host.sendCapsule(WireCommand.write(1, 0, 16, 16 * BLOCK), WirePdu.NOTHING);
                host.expect(PduType.READY_TO_TRANSFER);
                move = move(queuePair);
            }
            assertEquals(MoveOutcome.GONE, outcome(move));
            assertEquals(MoveOutcome.GONE, outcome(move(queuePair)));
            TargetFixture.await("it not to be counted", () -> 1 == target.transport().connectionCount());
        }
    }

    @Test
    void shouldResetTheControllerOfAQueueOnTheWay() throws IOException
    {
        for (int round = 0; round < 50; round++)
        {
            try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
                TestHost host = io(target, admin, Digests.NONE))
            {
                final CompletableFuture<MoveOutcome> move = move(queuePair(admin));
                admin.sendCapsule(WireCommand.propertySet(9, 0x14, 0), WirePdu.NOTHING);
                admin.expectSuccess(9);
                host.expectEnd();
                host.socket().close();
                outcome(move);
                int ready = 1;
                for (int i = 0; i < 10_000 && 0 != ready; i++)
                {
                    admin.sendCapsule(WireCommand.propertyGet(10, 0x1C), WirePdu.NOTHING);
                    ready = admin.expect(PduType.CAPSULE_RESPONSE).result0() & 1;
                }
                assertEquals(0, ready, "its queues have been found");
            }
        }
        TargetFixture.await("all to be gone", () -> 0 == target.transport().connectionCount());
    }

    @Test
    void shouldSayThatTheOtherReactorIsFull() throws IOException
    {
        final TcpTransportConfig few = new TcpTransportConfig(8192, 128 << 10, 512 << 10, true,
            TcpTransportConfig.CONNECT_TIMEOUT_NS_DEFAULT, 1, 0, 0);
        try (TargetFixture full = new TargetFixture(2, few);
            TestHost admin = TestHost.admin(full.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = io(full, admin, Digests.NONE))
        {
            final QueuePair queuePair =
                full.group(0).target().subsystem(TargetFixture.NQN).queuePair(admin.controllerId(), 1);
            final CompletableFuture<MoveOutcome> move = full.transport()
                .move(queuePair, full.group(queuePair.owner() == full.group(0) ? 1 : 0));
            assertEquals(MoveOutcome.FULL, outcome(move));
            host.read(1, 0, 1, BLOCK);
            assertEquals(2, full.transport().connectionCount());
        }
    }
}
