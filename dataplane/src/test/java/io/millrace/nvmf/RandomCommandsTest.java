package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.queue.AsyncEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

/**
 * Whatever bytes a host sends for commands: each is answered exactly once, or the connection ends; nothing is thrown on
 * the reactor and nothing is left behind. The transport of {@link TestHost} fails on a second answer,
 * {@link TestReactor} on what is left.
 */
class RandomCommandsTest
{
    private static final int COMMANDS = 64;

    private TestTarget target;

    @BeforeProperty
    void open()
    {
        target = new TestTarget(2, MemoryDevice.create("mem0", 1 << 20, 512));
    }

    @AfterProperty
    void close()
    {
        target.close();
    }

    @Property(tries = 60)
    void shouldAnswerAnyBytesOnAnIoQueue(@ForAll final long seed, @ForAll @IntRange(max = 100) final int chaosPercent)
    {
        final TestHost admin = target.admin();
        send(target.io(admin, 1, 1), new Random(seed), chaosPercent, new int[]{0, 1, 2, 5, 8, 9, 0x7F});
        admin.close();
    }

    @Property(tries = 60)
    void shouldAnswerAnyBytesOnAnAdminQueue(
        @ForAll final long seed, @ForAll @IntRange(max = 100) final int chaosPercent)
    {
        final TestHost admin = target.admin();
        send(admin, new Random(seed), chaosPercent, new int[]{2, 6, 8, 9, 10, 12, 0x18, 0x7F});
    }

    @Property(tries = 30)
    void shouldAnswerAnyBytesOnADiscoveryQueue(
        @ForAll final long seed, @ForAll @IntRange(max = 100) final int chaosPercent)
    {
        send(target.admin(Nqn.DISCOVERY), new Random(seed), chaosPercent, new int[]{2, 6, 9, 10, 12, 0x18, 0x7F});
    }

    @Property(tries = 60)
    void shouldAnswerAnyBytesBeforeConnect(@ForAll final long seed, @ForAll @IntRange(max = 100) final int chaosPercent)
    {
        send(target.connection(), new Random(seed), chaosPercent, new int[]{0x7F});
    }

    @Property(tries = 200)
    void shouldAnswerAnyConnect(@ForAll final long seed)
    {
        final Random random = new Random(seed);
        final TestHost host = target.connection();
        for (int i = 0; i < 4; i++)
        {
            final byte[] data = new byte[ConnectData.SIZE_BYTES];
            random.nextBytes(data);
            host.execute((entry) ->
            {
                for (int offset = 40; offset < 64; offset++)
                {
                    entry.buffer().putByte(entry.offset() + offset, (byte)random.nextInt());
                }
                entry.opcode(AdminOpcode.FABRICS).namespaceId(FabricsType.CONNECT);
            }, data, random.nextBoolean());
            host.connect(random.nextBoolean() ? TestTarget.NQN : Nqn.DISCOVERY, random.nextInt(3),
                random.nextBoolean() ? ConnectData.CONTROLLER_ID_DYNAMIC : random.nextInt(4));
        }
        host.close();
    }

    private void send(final TestHost host, final Random random, final int chaosPercent, final int[] opcodes)
    {
        host.holdData(random.nextBoolean());
        final List<CompletableFuture<Completion>> answers = new ArrayList<>();
        for (int i = 0; i < COMMANDS && null == host.disconnectReason(); i++)
        {
            final boolean isChaos = random.nextInt(100) < chaosPercent;
            final byte[] payload = random.nextBoolean() ? new byte[random.nextInt(TestHost.IN_CAPSULE_BYTES)] : null;
            if (null != payload)
            {
                random.nextBytes(payload);
            }
            answers.add(host.submit((entry) -> randomize(entry, random, isChaos, opcodes), payload,
                null != payload && random.nextBoolean()));
            if (0 == random.nextInt(8))
            {
                host.deliverHeld();
            }
            TestTarget.await("capsule taken", () -> null != host.disconnectReason() || host.retryCapsule());
        }
        host.holdData(false);
        host.deliverHeld();
        settle(host, answers);
        host.close();
        for (final CompletableFuture<Completion> answer : answers)
        {
            if (!answer.isDone())
            {
                throw new AssertionError("neither answered nor disconnected");
            }
        }
    }

    /** Waits for what is at devices; Asynchronous Event Requests stay. */
    private static void settle(final TestHost host, final List<CompletableFuture<Completion>> answers)
    {
        int held = 0;
        for (final CompletableFuture<Completion> answer : answers)
        {
            if (!answer.isDone() && held < AsyncEvents.REQUESTS_MAX)
            {
                try
                {
                    answer.get(20, TimeUnit.MILLISECONDS);
                }
                catch (final ExecutionException e)
                {
                    assertEquals(IllegalStateException.class, e.getCause().getClass());
                }
                catch (final InterruptedException | TimeoutException e)
                {
                    held++;
                }
            }
        }
    }

    private static void randomize(
        final SubmissionQueueEntry entry, final Random random, final boolean isChaos, final int[] opcodes)
    {
        final int commandId = entry.commandId();
        final int sglLength = entry.sglLength();
        final int sglType = entry.sglType();
        for (int offset = 0; offset < SubmissionQueueEntry.SIZE_BYTES; offset++)
        {
            entry.buffer().putByte(entry.offset() + offset, (byte)random.nextInt());
        }
        // Identifiers are the host's own business; duplicates have their own test.
        entry.commandId(commandId);
        if (!isChaos)
        {
            entry.opcode(opcodes[random.nextInt(opcodes.length)]).flags(SglDescriptor.FLAGS_PSDT_SGL)
                .namespaceId(random.nextInt(3)).sglType(sglType).sglAddress(0)
                .sglLength(sglLength > 0 ? sglLength : 512 << random.nextInt(4));
            entry.startingLba(random.nextInt(2100)).cdw12(random.nextInt(9) | (random.nextInt(2) << 30));
            if (0 == random.nextInt(4))
            {
                entry.cdw10(random.nextInt(0x20)).cdw11(random.nextInt(8)).cdw13(0).cdw14(0);
            }
        }
    }
}
