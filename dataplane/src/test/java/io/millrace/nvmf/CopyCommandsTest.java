package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.block.BlockStatus;
import io.millrace.nvme.CopyRange;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.namespace.Namespace;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copy, as hosts send it.
 */
class CopyCommandsTest
{
    private static final int BLOCK = TestTarget.BLOCK_BYTES;
    private static final int MEMORY = 1;
    private static final int MANUAL = 2;
    private static final int PLAIN = 3;
    /** MSSRL of the memory device. */
    private static final int RANGE_MAX = 2048;

    private final ManualDevice device = ManualDevice.createCopying(2);
    private final TestTarget target = new TestTarget(1);
    private final TestHost host;

    CopyCommandsTest()
    {
        target.subsystem().addNamespace(new Namespace(MANUAL, target.owned(device), UUID.randomUUID()));
        target.subsystem().addNamespace(
            new Namespace(PLAIN, target.owned(ManualDevice.create(1)), UUID.randomUUID()));
        host = target.io();
    }

    @AfterEach
    void close()
    {
        target.reactor(0).run(() -> device.automatic(BlockStatus.SUCCESS));
        target.close();
    }

    private static byte[] ranges(final int bytes, final long... lbaAndBlocks)
    {
        final byte[] ranges = new byte[bytes];
        final CopyRange range = new CopyRange();
        for (int i = 0; i < lbaAndBlocks.length / 2; i++)
        {
            range.wrap(new UnsafeBuffer(ranges), i * CopyRange.SIZE_BYTES);
            range.startingLba(lbaAndBlocks[2 * i]).blocks((int)lbaAndBlocks[2 * i + 1] - 1);
        }
        return ranges;
    }

    private CompletableFuture<Completion> submit(
        final int nsid, final long lba, final int dword12, final byte[] ranges, final boolean inCapsule)
    {
        return host.submit((entry) -> entry.opcode(IoOpcode.COPY).namespaceId(nsid).startingLba(lba).cdw12(dword12),
            ranges, inCapsule);
    }

    private Completion copy(final long lba, final long... lbaAndBlocks)
    {
        final int count = lbaAndBlocks.length / 2;
        return TestHost.await(submit(MEMORY, lba, count - 1, ranges(32 * count, lbaAndBlocks), true));
    }

    private byte[] written(final int blocks)
    {
        final byte[] data = IoCommandsTest.random(blocks * BLOCK);
        assertEquals(NvmeStatus.SUCCESS,
            host.execute(IoCommandsTest.data(IoOpcode.WRITE, 0, blocks), data, false).status());
        return data;
    }

    private byte[] read(final long lba, final int blocks)
    {
        return host.execute(IoCommandsTest.io(IoOpcode.READ, lba, blocks)).data();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldPutRangesOneBehindTheOther(final boolean inCapsule)
    {
        final byte[] data = written(64);
        assertEquals(NvmeStatus.SUCCESS,
            TestHost.await(submit(MEMORY, 1000, 2, ranges(96, 5, 3, 0, 1, 40, 24), inCapsule)).status());
        final byte[] copied = read(1000, 28);
        assertArrayEquals(Arrays.copyOfRange(data, 5 * BLOCK, 8 * BLOCK), Arrays.copyOf(copied, 3 * BLOCK));
        assertArrayEquals(Arrays.copyOf(data, BLOCK), Arrays.copyOfRange(copied, 3 * BLOCK, 4 * BLOCK));
        assertArrayEquals(Arrays.copyOfRange(data, 40 * BLOCK, 64 * BLOCK),
            Arrays.copyOfRange(copied, 4 * BLOCK, 28 * BLOCK));
        assertArrayEquals(data, read(0, 64));
        assertArrayEquals(new byte[BLOCK], read(1028, 1));
    }

    @Test
    void shouldTakeAWholeTableAndUseWhatIsCounted()
    {
        final byte[] data = written(4);
        assertEquals(NvmeStatus.SUCCESS,
            TestHost.await(submit(MEMORY, 100, 0, ranges(8192, 1, 2, 0, 1), false)).status());
        assertArrayEquals(Arrays.copyOfRange(data, BLOCK, 3 * BLOCK), read(100, 2));
        assertArrayEquals(new byte[BLOCK], read(102, 1));
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID,
            TestHost.await(submit(MEMORY, 100, 1, ranges(32, 1, 2), true)).code());
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID,
            TestHost.await(submit(MEMORY, 100, 0, ranges(8224, 1, 2), false)).code());
    }

    @Test
    void shouldKeepToItsLimits()
    {
        assertEquals(NvmeStatus.SUCCESS, copy(4096, 0, RANGE_MAX, RANGE_MAX, RANGE_MAX).status());
        assertEquals(NvmeStatus.COMMAND_SIZE_LIMIT_EXCEEDED, copy(4096, 0, RANGE_MAX + 1).code());
        assertEquals(NvmeStatus.COMMAND_SIZE_LIMIT_EXCEEDED, copy(4096, 0, RANGE_MAX, 0, RANGE_MAX, 0, RANGE_MAX,
            0, RANGE_MAX, 0, 1).code());
        final long[] many = new long[2 * 16];
        Arrays.fill(many, 1);
        assertEquals(NvmeStatus.SUCCESS, copy(4096, many).status());
        final Completion refused = copy(4096, Arrays.copyOf(many, 2 * 17));
        assertEquals(NvmeStatus.COMMAND_SIZE_LIMIT_EXCEEDED | NvmeStatus.DO_NOT_RETRY, refused.status());
    }

    @Test
    void shouldCopyNothingWhenARangeIsWrong()
    {
        final byte[] data = written(64);
        assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, copy(32, 0, 1, TestTarget.BLOCKS - 1, 2).code());
        assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, copy(32, 0, 1, -1, 1).code());
        assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, copy(TestTarget.BLOCKS - 1, 0, 2).code());
        assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, copy(-1, 0, 2).code());
        assertEquals(NvmeStatus.OVERLAPPING_IO_RANGE, copy(32, 0, 1, 33, 1).code());
        assertEquals(NvmeStatus.OVERLAPPING_IO_RANGE, copy(32, 0, 1, 31, 2).code());
        assertEquals(NvmeStatus.OVERLAPPING_IO_RANGE, copy(32, 32, 1).code());
        assertArrayEquals(data, read(0, 64));
        assertEquals(NvmeStatus.SUCCESS, copy(32, 0, 1, 34, 1).status());
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 8, 1 << 12, 1 << 26, 1 << 29})
    void shouldRefuseOtherFormatsAndProtection(final int dword12)
    {
        assertEquals(NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY,
            TestHost.await(submit(MEMORY, 100, dword12, ranges(32, 1, 2), true)).status());
    }

    @Test
    void shouldRefuseWhatTheDeviceCannot()
    {
        assertEquals(NvmeStatus.INVALID_OPCODE,
            TestHost.await(submit(PLAIN, 100, 0, ranges(32, 1, 2), true)).code());
    }

    @Test
    void shouldNameTheFirstRangeThatWasNotCopied()
    {
        final CompletableFuture<Completion> answer =
            submit(MANUAL, 100, 1 << 30 | 2, ranges(96, 5, 3, 0, 1, 40, 24), true);
        target.reactor(0).run(() -> device.completeFirst(BlockStatus.SUCCESS));
        assertFalse(answer.isDone());
        target.reactor(0).run(() -> device.completeFirst(BlockStatus.MEDIA_ERROR));
        final Completion completion = TestHost.await(answer);
        assertEquals(NvmeStatus.WRITE_FAULT | NvmeStatus.DO_NOT_RETRY, completion.status());
        assertEquals(1, completion.result0());
        assertEquals(List.of("COPY 5 to 100+3 FUA", "COPY 0 to 103+1 FUA"), device.asked());
    }

    @Test
    void shouldForceUnitAccessOnlyWhenAsked()
    {
        target.reactor(0).run(() -> device.automatic(BlockStatus.SUCCESS));
        assertEquals(NvmeStatus.SUCCESS,
            TestHost.await(submit(MANUAL, 100, 1, ranges(64, 5, 3, 0, 1), false)).status());
        assertEquals(List.of("COPY 5 to 100+3", "COPY 0 to 103+1"), device.asked());
    }
}
