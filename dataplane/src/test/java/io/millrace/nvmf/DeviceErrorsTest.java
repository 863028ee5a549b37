package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.block.BlockStatus;
import io.millrace.block.FailureCause;
import io.millrace.nvme.DatasetRange;
import io.millrace.nvme.ErrorLogEntry;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.DeviceError;
import io.millrace.nvmf.request.DeviceErrors;
import io.millrace.status.DeviceErrorStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is kept of requests that a device failed. */
class DeviceErrorsTest
{
    private final ManualDevice device = ManualDevice.create(64);
    private final TestTarget target = new TestTarget(1, device);
    private final TestHost admin = target.admin();
    private final TestHost host = target.io(admin, 1);

    @AfterEach
    void close()
    {
        target.close();
    }

    private void fail(final int opcode, final long lba, final BlockStatus status, final FailureCause cause,
        final int code)
    {
        final CompletableFuture<Completion> answer = host.submit((entry) -> entry.opcode(opcode).namespaceId(1)
            .startingLba(lba).sglLength(IoOpcode.READ == opcode ? 512 : 0));
        target.reactor(0).run(() ->
        {
            if (FailureCause.NONE != cause)
            {
                device.first().failed(cause, code);
            }
            device.completeFirst(status);
        });
        assertTrue(NvmeStatus.SUCCESS != TestHost.await(answer).status());
    }

    private List<DeviceErrorStatus> errors()
    {
        return target.reactor(0).call(() -> target.deviceErrors().stream().map(DeviceError::snapshot).toList());
    }

    @Test
    void shouldCountEachDistinctErrorWithItsCauseAndBlocks()
    {
        final long beforeMs = System.currentTimeMillis();
        for (int lba = 5; lba < 8; lba++)
        {
            fail(IoOpcode.READ, lba, BlockStatus.MEDIA_ERROR, FailureCause.ERRNO, Errno.EIO);
        }
        fail(IoOpcode.READ, 100, BlockStatus.MEDIA_ERROR, FailureCause.ERRNO, Errno.ENODATA);
        fail(IoOpcode.WRITE_ZEROES, 200, BlockStatus.DEVICE_ERROR, FailureCause.NVME_STATUS, 0x281);
        fail(IoOpcode.VERIFY, 300, BlockStatus.ABORTED, FailureCause.NONE, 0);
        final List<DeviceErrorStatus> errors = errors();
        assertEquals(4, errors.size());
        final DeviceErrorStatus first = errors.getFirst();
        assertTrue(first.firstEpochMs() >= beforeMs && first.lastEpochMs() >= first.firstEpochMs());
        assertEquals(new DeviceErrorStatus(device.name(), "read", "MEDIA_ERROR", "EIO", Errno.EIO, 3,
            first.firstEpochMs(), first.lastEpochMs(), 5, 7), first);
        assertEquals("ENODATA", errors.get(1).cause());
        assertEquals("NVMe status 0x281", errors.get(2).cause());
        assertEquals(0, errors.get(2).errno());
        assertEquals("write_zeroes", errors.get(2).operation());
        assertEquals("", errors.get(3).cause());
        assertEquals(300, errors.get(3).lastLba());
        assertEquals(6, target.subsystem().namespaceSnapshots().getFirst().errors());
    }

    @Test
    void shouldPassTheStatusOfADriveToTheHostAndCountItByItsCode()
    {
        for (final int status : new int[]{NvmeStatus.NAMESPACE_NOT_READY | NvmeStatus.DO_NOT_RETRY,
            NvmeStatus.NAMESPACE_NOT_READY | NvmeStatus.RETRY_DELAY_MASK | NvmeStatus.MORE})
        {
            final CompletableFuture<Completion> answer = host.submit((entry) ->
                entry.opcode(IoOpcode.READ).namespaceId(1).startingLba(9).sglLength(512));
            target.reactor(0).run(() ->
            {
                device.first().failedWithNvme(status);
                device.completeFirst(BlockStatus.DEVICE_ERROR);
            });
            assertEquals(NvmeStatus.NAMESPACE_NOT_READY | status & NvmeStatus.DO_NOT_RETRY,
                TestHost.await(answer).status());
        }
        assertEquals(1, errors().size());
        assertEquals("NVMe status 0x82", errors().getFirst().cause());
        assertEquals(2, errors().getFirst().count());
    }

    @Test
    void shouldNotTakeDifferentDataForAnErrorOfTheDevice()
    {
        final CompletableFuture<Completion> answer = host.submit((entry) -> entry.opcode(IoOpcode.COMPARE)
            .namespaceId(1).sglLength(512), new byte[512], true);
        target.reactor(0).run(() -> device.completeFirst(BlockStatus.COMPARE_FAILURE));
        TestHost.await(answer);
        assertEquals(List.of(), errors());
    }

    @Test
    void shouldCountTogetherWhatIsMoreThanItsDistinctErrors()
    {
        for (int errno = 1; errno <= 40; errno++)
        {
            fail(IoOpcode.READ, errno, BlockStatus.DEVICE_ERROR, FailureCause.ERRNO, errno);
        }
        final List<DeviceErrorStatus> errors = errors();
        assertEquals(DeviceErrors.DISTINCT_MAX, errors.size());
        final DeviceErrorStatus others = errors.getLast();
        assertEquals("other other", others.operation() + ' ' + others.status());
        assertEquals(40 - DeviceErrors.DISTINCT_MAX + 1, others.count());
        assertEquals(DeviceErrors.DISTINCT_MAX, others.firstLba());
        assertEquals(40, others.lastLba());
    }

    @Test
    void shouldForgetTheErrorsOfADeviceThatIsUsedNoMore() throws Exception
    {
        fail(IoOpcode.READ, 1, BlockStatus.MEDIA_ERROR, FailureCause.NONE, 0);
        assertEquals(1, errors().size());
        target.subsystem().removeNamespace(1).get();
        assertEquals(List.of(), errors());
    }

    @Test
    void shouldTellTheHostsErrorLogWhichBlocksFailed()
    {
        fail(IoOpcode.READ, 1_234_567, BlockStatus.MEDIA_ERROR, FailureCause.ERRNO, Errno.EIO);
        assertEntry(1_234_567, NvmeStatus.UNRECOVERED_READ_ERROR);
        final byte[] ranges = new byte[2 * DatasetRange.SIZE_BYTES];
        final DatasetRange range = new DatasetRange();
        final UnsafeBuffer view = new UnsafeBuffer(ranges);
        range.wrap(view, 0);
        range.blocks(8).startingLba(40);
        range.wrap(view, DatasetRange.SIZE_BYTES);
        range.blocks(8).startingLba(80);
        final CompletableFuture<Completion> answer = host.submit((entry) -> entry.opcode(IoOpcode.DATASET_MANAGEMENT)
            .namespaceId(1).cdw10(1).cdw11(DatasetRange.DEALLOCATE).sglLength(ranges.length), ranges, true);
        target.reactor(0).run(() -> device.completeFirst(BlockStatus.SUCCESS));
        target.reactor(0).run(() -> device.completeFirst(BlockStatus.DEVICE_ERROR));
        TestHost.await(answer);
        assertEntry(80, NvmeStatus.INTERNAL_ERROR);
        assertEquals(80, errors().getLast().firstLba());
        fail(IoOpcode.FLUSH, 77, BlockStatus.DEVICE_ERROR, FailureCause.NONE, 0);
        assertEntry(0, NvmeStatus.INTERNAL_ERROR);
    }

    private void assertEntry(final long lba, final int code)
    {
        final Completion log = LogPagesTest.log(admin, LogPageId.ERROR_INFORMATION, 0, 64, false);
        final ErrorLogEntry entry = new ErrorLogEntry();
        entry.wrap(log.buffer(), 0);
        assertEquals(lba, entry.lba());
        assertEquals(1, entry.namespaceId());
        assertEquals(code, NvmeStatus.code(entry.statusField() >>> 1));
    }
}
