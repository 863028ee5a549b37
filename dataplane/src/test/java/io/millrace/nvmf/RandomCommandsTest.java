package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.queue.AsyncEvents;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whatever bytes a host sends for commands: each is answered exactly once, within seconds and with a status that the
 * command allows, or the connection ends; nothing is thrown on the reactor and nothing is left behind. The transport of
 * {@link TestHost} fails on a second answer, {@link TestReactor} on what is left.
 */
class RandomCommandsTest
{
    private static final int COMMANDS = 64;
    /** With so many hosts each command was valid once. */
    private static final int HOSTS_FOR_ALL = 50;
    private static final int BLOCKS = 2048;
    private static final int BLOCK_BYTES = 512;
    private static final int[] IO_OPCODES = {
        IoOpcode.FLUSH, IoOpcode.WRITE, IoOpcode.READ, IoOpcode.COMPARE, IoOpcode.WRITE_ZEROES,
        IoOpcode.DATASET_MANAGEMENT, IoOpcode.FABRICS};
    private static final int[] ADMIN_OPCODES = {
        AdminOpcode.GET_LOG_PAGE, AdminOpcode.IDENTIFY, AdminOpcode.ABORT, AdminOpcode.SET_FEATURES,
        AdminOpcode.GET_FEATURES, AdminOpcode.ASYNC_EVENT_REQUEST, AdminOpcode.KEEP_ALIVE, AdminOpcode.FABRICS};
    private static final int[] DISCOVERY_OPCODES =
        IntStream.of(ADMIN_OPCODES).filter((opcode) -> AdminOpcode.ABORT != opcode).toArray();
    private static final int[] LOG_PAGES = {
        LogPageId.SUPPORTED_LOG_PAGES, LogPageId.ERROR_INFORMATION, LogPageId.SMART, LogPageId.ANA,
        LogPageId.DISCOVERY};
    private static final Set<Integer> ERRORS_OF_ANY = Set.of(
        NvmeStatus.INVALID_FIELD, NvmeStatus.INVALID_NAMESPACE, NvmeStatus.DATA_SGL_LENGTH_INVALID,
        NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID, NvmeStatus.SGL_OFFSET_INVALID);
    private static final Set<Integer> FEATURE_ERRORS = Set.of(
        NvmeStatus.FEATURE_NOT_CHANGEABLE, NvmeStatus.FEATURE_NOT_SAVEABLE, NvmeStatus.FEATURE_NOT_NAMESPACE_SPECIFIC,
        NvmeStatus.COMMAND_SEQUENCE_ERROR, NvmeStatus.KEEP_ALIVE_INVALID, NvmeStatus.HOST_ID_INCONSISTENT_FORMAT);
    private static final Set<Integer> EVENT_ERRORS =
        Set.of(NvmeStatus.ASYNC_EVENT_LIMIT_EXCEEDED, NvmeStatus.ABORT_REQUESTED);
    private static final Set<Integer> FABRICS_STATUSES = Set.of(
        NvmeStatus.SUCCESS, NvmeStatus.INVALID_OPCODE, NvmeStatus.INVALID_FIELD, NvmeStatus.COMMAND_SEQUENCE_ERROR,
        NvmeStatus.DATA_SGL_LENGTH_INVALID, NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID, NvmeStatus.SGL_OFFSET_INVALID,
        NvmeStatus.CONNECT_INCOMPATIBLE_FORMAT, NvmeStatus.CONNECT_INVALID_PARAMETERS,
        NvmeStatus.CONNECT_INVALID_HOST, NvmeStatus.INVALID_QUEUE_TYPE);
    private static final Set<Integer> HAS_RANGE = Set.of(
        IoOpcode.WRITE, IoOpcode.READ, IoOpcode.COMPARE, IoOpcode.WRITE_ZEROES, IoOpcode.VERIFY);

    private final Set<Integer> succeeded = new HashSet<>();
    private int[] mustSucceed = {};
    private int verified;
    private TestTarget target;

    @BeforeProperty
    void open()
    {
        target = new TestTarget(2, MemoryDevice.create("mem0", BLOCKS * BLOCK_BYTES, BLOCK_BYTES));
    }

    @AfterProperty
    void close()
    {
        target.close();
        // Not of a property that failed or was shrunk to a single sample.
        for (final int opcode : verified >= HOSTS_FOR_ALL ? mustSucceed : new int[0])
        {
            assertTrue(succeeded.contains(opcode), () -> "no command of opcode " + opcode + " was executed");
        }
    }

    @Property(tries = 60)
    void shouldAnswerAnyBytesOnAnIoQueue(@ForAll final long seed, @ForAll @IntRange(max = 100) final int chaosPercent)
    {
        final TestHost admin = target.admin();
        send(target.io(admin, 1, 1), Queue.IO, TestSeeds.fixed(seed), chaosPercent, IO_OPCODES);
        admin.close();
    }

    @Property(tries = 60)
    void shouldAnswerAnyBytesOnAnAdminQueue(
        @ForAll final long seed, @ForAll @IntRange(max = 100) final int chaosPercent)
    {
        final TestHost admin = target.admin();
        send(admin, Queue.ADMIN, TestSeeds.fixed(seed), chaosPercent, ADMIN_OPCODES);
    }

    @Property(tries = 60)
    void shouldAnswerAnyBytesOnADiscoveryQueue(
        @ForAll final long seed, @ForAll @IntRange(max = 100) final int chaosPercent)
    {
        send(
            target.admin(Nqn.DISCOVERY), Queue.DISCOVERY, TestSeeds.fixed(seed), chaosPercent, DISCOVERY_OPCODES);
    }

    @Property(tries = 60)
    void shouldAnswerAnyBytesBeforeConnect(@ForAll final long seed, @ForAll @IntRange(max = 100) final int chaosPercent)
    {
        final int[] opcodes = {AdminOpcode.FABRICS};
        send(target.connection(), Queue.UNCONNECTED, TestSeeds.fixed(seed), chaosPercent, opcodes);
    }

    @Property(tries = 200)
    void shouldAnswerAnyConnect(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
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

    /** A command and its answer to be. */
    private record Sent(int opcode, int nsid, long endLba, CompletableFuture<Completion> answer)
    {
        static Sent of(final SubmissionQueueEntry entry, final CompletableFuture<Completion> answer)
        {
            return new Sent(
                entry.opcode(), entry.namespaceId(), entry.startingLba() + (entry.cdw12() & 0xFFFF) + 1, answer);
        }
    }

    /** What a command may be answered with depends on where it arrives. */
    private enum Queue
    {
        IO(Map.of(
            IoOpcode.FLUSH, Set.of(),
            IoOpcode.WRITE, Set.of(NvmeStatus.LBA_OUT_OF_RANGE),
            IoOpcode.READ, Set.of(NvmeStatus.LBA_OUT_OF_RANGE),
            IoOpcode.COMPARE, Set.of(NvmeStatus.LBA_OUT_OF_RANGE, NvmeStatus.COMPARE_FAILURE),
            IoOpcode.WRITE_ZEROES, Set.of(NvmeStatus.LBA_OUT_OF_RANGE),
            IoOpcode.DATASET_MANAGEMENT, Set.of(NvmeStatus.LBA_OUT_OF_RANGE),
            IoOpcode.VERIFY, Set.of(NvmeStatus.LBA_OUT_OF_RANGE),
            IoOpcode.COPY, Set.of(NvmeStatus.LBA_OUT_OF_RANGE, NvmeStatus.COMMAND_SIZE_LIMIT_EXCEEDED))),
        ADMIN(Map.of(
            AdminOpcode.GET_LOG_PAGE, Set.of(NvmeStatus.INVALID_LOG_PAGE),
            AdminOpcode.IDENTIFY, Set.of(),
            AdminOpcode.ABORT, Set.of(NvmeStatus.ABORT_LIMIT_EXCEEDED),
            AdminOpcode.SET_FEATURES, FEATURE_ERRORS,
            AdminOpcode.GET_FEATURES, FEATURE_ERRORS,
            AdminOpcode.ASYNC_EVENT_REQUEST, EVENT_ERRORS,
            AdminOpcode.KEEP_ALIVE, Set.of())),
        DISCOVERY(Map.of(
            AdminOpcode.GET_LOG_PAGE, Set.of(NvmeStatus.INVALID_LOG_PAGE),
            AdminOpcode.IDENTIFY, Set.of(),
            AdminOpcode.SET_FEATURES, FEATURE_ERRORS,
            AdminOpcode.GET_FEATURES, FEATURE_ERRORS,
            AdminOpcode.ASYNC_EVENT_REQUEST, EVENT_ERRORS,
            AdminOpcode.KEEP_ALIVE, Set.of())),
        UNCONNECTED(Map.of());

        /** Statuses of commands that are known, beyond those of any command. */
        private final Map<Integer, Set<Integer>> known;

        Queue(final Map<Integer, Set<Integer>> known)
        {
            this.known = known;
        }

        boolean holdsEvents()
        {
            return known.containsKey(AdminOpcode.ASYNC_EVENT_REQUEST) && IO != this;
        }

        /** Whether such a command, if valid, ends with success by itself. */
        boolean completes(final int opcode)
        {
            return known.containsKey(opcode) && !(holdsEvents() && AdminOpcode.ASYNC_EVENT_REQUEST == opcode);
        }

        boolean allows(final Sent command, final int status)
        {
            if (AdminOpcode.FABRICS == command.opcode())
            {
                return FABRICS_STATUSES.contains(status);
            }
            if (UNCONNECTED == this)
            {
                return NvmeStatus.COMMAND_SEQUENCE_ERROR == status;
            }
            final Set<Integer> own = known.get(command.opcode());
            if (null == own)
            {
                return NvmeStatus.INVALID_OPCODE == status;
            }
            return NvmeStatus.SUCCESS == status ? mayEndWell(command) :
                own.contains(status) || ERRORS_OF_ANY.contains(status);
        }

        private boolean mayEndWell(final Sent command)
        {
            return IO != this || 1 == command.nsid() &&
                (!HAS_RANGE.contains(command.opcode()) || command.endLba() > 0 && command.endLba() <= BLOCKS);
        }
    }

    private void send(
        final TestHost host, final Queue queue, final Random random, final int chaosPercent, final int[] opcodes)
    {
        mustSucceed = IntStream.of(opcodes).filter(queue::completes).toArray();
        host.holdData(random.nextBoolean());
        final List<Sent> commands = new ArrayList<>();
        for (int i = 0; i < COMMANDS && null == host.disconnectReason(); i++)
        {
            final boolean isChaos = random.nextInt(100) < chaosPercent;
            final byte[] payload = payload(random);
            final SubmissionQueueEntry[] sent = new SubmissionQueueEntry[1];
            final CompletableFuture<Completion> answer = host.submit((entry) ->
            {
                randomize(entry, random, isChaos, Queue.IO != queue, opcodes);
                sent[0] = copy(entry);
            }, payload, null != payload && random.nextBoolean());
            commands.add(Sent.of(sent[0], answer));
            if (0 == random.nextInt(8))
            {
                host.deliverHeld();
            }
            TestTarget.await("capsule taken", () -> null != host.disconnectReason() || host.retryCapsule());
        }
        host.holdData(false);
        host.deliverHeld();
        verify(host, queue, commands);
        verified++;
        host.close();
    }

    /** Each has its one answer while the connection lives; only Asynchronous Event Requests may wait for events. */
    private void verify(final TestHost host, final Queue queue, final List<Sent> commands)
    {
        final Predicate<Sent> mayWait = (command) -> queue.holdsEvents() &&
            AdminOpcode.ASYNC_EVENT_REQUEST == command.opcode();
        TestTarget.await("an answer to each command", () -> null != host.disconnectReason() ||
            commands.stream().filter((each) -> !each.answer().isDone()).allMatch(mayWait) &&
            commands.stream().filter((each) -> !each.answer().isDone()).count() <= AsyncEvents.REQUESTS_MAX);
        for (final Sent command : commands)
        {
            if (Future.State.SUCCESS == command.answer().state())
            {
                final int status = command.answer().join().code();
                assertTrue(queue.allows(command, status),
                    () -> command + " on " + queue + " queue: " + command.answer().join());
                if (NvmeStatus.SUCCESS == status)
                {
                    succeeded.add(command.opcode());
                }
            }
        }
    }

    /** None, one of whole blocks, or one of any length. */
    private static byte[] payload(final Random random)
    {
        final int blocks = 1 + random.nextInt(TestHost.IN_CAPSULE_BYTES / BLOCK_BYTES);
        final byte[] payload = switch (random.nextInt(4))
        {
            case 0 -> new byte[random.nextInt(TestHost.IN_CAPSULE_BYTES)];
            case 1 -> new byte[blocks * BLOCK_BYTES];
            default -> null;
        };
        if (null != payload)
        {
            random.nextBytes(payload);
        }
        return payload;
    }

    private static SubmissionQueueEntry copy(final SubmissionQueueEntry entry)
    {
        final byte[] bytes = new byte[SubmissionQueueEntry.SIZE_BYTES];
        entry.buffer().getBytes(entry.offset(), bytes);
        final SubmissionQueueEntry copy = new SubmissionQueueEntry();
        copy.wrap(new UnsafeBuffer(bytes), 0);
        return copy;
    }

    private static void randomize(
        final SubmissionQueueEntry entry,
        final Random random,
        final boolean isChaos,
        final boolean isAdmin,
        final int[] opcodes)
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
            if (isAdmin && random.nextBoolean())
            {
                completeAdmin(entry, random);
            }
            else if (!isAdmin && 0 == entry.sglLength() % BLOCK_BYTES && random.nextBoolean())
            {
                entry.cdw12(entry.sglLength() / BLOCK_BYTES - 1).cdw13(0).cdw14(0);
            }
        }
    }

    /** Random fields alone hardly ever make a command that has a whole answer. */
    private static void completeAdmin(final SubmissionQueueEntry entry, final Random random)
    {
        if (AdminOpcode.GET_LOG_PAGE == entry.opcode())
        {
            final int dwords = 128 << random.nextInt(3);
            entry.namespaceId(0).cdw10(LOG_PAGES[random.nextInt(LOG_PAGES.length)] | (dwords - 1) << 16).cdw11(0)
                .cdw12(0).cdw13(0).cdw14(0).sglLength(Integer.BYTES * dwords);
        }
        else if (AdminOpcode.IDENTIFY == entry.opcode())
        {
            entry.namespaceId(0).cdw10(IdentifyCns.CONTROLLER).cdw11(0).sglLength(IdentifyController.SIZE_BYTES);
        }
        else if (AdminOpcode.SET_FEATURES == entry.opcode() || AdminOpcode.GET_FEATURES == entry.opcode())
        {
            entry.namespaceId(0).cdw10(FeatureId.ASYNC_EVENT_CONFIGURATION).cdw11(0);
        }
    }
}
