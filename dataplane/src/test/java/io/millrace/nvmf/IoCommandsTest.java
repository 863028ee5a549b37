package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.DatasetRange;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceTotals;
import io.millrace.seed.TestSeeds;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IoCommandsTest
{
    private static final int BLOCK = TestTarget.BLOCK_BYTES;

    private final TestTarget target = new TestTarget(1);
    private final TestHost host = target.io();

    @AfterEach
    void close()
    {
        target.close();
    }

    static Consumer<SubmissionQueueEntry> io(final int opcode, final long lba, final int blocks)
    {
        return (entry) -> entry.opcode(opcode).namespaceId(1).startingLba(lba).cdw12(blocks - 1)
            .sglLength(blocks * BLOCK);
    }

    static byte[] random(final int length)
    {
        final byte[] bytes = new byte[length];
        TestSeeds.fixed(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReadWhatWasWritten(final boolean inCapsule)
    {
        final byte[] data = random(8 * BLOCK);
        final Completion written = host.execute(data(IoOpcode.WRITE, 100, 8), data, inCapsule);
        assertEquals(NvmeStatus.SUCCESS, written.status());
        assertEquals(1, written.sqId());
        assertEquals(0, written.data().length);

        final Completion read = host.execute(io(IoOpcode.READ, 100, 8));
        assertEquals(NvmeStatus.SUCCESS, read.status());
        assertArrayEquals(data, read.data());
    }

    /** A command whose payload the host sends: the length is set from the payload. */
    static Consumer<SubmissionQueueEntry> data(final int opcode, final long lba, final int blocks)
    {
        return (entry) -> entry.opcode(opcode).namespaceId(1).startingLba(lba).cdw12(blocks - 1);
    }

    @Test
    void shouldTransferTheLargestRequest()
    {
        final byte[] data = random(1 << 20);
        assertEquals(NvmeStatus.SUCCESS, host.execute(data(IoOpcode.WRITE, 0, 2048), data, false).status());
        assertArrayEquals(data, host.execute(io(IoOpcode.READ, 0, 2048)).data());
    }

    @Test
    void shouldRefuseMoreThanTheLargestTransfer()
    {
        final Completion read = host.execute(io(IoOpcode.READ, 0, 2049));
        assertEquals(NvmeStatus.INVALID_FIELD, read.code());
        assertFalse(read.isRetryable());
    }

    @Test
    void shouldRefuseBlocksBehindTheEnd()
    {
        assertEquals(NvmeStatus.SUCCESS, host.execute(io(IoOpcode.READ, TestTarget.BLOCKS - 1, 1)).status());
        for (final long lba : new long[]{TestTarget.BLOCKS, TestTarget.BLOCKS - 1, -1, Long.MIN_VALUE, Long.MAX_VALUE})
        {
            assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, host.execute(io(IoOpcode.READ, lba, 2)).code(), "lba " + lba);
            assertEquals(NvmeStatus.LBA_OUT_OF_RANGE,
                host.execute(data(IoOpcode.WRITE, lba, 2), new byte[2 * BLOCK], true).code(), "lba " + lba);
            assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, host.execute(io(IoOpcode.WRITE_ZEROES, lba, 2)).code());
            assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, host.execute(io(IoOpcode.VERIFY, lba, 2)).code());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 1025, -1, Integer.MIN_VALUE})
    void shouldRefuseNamespacesThatAreNotThere(final int nsid)
    {
        final Completion read = host.execute((entry) ->
        {
            io(IoOpcode.READ, 0, 1).accept(entry);
            entry.namespaceId(nsid);
        });
        assertEquals(NvmeStatus.INVALID_NAMESPACE, read.code());
        assertFalse(read.isRetryable());
    }

    @ParameterizedTest
    @ValueSource(ints = {0x03, 0x04, 0x0D, 0x1A, 0x80, 0xFF})
    void shouldRefuseOpcodesThatAreNotSupported(final int opcode)
    {
        assertEquals(NvmeStatus.INVALID_OPCODE, host.execute(io(opcode, 0, 1)).code());
    }

    @ParameterizedTest
    @ValueSource(ints = {0x00, 0x01, 0x40, 0x4F, 0x5B, 0x20, 0xFF})
    void shouldRefuseDescriptorsOfOtherTypesForReads(final int type)
    {
        final Completion read = host.execute((entry) ->
        {
            io(IoOpcode.READ, 0, 1).accept(entry);
            entry.sglType(type);
        });
        assertEquals(NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID, read.code());
    }

    @ParameterizedTest
    @ValueSource(ints = {0x00, 0x40, 0x5B, 0x30, 0xFF})
    void shouldRefuseDescriptorsOfOtherTypesForWrites(final int type)
    {
        final Completion write = host.execute((entry) ->
        {
            io(IoOpcode.WRITE, 0, 1).accept(entry);
            entry.sglType(type);
        });
        assertEquals(NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID, write.code());
    }

    @ParameterizedTest
    @ValueSource(ints = {0x00, 0x80, 0xC0, 0x41, 0x42})
    void shouldRefusePointersThatAreNoSglsAndFusedCommands(final int flags)
    {
        assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) ->
        {
            io(IoOpcode.READ, 0, 1).accept(entry);
            entry.flags(flags);
        }).code());
    }

    @Test
    void shouldRefuseFusedCommandsWithoutData()
    {
        assertEquals(NvmeStatus.INVALID_FIELD,
            host.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(1).flags(0x41)).code());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, BLOCK - 1, BLOCK + 1, 2 * BLOCK, -1, Integer.MIN_VALUE})
    void shouldRefuseLengthsThatDoNotFit(final int length)
    {
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID, host.execute((entry) ->
        {
            io(IoOpcode.READ, 0, 1).accept(entry);
            entry.sglLength(length);
        }).code());
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID, host.execute((entry) ->
        {
            io(IoOpcode.WRITE, 0, 1).accept(entry);
            entry.sglLength(length);
        }).code());
    }

    @Test
    void shouldTakeDataAtAnOffsetInTheCapsule()
    {
        final byte[] capsule = random(3 * BLOCK);
        final Completion written = host.execute((entry) ->
            data(IoOpcode.WRITE, 7, 2).andThen((e) -> e.sglAddress(BLOCK).sglLength(2 * BLOCK)).accept(entry),
            capsule, true);
        assertEquals(NvmeStatus.SUCCESS, written.status());
        assertArrayEquals(java.util.Arrays.copyOfRange(capsule, BLOCK, 3 * BLOCK),
            host.execute(io(IoOpcode.READ, 7, 2)).data());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, BLOCK, Long.MAX_VALUE, -1, Long.MIN_VALUE, 0xFFFFFFFFL})
    void shouldRefuseOffsetsOutsideTheCapsule(final long offset)
    {
        assertEquals(NvmeStatus.SGL_OFFSET_INVALID, host.execute((entry) ->
            data(IoOpcode.WRITE, 7, 1).andThen((e) -> e.sglAddress(offset)).accept(entry),
            new byte[BLOCK], true).code());
    }

    @Test
    void shouldRefuseDataInTheCapsuleWhenThereIsNone()
    {
        assertEquals(NvmeStatus.SGL_OFFSET_INVALID, host.execute((entry) ->
        {
            io(IoOpcode.WRITE, 0, 1).accept(entry);
            entry.sglType(SglDescriptor.DATA_BLOCK_OFFSET);
        }).code());
    }

    @Test
    void shouldRefuseProtectionInformation()
    {
        for (int bit = 26; bit < 30; bit++)
        {
            final int protection = 1 << bit;
            assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) ->
                io(IoOpcode.READ, 0, 1).andThen((e) -> e.cdw12(protection)).accept(entry)).code());
            assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) ->
                io(IoOpcode.VERIFY, 0, 1).andThen((e) -> e.cdw12(protection)).accept(entry)).code());
        }
    }

    @Test
    void shouldCompare()
    {
        final byte[] data = random(4 * BLOCK);
        host.execute(data(IoOpcode.WRITE, 40, 4), data, true);
        assertEquals(NvmeStatus.SUCCESS, host.execute(data(IoOpcode.COMPARE, 40, 4), data, true).status());
        assertEquals(NvmeStatus.SUCCESS, host.execute(data(IoOpcode.COMPARE, 40, 4), data, false).status());
        data[4 * BLOCK - 1]++;
        final Completion different = host.execute(data(IoOpcode.COMPARE, 40, 4), data, false);
        assertEquals(NvmeStatus.COMPARE_FAILURE, different.code());
        assertFalse(different.isRetryable());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1 << 25})
    void shouldWriteZeroesWithAndWithoutDeallocation(final int deallocate)
    {
        host.execute(data(IoOpcode.WRITE, 10, 3), random(3 * BLOCK), true);
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) ->
            io(IoOpcode.WRITE_ZEROES, 11, 1).andThen((e) -> e.cdw12(deallocate)).accept(entry)).status());
        final byte[] expected = random(3 * BLOCK);
        java.util.Arrays.fill(expected, BLOCK, 2 * BLOCK, (byte)0);
        assertArrayEquals(expected, host.execute(io(IoOpcode.READ, 10, 3)).data());
    }

    @Test
    void shouldVerifyBeyondTheLargestTransferAndChangeNothing()
    {
        final byte[] data = random(3 * BLOCK);
        host.execute(data(IoOpcode.WRITE, 10, 3), data, true);
        final int blocks = (int)Math.min(TestTarget.BLOCKS, 1 << 16);
        final Completion verified = host.execute(io(IoOpcode.VERIFY, 0, blocks));
        assertEquals(NvmeStatus.SUCCESS, verified.status());
        assertEquals(0, verified.data().length);
        assertArrayEquals(data, host.execute(io(IoOpcode.READ, 10, 3)).data());
    }

    @Test
    void shouldFlushOneAndAllNamespaces()
    {
        assertEquals(NvmeStatus.SUCCESS,
            host.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(1)).status());
        assertEquals(NvmeStatus.SUCCESS,
            host.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(Namespace.NSID_ALL)).status());
        assertEquals(NvmeStatus.INVALID_NAMESPACE,
            host.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(2)).code());
    }

    private static byte[] ranges(final int bytes, final long... lbaAndBlocks)
    {
        final byte[] ranges = new byte[bytes];
        final DatasetRange range = new DatasetRange();
        for (int i = 0; i < lbaAndBlocks.length / 2; i++)
        {
            range.wrap(new UnsafeBuffer(ranges), i * DatasetRange.SIZE_BYTES);
            range.startingLba(lbaAndBlocks[2 * i]).blocks((int)lbaAndBlocks[2 * i + 1]);
        }
        return ranges;
    }

    private Completion manage(final int count, final int attributes, final byte[] ranges, final boolean inCapsule)
    {
        return host.execute((entry) ->
            entry.opcode(IoOpcode.DATASET_MANAGEMENT).namespaceId(1).cdw10(count - 1).cdw11(attributes),
            ranges, inCapsule);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDeallocateRangesAndReadZeroes(final boolean inCapsule)
    {
        host.execute(data(IoOpcode.WRITE, 0, 64), random(64 * BLOCK), false);
        // A whole table for three ranges, as Linux sends it.
        assertEquals(NvmeStatus.SUCCESS, manage(3, DatasetRange.DEALLOCATE,
            ranges(4096, 1, 2, 5, 0, 8, 24, 50, 10), inCapsule).status());
        final byte[] expected = random(64 * BLOCK);
        java.util.Arrays.fill(expected, BLOCK, 3 * BLOCK, (byte)0);
        java.util.Arrays.fill(expected, 8 * BLOCK, 32 * BLOCK, (byte)0);
        assertArrayEquals(expected, host.execute(io(IoOpcode.READ, 0, 64)).data());
    }

    @Test
    void shouldDeallocateMoreRangesThanFitInOnePoll()
    {
        host.execute(data(IoOpcode.WRITE, 0, 512), random(512 * BLOCK), false);
        final long[] odd = new long[512];
        for (int i = 0; i < 256; i++)
        {
            odd[2 * i] = 2 * i + 1;
            odd[2 * i + 1] = 1;
        }
        assertEquals(NvmeStatus.SUCCESS, manage(256, DatasetRange.DEALLOCATE, ranges(4096, odd), false).status());
        final byte[] expected = random(512 * BLOCK);
        for (int i = 0; i < 256; i++)
        {
            java.util.Arrays.fill(expected, (2 * i + 1) * BLOCK, (2 * i + 2) * BLOCK, (byte)0);
        }
        assertArrayEquals(expected, host.execute(io(IoOpcode.READ, 0, 512)).data());
    }

    @Test
    void shouldDeallocateTheWholeDeviceAtOnce()
    {
        host.execute(data(IoOpcode.WRITE, 0, 64), random(64 * BLOCK), false);
        assertEquals(NvmeStatus.SUCCESS, manage(2, DatasetRange.DEALLOCATE,
            ranges(32, 0, TestTarget.BLOCKS, 0, TestTarget.BLOCKS), true).status());
        assertArrayEquals(new byte[64 * BLOCK], host.execute(io(IoOpcode.READ, 0, 64)).data());
    }

    @Test
    void shouldChangeNothingWhenOneRangeIsOutside()
    {
        host.execute(data(IoOpcode.WRITE, 0, 4), random(4 * BLOCK), true);
        assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, manage(2, DatasetRange.DEALLOCATE,
            ranges(32, 0, 4, TestTarget.BLOCKS - 1, 2), true).code());
        assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, manage(1, DatasetRange.DEALLOCATE,
            ranges(16, 0, 0xFFFFFFFFL), true).code());
        assertArrayEquals(random(4 * BLOCK), host.execute(io(IoOpcode.READ, 0, 4)).data());
    }

    @Test
    void shouldTakeHintsWithoutDoingAnything()
    {
        host.execute(data(IoOpcode.WRITE, 0, 4), random(4 * BLOCK), true);
        assertEquals(NvmeStatus.SUCCESS, manage(1, 3, ranges(16, 0, 4), true).status());
        assertArrayEquals(random(4 * BLOCK), host.execute(io(IoOpcode.READ, 0, 4)).data());
    }

    @Test
    void shouldRefuseRangesThatAreShorterThanTheirCount()
    {
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID,
            manage(3, DatasetRange.DEALLOCATE, ranges(32, 0, 1), true).code());
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID,
            manage(1, DatasetRange.DEALLOCATE, ranges(4112, 0, 1), false).code());
    }

    @Test
    void shouldCountWhatWasDone()
    {
        host.execute(data(IoOpcode.WRITE, 0, 4), random(4 * BLOCK), true);
        host.execute(io(IoOpcode.READ, 0, 2));
        host.execute(io(IoOpcode.READ, -1, 2));
        final NamespaceTotals totals = target.subsystem().totals();
        assertEquals(1, totals.readCommands());
        assertEquals(1, totals.writeCommands());
        assertEquals(4 * BLOCK, totals.bytesWritten());
        assertEquals(2 * BLOCK, totals.bytesRead());
        assertEquals(4 * BLOCK, host.queuePair().meter().bytesWritten());
        assertEquals(2 * BLOCK, host.queuePair().meter().bytesRead());
        assertEquals(1, host.queuePair().meter().errors());
        // Connect is one of them.
        assertEquals(4, host.queuePair().commands());
        assertTrue(host.queuePair().connected());
    }
}
