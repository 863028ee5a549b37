package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.memory.MemoryDomain;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.DeviceError;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Payload that a device cannot access never reaches the device. */
class MemoryDomainsTest
{
    private static final MemoryDomain GPU = MemoryDomain.ofDevice("gpu of a test");

    private static void withDevice(final int memoryDomains, final boolean takesPayload)
    {
        final ManualDevice device = ManualDevice.createWithDomains(memoryDomains, 64);
        device.automatic(BlockStatus.SUCCESS);
        final TestTarget target = new TestTarget(1, device);
        try
        {
            final TestHost host = target.io(target.admin(), 1);
            final int refused = NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
            assertEquals(takesPayload ? NvmeStatus.SUCCESS : refused, TestHost.await(host.submit((entry) ->
                entry.opcode(IoOpcode.READ).namespaceId(1).startingLba(5).sglLength(512))).status());
            assertEquals(takesPayload ? NvmeStatus.SUCCESS : refused, TestHost.await(host.submit((entry) ->
                entry.opcode(IoOpcode.WRITE).namespaceId(1).startingLba(6).sglLength(512), new byte[512], true))
                .status());
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(host.submit((entry) ->
                entry.opcode(IoOpcode.FLUSH).namespaceId(1))).status());
            target.reactor(0).run(() ->
            {
                assertEquals(takesPayload ? 3 : 1, device.asked().size(), () -> device.asked().toString());
                assertEquals(0, device.waiting());
            });
            final List<String> causes = target.reactor(0).call(() ->
                target.deviceErrors().stream().map(DeviceError::snapshot).map((error) -> error.cause()).toList());
            assertTrue(takesPayload ? causes.isEmpty() : causes.equals(List.of("memory domain 0", "memory domain 0")),
                causes::toString);
        }
        finally
        {
            target.close();
        }
    }

    @Test
    void shouldRefusePayloadThatTheDeviceDoesNotTake()
    {
        withDevice(GPU.bit(), false);
    }

    @Test
    void shouldPassOnPayloadThatTheDeviceTakes()
    {
        withDevice(GPU.bit() | MemoryDomain.HOST.bit(), true);
        withDevice(MemoryDomain.HOST.bit(), true);
    }
}
