package io.millrace.lab.attack;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.TargetProcess;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Hosts and devices that take the I/O buffers of a data plane, which was started as a user starts it, and keep them:
 * bystanders, one on each reactor, whose every I/O needs a buffer, go on, and new hosts connect.
 */
final class BufferAttackTest
{
    static final int BLOCK = 512;

    private static final String NQN = TargetProcess.NQN;
    private static final boolean IS_LONG = "long".equals(System.getProperty("millrace.attack"));
    private static final int HUNG_NSID = 2;
    private static final int NSID_ALL = -1;
    private static final int LARGE_BYTES = 1 << 20;
    private static final int SMALL_BYTES = 4096;
    private static final int SHARED_BYTES = 128 << 10;
    private static final int QUEUES = 6;
    private static final int DEPTH = 128;
    private static final long BYSTANDER_LBA = 65_536;
    private static final long RATE_MS = IS_LONG ? 20_000 : 1_500;
    /** A bystander that does less than this part of what it did before is held up, not only disturbed. */
    private static final int RATE_PART = 10;

    private final List<PooledBystander> bystanders = new ArrayList<>();
    private final List<AttackHost> attackers = new ArrayList<>();
    private TargetProcess target;

    @BeforeEach
    void start() throws IOException
    {
        target = TargetProcess.start("buffer-attack", List.of(
            "{name: mem, type: memory, size: 64MiB, block-size: 512}",
            "{name: shown, type: fault, base: mem, rules: [{effect: error, first-block: 131071, probability: 0.5}]}",
            "{name: mem2, type: memory, size: 16MiB, block-size: 512}",
            "{name: hung, type: fault, base: mem2, rules: [{effect: hang}]}"), "shown", "hung");
        for (int i = 0; i < 2; i++)
        {
            bystanders.add(new PooledBystander(
                target.port(), "127.0.0." + (90 + i), NQN, BYSTANDER_LBA + 1024L * i, SMALL_BYTES));
        }
    }

    @AfterEach
    void stop()
    {
        attackers.forEach(AttackHost::close);
        bystanders.forEach(PooledBystander::close);
        if (null != target)
        {
            target.close();
        }
    }

    /** Writes on six connections whose data never comes. */
    @Test
    void stoppedWriter() throws Exception
    {
        attack("stopped writer", () -> queues(0, IoOpcode.WRITE));
    }

    /** The same under a dozen names that one address invents. */
    @Test
    void inventedNames() throws Exception
    {
        attack("stopped writers with twelve names", () ->
        {
            for (int name = 0; name < 12; name++)
            {
                final AttackHost admin = AttackHost.admin(target.port(), "127.0.0.2", 0, "invented-" + name, NQN);
                attackers.add(admin);
                writes(admin, 1);
                writes(admin, 2);
            }
        });
    }

    /** Twelve addresses, each of which takes all that it gets and stops. */
    @Test
    void twelveAddresses() throws Exception
    {
        addresses(12);
    }

    /** Fifty of them. */
    @Test
    void fiftyAddresses() throws Exception
    {
        addresses(50);
    }

    /**
     * Beside the bystanders of all tests one with large blocks, which is not measured against what it did before: it
     * has to go on in parts.
     */
    private void addresses(final int count) throws Exception
    {
        final PooledBystander large = new PooledBystander(
            target.port(), "127.0.0.92", NQN, BYSTANDER_LBA + 4096, SHARED_BYTES);
        try (large)
        {
            final long before = large.rate(RATE_MS);
            attack("stopped writers at " + count + " addresses", () ->
            {
                for (int i = 0; i < count; i++)
                {
                    stopAt("127.0.0." + (100 + i));
                }
            }, () ->
            {
                final long during = large.rate(RATE_MS);
                System.out.println("with blocks of 128 KiB: before " + before + ", during " + during);
                assertTrue(during >= 1, "large transfers make no progress");
            });
        }
    }

    private void stopAt(final String address) throws IOException
    {
        final AttackHost admin = AttackHost.admin(target.port(), address, NQN);
        attackers.add(admin);
        for (int queue = 1; queue <= QUEUES; queue++)
        {
            // First large ones, then what still fits.
            final int lengthBytes = queue <= 2 ? LARGE_BYTES : queue <= 4 ? SHARED_BYTES : SMALL_BYTES;
            final AttackHost host = admin.io(NQN, queue, DEPTH, 0);
            attackers.add(host);
            for (int id = 0; id < DEPTH - 1; id++)
            {
                host.send(AttackHost.capsule(command(
                    IoOpcode.WRITE, id, 1, SglDescriptor.TRANSPORT_DATA_BLOCK, lengthBytes), AttackHost.NOTHING));
            }
        }
    }

    /** Admin queues of one address under many names, which ask for the longest log pages and take none. */
    @Test
    void adminAnswersNotTaken() throws Exception
    {
        attack("100 admin queues that take no answers", () ->
        {
            for (int name = 0; name < 100; name++)
            {
                final AttackHost admin = AttackHost.admin(target.port(), "127.0.0.2", 2048, "invented-" + name, NQN);
                attackers.add(admin);
                for (int id = 0; id < 30; id++)
                {
                    final byte[] getLogPage = AttackHost.entry(AdminOpcode.GET_LOG_PAGE, id, NSID_ALL,
                        SglDescriptor.TRANSPORT_DATA_BLOCK, LARGE_BYTES);
                    final int dwords = LARGE_BYTES / Integer.BYTES - 1;
                    view(getLogPage).cdw10(LogPageId.ERROR_INFORMATION | dwords << 16).cdw11(dwords >>> 16);
                    admin.send(AttackHost.capsule(getLogPage, AttackHost.NOTHING));
                }
            }
        });
    }

    /** Reads on six connections whose answers nobody takes. */
    @Test
    void nonReadingHost() throws Exception
    {
        attack("host that takes no answers", () -> queues(2048, IoOpcode.READ));
    }

    /** Connections before Connect that ask for their Connect data to be fetched, each as often as it may. */
    @Test
    void unadmittedConnections() throws Exception
    {
        attack("1,200 connections not admitted", () ->
        {
            int refused = 0;
            for (int i = 0; i < 1_200; i++)
            {
                try
                {
                    sendConnects("127.0.0." + (2 + i % 50));
                }
                catch (final IOException e)
                {
                    // Beyond limits.pending-connections: closed when it is accepted.
                    refused++;
                }
            }
            assertTrue(refused < 400, refused + " of 1,200 were refused");
        });
    }

    private void sendConnects(final String address) throws IOException
    {
        final AttackHost host = AttackHost.open(target.port(), address, 0);
        attackers.add(host);
        host.initialize();
        for (int id = 0; id < 31; id++)
        {
            final byte[] connect = AttackHost.connect(id, 0, 32);
            view(connect).sglType(SglDescriptor.TRANSPORT_DATA_BLOCK).sglLength(ConnectData.SIZE_BYTES);
            host.send(AttackHost.capsule(connect, AttackHost.NOTHING));
        }
    }

    /** A namespace whose device answers nothing, used by another host, and by the bystanders themselves. */
    @Test
    void hungDevice() throws Exception
    {
        attack("hung device", () ->
        {
            final AttackHost admin = admin();
            for (int queue = 1; queue <= QUEUES; queue++)
            {
                final AttackHost host = admin.io(NQN, queue, DEPTH, 0);
                attackers.add(host);
                for (int id = 0; id < DEPTH - 1; id++)
                {
                    host.send(AttackHost.capsule(command(IoOpcode.READ, id, HUNG_NSID,
                        SglDescriptor.TRANSPORT_DATA_BLOCK, LARGE_BYTES), AttackHost.NOTHING));
                }
            }
            bystanders.forEach((each) -> each.readAside(HUNG_NSID));
        });
    }

    private AttackHost admin() throws IOException
    {
        final AttackHost admin = AttackHost.admin(target.port(), "127.0.0.2", NQN);
        attackers.add(admin);
        return admin;
    }

    private void writes(final AttackHost admin, final int queue) throws IOException
    {
        final AttackHost host = admin.io(NQN, queue, DEPTH, 0);
        attackers.add(host);
        for (int id = 0; id < DEPTH - 1; id++)
        {
            host.send(AttackHost.capsule(command(
                IoOpcode.WRITE, id, 1, SglDescriptor.TRANSPORT_DATA_BLOCK, SHARED_BYTES), AttackHost.NOTHING));
        }
    }

    private void queues(final int receiveBufferBytes, final int opcode) throws IOException
    {
        final AttackHost admin = admin();
        for (int queue = 1; queue <= QUEUES; queue++)
        {
            final AttackHost host = admin.io(NQN, queue, DEPTH, receiveBufferBytes);
            attackers.add(host);
            for (int id = 0; id < DEPTH - 1; id++)
            {
                host.send(AttackHost.capsule(
                    command(opcode, id, 1, SglDescriptor.TRANSPORT_DATA_BLOCK, LARGE_BYTES), AttackHost.NOTHING));
            }
        }
    }

    /** What an attack does first; then it keeps what it has. Or what is looked at then. */
    private interface Beginning
    {
        void run() throws Exception;
    }

    private void attack(final String name, final Beginning beginning) throws Exception
    {
        attack(name, beginning, () ->
        {
        });
    }

    private void attack(final String name, final Beginning beginning, final Beginning meanwhile) throws Exception
    {
        final long[] before = rates();
        beginning.run();
        takeLongest();
        final long[] during = rates();
        final long longestMs = takeLongest();
        meanwhile.run();
        expectNewHost();
        attackers.forEach(AttackHost::close);
        final long[] after = rates();
        System.out.println(name + ": verified pairs a second of each bystander: before " + text(before) +
            ", during " + text(during) + ", after " + text(after) + "; longest during " + longestMs + " ms");
        for (int i = 0; i < before.length; i++)
        {
            assertTrue(during[i] >= before[i] / RATE_PART, "bystander " + i + " was held up: before " + before[i] +
                ", during " + during[i] + " pairs a second");
            assertTrue(after[i] >= before[i] / RATE_PART, "bystander " + i + " is held up afterwards: before " +
                before[i] + ", after " + after[i] + " pairs a second");
        }
        assertTrue(target.isAlive(), "the target has ended:\n" + Files.readString(target.log()));
    }

    /** A host that comes during the attack: Connect, admin commands, I/O. */
    private void expectNewHost() throws IOException
    {
        final long startNs = System.nanoTime();
        try (AttackHost admin = AttackHost.admin(target.port(), "127.0.0.80", NQN);
            AttackHost io = admin.io(NQN, 1, DEPTH, 0))
        {
            final byte[] identify = AttackHost.entry(
                AdminOpcode.IDENTIFY, 9, 0, SglDescriptor.TRANSPORT_DATA_BLOCK, 4096);
            view(identify).cdw10(1);
            admin.send(AttackHost.capsule(identify, AttackHost.NOTHING));
            assertTrue(4096 == admin.receive().lengthBytes());
            io.send(AttackHost.capsule(AttackHost.read(1, 0, 8, 4096), AttackHost.NOTHING));
            assertTrue(4096 == io.receive().lengthBytes());
        }
        final long tookMs = (System.nanoTime() - startNs) / 1_000_000;
        assertTrue(tookMs < 3_000, "a new host took " + tookMs + " ms");
    }

    private long[] rates() throws InterruptedException
    {
        final long[] rates = new long[bystanders.size()];
        for (int i = 0; i < rates.length; i++)
        {
            rates[i] = bystanders.get(i).rate(RATE_MS);
        }
        return rates;
    }

    private long takeLongest()
    {
        return bystanders.stream().mapToLong(PooledBystander::takeLongestMs).max().orElseThrow();
    }

    private static String text(final long[] rates)
    {
        return rates[0] + " and " + rates[1];
    }

    static byte[] command(
        final int opcode, final int commandId, final int nsid, final int sglType, final int lengthBytes)
    {
        final byte[] bytes = AttackHost.entry(opcode, commandId, nsid, sglType, lengthBytes);
        view(bytes).startingLba(0).cdw12(lengthBytes / BLOCK - 1);
        return bytes;
    }

    private static SubmissionQueueEntry view(final byte[] bytes)
    {
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(bytes), 0);
        return entry;
    }
}
