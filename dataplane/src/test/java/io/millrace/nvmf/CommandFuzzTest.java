package io.millrace.nvmf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.config.Nqn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Whatever a host sends as submission queue entries is answered, or ends its connection, and leaves nothing behind.
 * Runs on the kept corpus with every build; {@code JAZZER_FUZZ=1} fuzzes, as {@code perf/fuzz} does.
 */
class CommandFuzzTest
{
    private static final int COMMANDS_MAX = 16;
    private static final int BLOCK_BYTES = 512;
    private static final int COMMAND_ID_OFFSET = 2;
    private static TestTarget target;

    /**
     * The first byte says on which queue (bits 1:0) the entries behind it come. Each has a byte before it: blocks of
     * its data (bits 3:0) and whether they are in the capsule (bit 4).
     */
    @FuzzTest(maxDuration = "2m")
    void shouldAnswerAnyEntries(final byte[] input)
    {
        if (input.length < 2 + SubmissionQueueEntry.SIZE_BYTES)
        {
            return;
        }
        if (null == target)
        {
            target = new TestTarget(2, MemoryDevice.create("mem0", 1 << 20, BLOCK_BYTES));
        }
        final TestHost admin = 3 == (input[0] & 3) ? target.admin(Nqn.DISCOVERY) : target.admin();
        final TestHost host = switch (input[0] & 3)
        {
            case 0 -> target.io(admin, 1, 1);
            case 1 -> target.connection();
            default -> admin;
        };
        final List<CompletableFuture<Completion>> answers = send(host, input);
        TestTarget.await("an answer to each command", () -> null != host.disconnectReason() ||
            answers.stream().allMatch(CompletableFuture::isDone));
        if (host == admin)
        {
            target.forget(admin);
        }
        else
        {
            target.forget(host, admin);
        }
    }

    private static List<CompletableFuture<Completion>> send(final TestHost host, final byte[] input)
    {
        final List<CompletableFuture<Completion>> answers = new ArrayList<>();
        int offset = 1;
        for (int i = 0; i < COMMANDS_MAX && null == host.disconnectReason() &&
            offset + 1 + SubmissionQueueEntry.SIZE_BYTES <= input.length; i++)
        {
            final int blocks = Math.min(input[offset] & 0xF, TestHost.IN_CAPSULE_BYTES / BLOCK_BYTES);
            final byte[] payload = 0 == blocks ? null : new byte[blocks * BLOCK_BYTES];
            final boolean isInCapsule = null != payload && 0 != (input[offset] & 0x10);
            final byte[] entry =
                Arrays.copyOfRange(input, offset + 1, offset + 1 + SubmissionQueueEntry.SIZE_BYTES);
            final CompletableFuture<Completion> answer =
                host.submit((sent) -> write(entry, sent), payload, isInCapsule);
            // Those of events are answered when there is one.
            if (AdminOpcode.ASYNC_EVENT_REQUEST != entry[0])
            {
                answers.add(answer);
            }
            TestTarget.await("capsule taken", () -> null != host.disconnectReason() || host.retryCapsule());
            offset += 1 + SubmissionQueueEntry.SIZE_BYTES;
        }
        return answers;
    }

    /** Identifiers are the host's own business. */
    private static void write(final byte[] entry, final SubmissionQueueEntry sent)
    {
        for (int i = 0; i < entry.length; i++)
        {
            if (i < COMMAND_ID_OFFSET || i >= COMMAND_ID_OFFSET + Short.BYTES)
            {
                sent.buffer().putByte(sent.offset() + i, entry[i]);
            }
        }
    }
}
