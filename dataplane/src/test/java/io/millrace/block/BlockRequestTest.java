package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.nvme.NvmeStatus;
import org.junit.jupiter.api.Test;

class BlockRequestTest
{
    private static final int STATUS = NvmeStatus.UNRECOVERED_READ_ERROR | NvmeStatus.DO_NOT_RETRY | NvmeStatus.MORE;

    private static BlockRequest request()
    {
        return new BlockRequest(null, (done) ->
        {
        }).reset(BlockOperation.READ, 0, 1);
    }

    @Test
    void shouldKeepTheFirstStatusAndItsCode()
    {
        final BlockRequest request = request();
        assertEquals(0, request.nvmeStatus());
        request.failedWithNvme(STATUS);
        request.failedWithNvme(NvmeStatus.INTERNAL_ERROR);
        assertEquals(STATUS, request.nvmeStatus());
        assertEquals(FailureCause.NVME_STATUS, request.cause());
        assertEquals(NvmeStatus.UNRECOVERED_READ_ERROR, request.causeCode());
        request.reset(BlockOperation.READ, 0, 1);
        assertEquals(0, request.nvmeStatus());
    }

    @Test
    void shouldPassOnTheStatusOfTheDeviceBelow()
    {
        final BlockRequest inner = request();
        inner.failedWithNvme(STATUS);
        final BlockRequest outer = request();
        outer.failedAs(inner, null);
        assertEquals(STATUS, outer.nvmeStatus());
        final BlockRequest plain = request();
        plain.failed(FailureCause.ERRNO, 5);
        outer.failedAs(plain, null);
        assertEquals(STATUS, outer.nvmeStatus());
    }
}
