package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.LaterDevice;
import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writes have all the slots that their connection may have, and more capsules come before the data of these writes: the
 * data is reached nevertheless, and every command ends.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CapsuleBehindSlotsTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int DEPTH = 128;
    private static final long STANDSTILL_NS = 20_000_000_000L;
    private static final CapacityLimits LIMITS = new CapacityLimits(CapacityLimits.REQUESTS_MIN, 16, 16, 16, 16, 4, 4);

    private final TargetFixture target = new TargetFixture(1, TcpTransportConfig.defaults(),
        new LaterDevice(BLOCK, TargetFixture.DEVICE_BYTES), 8L << 20, ReactorConfig.SPIN_NS_DEFAULT, LIMITS);

    @AfterEach
    void stop()
    {
        target.close();
    }

    @ParameterizedTest
    @EnumSource(Digests.class)
    void shouldReachTheDataBehindCapsulesThatWaitForSlots(final Digests digests) throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, DEPTH, digests))
        {
            final byte[] data = TcpIoTest.random(BLOCK, 1);
            final int writes = 100;
            for (int id = 0; id < writes; id++)
            {
                host.sendCapsule(WireCommand.write(id, id, 1, BLOCK), WirePdu.NOTHING);
            }
            int done = 0;
            while (done < writes)
            {
                final WirePdu next = host.receive();
                if (PduType.READY_TO_TRANSFER == next.type())
                {
                    host.send(WirePdu.h2cData(digests, next.commandId(), next.transferTag(), data, 0, BLOCK, true));
                }
                else
                {
                    assertEquals(0, next.status(), next.toString());
                    done++;
                }
            }
            for (int id = 0; id < writes; id++)
            {
                assertArrayEquals(data, host.read(id, id, 1, BLOCK));
            }
            assertTrue(target.group(0).requestWaitCount() > 0);
            TargetFixture.await("all slots back", () -> 0 == target.group(0).requestsInUse());
        }
    }

    /** What was put aside is looked at when its turn comes, as what has just come is. */
    @Test
    void shouldNotWriteDataThatIsWrongThoughItWaitedForASlot() throws IOException
    {
        final Digests digests = Digests.of(3);
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, DEPTH, digests))
        {
            final byte[] data = TcpIoTest.random(BLOCK, 1);
            final int writes = 100;
            final int last = writes - 1;
            for (int id = 0; id < last; id++)
            {
                host.sendCapsule(WireCommand.write(id, id, 1, BLOCK), WirePdu.NOTHING);
            }
            final byte[] wrong = WirePdu.capsule(digests, WireCommand.writeInCapsule(last, last, 1, BLOCK), data);
            wrong[wrong.length - 1] ^= 1;
            host.send(wrong);
            TargetFixture.await("all slots in use", () -> target.group(0).requestWaitCount() > 0);
            int done = 0;
            while (done < writes)
            {
                final WirePdu next = host.receive();
                if (PduType.READY_TO_TRANSFER == next.type())
                {
                    host.send(WirePdu.h2cData(digests, next.commandId(), next.transferTag(), data, 0, BLOCK, true));
                }
                else
                {
                    assertEquals(last == next.commandId() ? NvmeStatus.TRANSIENT_TRANSPORT_ERROR : 0,
                        NvmeStatus.code(next.status()), next.toString());
                    done++;
                }
            }
            assertArrayEquals(data, host.read(0, last - 1, 1, BLOCK));
            assertArrayEquals(new byte[BLOCK], host.read(0, last, 1, BLOCK));
        }
    }

    /** As many commands of all kinds as queues hold, on several queues, with their data late. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldEndEveryCommandOfEveryQueue(final long seed) throws IOException
    {
        final Random random = TestSeeds.random(seed);
        final int queues = 1 + random.nextInt(4);
        final int commands = 120;
        final List<TestHost> hosts = new ArrayList<>();
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE))
        {
            final int[] done = new int[queues];
            for (int queue = 0; queue < queues; queue++)
            {
                hosts.add(TestHost.io(target.address(), TargetFixture.NQN, admin, 1 + queue, DEPTH, Digests.NONE));
            }
            for (int id = 0; id < commands; id++)
            {
                for (int queue = 0; queue < queues; queue++)
                {
                    send(hosts.get(queue), random.nextInt(8), id, queue * commands + id);
                }
            }
            // Answers of one queue are taken until it has none for the moment, so that the others stand still.
            int left = queues * commands;
            long deadlineNs = System.nanoTime() + STANDSTILL_NS;
            while (left > 0)
            {
                assertTrue(System.nanoTime() - deadlineNs < 0, left + " commands do not end");
                for (int queue = 0; queue < queues; queue++)
                {
                    if (done[queue] < commands && 0 != hosts.get(queue).available())
                    {
                        final int ended = answer(hosts.get(queue));
                        deadlineNs = System.nanoTime() + STANDSTILL_NS;
                        done[queue] += ended;
                        left -= ended;
                    }
                }
            }
            TargetFixture.await("all slots back", () -> 0 == target.group(0).requestsInUse());
            for (final TestHost host : hosts)
            {
                host.writeInCapsule(1, 0, 1, new byte[BLOCK]);
            }
        }
        finally
        {
            hosts.forEach(TestHost::close);
        }
    }

    private static void send(final TestHost host, final int kind, final int id, final long lba) throws IOException
    {
        switch (kind)
        {
            case 0 -> host.sendCapsule(WireCommand.read(id, lba, 1, BLOCK), WirePdu.NOTHING);
            case 1, 2 -> host.sendCapsule(WireCommand.writeInCapsule(id, lba, 1, BLOCK), new byte[BLOCK]);
            default -> host.sendCapsule(WireCommand.write(id, lba, 1, BLOCK), WirePdu.NOTHING);
        }
    }

    /** Takes one PDU; how many commands it ends. */
    private static int answer(final TestHost host) throws IOException
    {
        final WirePdu next = host.receive();
        if (PduType.READY_TO_TRANSFER == next.type())
        {
            host.send(WirePdu.h2cData(
                Digests.NONE, next.commandId(), next.transferTag(), new byte[BLOCK], 0, BLOCK, true));
            return 0;
        }
        if (PduType.C2H_DATA == next.type())
        {
            return next.has(CommonHeader.FLAG_SUCCESS) ? 1 : 0;
        }
        assertEquals(0, next.status(), next.toString());
        return 1;
    }

    @Test
    void shouldEndAHostThatSendsMoreCommandsThanItsQueueHolds() throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, DEPTH, Digests.NONE))
        {
            for (int id = 0; id <= DEPTH; id++)
            {
                host.sendCapsule(WireCommand.write(id, id, 1, BLOCK), WirePdu.NOTHING);
            }
            WirePdu next = host.receive();
            while (PduType.READY_TO_TRANSFER == next.type())
            {
                next = host.receive();
            }
            assertEquals(PduType.C2H_TERM_REQ, next.type(), next.toString());
        }
        TargetFixture.await("all slots back", () -> 0 == target.group(0).requestsInUse());
    }
}
