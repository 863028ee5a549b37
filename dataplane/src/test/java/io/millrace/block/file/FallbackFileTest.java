package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What is done where the kernel cannot: a drive that refuses to be polled, as it does below a file with no poll queues,
 * zeroes that the emulation writes, and a discard that a regular file does not know.
 */
class FallbackFileTest extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        return FileDevice.open(
            FileDeviceConfig.of("fallback", directory.resolve("volume.img"), SIZE_BYTES, 4096),
            MemoryRegistry.of(registered),
            (found) -> new FileCapabilities(
                found.isDirect(), 128 << 10, ZeroStrategy.NONE, DeallocateStrategy.DISCARD));
    }

    @Test
    void shouldSayThatTheDriveRefusedToBePolled()
    {
        // Blocks that were never written are read without the drive.
        assertEquals(BlockStatus.SUCCESS, write(0, 1, true));
        readAndVerify(0, 4096);
        final List<String> notes = ((FileDevice)device).notes();
        try (FileDevice probe = FileDevice.open(FileDeviceConfig.of("probe", directory.resolve("probe.img"), 4096,
            4096)))
        {
            assertEquals(!probe.isPolled(),
                notes.contains("the drive refused to be polled: its interrupts are waited for"), notes::toString);
        }
    }

    @Test
    void shouldTakeADiscardThatCannotBeDoneAsTheHintItIs()
    {
        assertEquals(BlockStatus.SUCCESS, write(8, 8, false));
        for (int i = 0; i < 3; i++)
        {
            assertEquals(BlockStatus.SUCCESS, initiator().run(BlockOperation.DEALLOCATE, 8, 8, false));
        }
        readAndVerify(8 * 4096, 8 * 4096);
    }
}
