package io.millrace.lab.guest;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;

/**
 * The contract of block devices on a block device of the kernel, of 8 MiB, with direct I/O. Which one is said by system
 * properties, since the suite makes its instances itself; {@link BlockFileRun} sets them.
 */
public class BlockFileContract extends BlockDeviceContractTest
{
    static final String PATH = "millrace.lab.path";
    static final String BLOCK_SIZE = "millrace.lab.block-size";
    static final String POLLED = "millrace.lab.polled";

    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        final boolean isPolled = Boolean.getBoolean(POLLED);
        final FileDevice file = FileDevice.open(
            FileDeviceConfig.of("contract", Path.of(System.getProperty(PATH)), 0, Integer.getInteger(BLOCK_SIZE))
                .withPolling(isPolled ? FileDeviceConfig.Polling.ON : FileDeviceConfig.Polling.OFF),
            MemoryRegistry.of(registered));
        // It is as the last test left it.
        try (Initiator eraser = new Initiator("eraser", file))
        {
            Assertions.assertTrue(file.isDirect());
            Assertions.assertEquals(isPolled, file.isPolled());
            Assertions.assertEquals(BlockStatus.SUCCESS, eraser.run(
                BlockOperation.WRITE_ZEROES, 0, (int)file.geometry().blockCount(), false));
        }
        catch (final AssertionError e)
        {
            file.close();
            throw e;
        }
        return file;
    }

    @AfterEach
    void shouldNeedNoOtherWay()
    {
        // Among them that the drive refused to be polled after all.
        Assertions.assertEquals(List.of(), ((FileDevice)device).notes());
    }
}
