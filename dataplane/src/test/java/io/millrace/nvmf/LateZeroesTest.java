package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.queue.QueuePairState;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Emulated Write Zeroes that nobody wants any more: what they still do to the device. */
class LateZeroesTest
{
    private static final int COMMANDS = 40;
    private static final int CAPACITY = 4;
    /** Commands that are emulated at once. */
    private static final int EMULATED = 8;
    private static final int MANUAL = 2;
    /** More than four parts of 128 KiB. */
    private static final int LARGE_BLOCKS = 0x1000;

    private final ManualDevice device = new ManualDevice(ManualDevice.create(CAPACITY).geometry().toBuilder()
        .supportsWriteZeroes(false).build(), CAPACITY);
    private final TestTarget target = new TestTarget(1);
    private final Namespace namespace = new Namespace(MANUAL, device, UUID.randomUUID());
    private TestHost admin;
    private TestHost host;

    @AfterEach
    void close()
    {
        target.close();
    }

    private void connect()
    {
        target.subsystem().addNamespace(namespace);
        admin = target.admin();
        host = target.io(admin, 1);
    }

    private List<CompletableFuture<Completion>> submit(final int opcode, final int commands, final int blocks)
    {
        final List<CompletableFuture<Completion>> answers = new ArrayList<>();
        for (int i = 0; i < commands; i++)
        {
            final int lba = i;
            answers.add(IoOpcode.WRITE == opcode ?
                host.submit(
                    (entry) -> entry.opcode(opcode).namespaceId(MANUAL).cdw10(lba).cdw12(0), new byte[512], false) :
                host.submit((entry) -> entry.opcode(opcode).namespaceId(MANUAL).cdw10(lba).cdw12(blocks - 1)));
        }
        TestTarget.await("at the device", () -> CAPACITY == target.reactor(0).call(device::waiting));
        return answers;
    }

    /** Completes what the device has and gets, and returns how much that was. */
    private int completeAll()
    {
        int count = 0;
        for (int idle = 0; idle < 50; idle++)
        {
            if (target.reactor(0).call(() -> null != device.first()))
            {
                count++;
                idle = 0;
                target.reactor(0).run(() -> device.completeFirst(BlockStatus.SUCCESS));
            }
            target.reactor(0).run(() ->
            {
            });
        }
        return count;
    }

    private long abort(final int commandId)
    {
        return admin.execute((entry) -> entry.opcode(AdminOpcode.ABORT).cdw10(commandId << 16 | 1)).result0();
    }

    private int deviceErrors()
    {
        return target.reactor(0).call(() -> target.deviceErrors().size());
    }

    @ParameterizedTest
    @ValueSource(ints = {IoOpcode.WRITE_ZEROES, IoOpcode.WRITE})
    void shouldNotBeginACommandOfAHostThatIsGone(final int opcode)
    {
        connect();
        submit(opcode, COMMANDS, 1);
        host.close();
        final int late = completeAll();
        assertTrue(late <= CAPACITY, late + " writes of " + COMMANDS + " were done after the host was gone");
        assertEquals(QueuePairState.CLOSED, target.reactor(0).call(host.queuePair()::state));
        assertEquals(0, deviceErrors(), "a host that is gone is no error of the device");
    }

    @Test
    void shouldSendNoFurtherPartForAHostThatIsGone()
    {
        connect();
        submit(IoOpcode.WRITE_ZEROES, 2, LARGE_BLOCKS);
        host.close();
        assertEquals(CAPACITY, completeAll());
    }

    @Test
    void shouldAbortWriteZeroesThatWaitAndThoseThatAreBegun()
    {
        connect();
        final int first = host.nextCommandId();
        final List<CompletableFuture<Completion>> answers = submit(IoOpcode.WRITE_ZEROES, EMULATED + 2, LARGE_BLOCKS);
        assertEquals(0, abort(first + EMULATED));
        assertEquals(NvmeStatus.ABORT_REQUESTED, TestHost.await(answers.get(EMULATED)).status());
        assertEquals(1, abort(first), "ends when the device is done with its parts");
        assertFalse(answers.getFirst().isDone());
        final int parts = completeAll();
        assertEquals(NvmeStatus.ABORT_REQUESTED, TestHost.await(answers.getFirst()).status());
        answers.remove(EMULATED);
        for (final CompletableFuture<Completion> each : answers.subList(1, answers.size()))
        {
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(each).status());
        }
        assertEquals(EMULATED * (LARGE_BLOCKS * 512 / (128 << 10)) + CAPACITY, parts);
        assertEquals(0, deviceErrors());
    }

    @Test
    void shouldEndWriteZeroesThatWaitWhenTheirNamespaceIsRemoved()
    {
        connect();
        final List<CompletableFuture<Completion>> answers = submit(IoOpcode.WRITE_ZEROES, COMMANDS, 1);
        final CompletableFuture<Void> removed = target.subsystem().removeNamespace(MANUAL);
        for (final CompletableFuture<Completion> each : answers.subList(EMULATED, COMMANDS))
        {
            assertEquals(NvmeStatus.INVALID_NAMESPACE, TestHost.await(each).code());
        }
        assertFalse(answers.getFirst().isDone());
        completeAll();
        removed.join();
        assertTrue(answers.stream().allMatch(CompletableFuture::isDone));
    }
}
