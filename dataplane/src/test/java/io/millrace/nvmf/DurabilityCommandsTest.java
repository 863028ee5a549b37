package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockStatus;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.namespace.Namespace;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Flush and FUA of a host reach the device, each as often as it was asked for. */
class DurabilityCommandsTest
{
    private static final int FORCED = 1 << 30;
    private static final int DEALLOCATES = 1 << 25;

    private final ManualDevice device = ManualDevice.create(4);
    private final ManualDevice other = ManualDevice.create(4);
    private final TestTarget target = new TestTarget(1);
    private final TestHost host;

    DurabilityCommandsTest()
    {
        device.automatic(BlockStatus.SUCCESS);
        other.automatic(BlockStatus.SUCCESS);
        target.subsystem().addNamespace(new Namespace(2, target.owned(device), UUID.randomUUID()));
        target.subsystem().addNamespace(new Namespace(3, target.owned(other), UUID.randomUUID()));
        host = target.io();
    }

    @AfterEach
    void close()
    {
        target.close();
    }

    private void execute(final int opcode, final int cdw12, final byte[] data)
    {
        assertEquals(NvmeStatus.SUCCESS, host.execute(
            (entry) -> entry.opcode(opcode).namespaceId(2).startingLba(5).cdw12(cdw12), data, true).status());
    }

    private void execute(final int opcode, final int nsid, final int cdw12)
    {
        assertEquals(NvmeStatus.SUCCESS, host.execute(
            (entry) -> entry.opcode(opcode).namespaceId(nsid).startingLba(5).cdw12(cdw12)).status());
    }

    @Test
    void shouldForceWhatTheHostForces()
    {
        for (final int forced : new int[]{0, FORCED})
        {
            execute(IoOpcode.WRITE, forced, new byte[512]);
            execute(IoOpcode.WRITE_ZEROES, 2, forced | 1);
            execute(IoOpcode.WRITE_ZEROES, 2, forced | DEALLOCATES | 1);
        }
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) ->
            entry.opcode(IoOpcode.READ).namespaceId(2).startingLba(5).cdw12(FORCED).sglLength(512)).status());
        assertEquals(List.of("WRITE 5+1", "WRITE_ZEROES 5+2", "DEALLOCATE 5+2",
            "WRITE 5+1 FUA", "WRITE_ZEROES 5+2 FUA", "DEALLOCATE 5+2 FUA", "READ 5+1 FUA"), device.asked());
    }

    @Test
    void shouldFlushOneNamespaceOrAll()
    {
        execute(IoOpcode.FLUSH, 2, 0);
        assertEquals(List.of("FLUSH 0+0"), device.asked());
        assertEquals(List.of(), other.asked());
        execute(IoOpcode.FLUSH, Namespace.NSID_ALL, 0);
        assertEquals(List.of("FLUSH 0+0", "FLUSH 0+0"), device.asked());
        assertEquals(List.of("FLUSH 0+0"), other.asked());
    }
}
