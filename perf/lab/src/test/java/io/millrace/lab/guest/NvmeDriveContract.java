package io.millrace.lab.guest;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.nvme.ControllerSettings;
import io.millrace.block.nvme.NvmeDeviceConfig;
import io.millrace.block.nvme.NvmeDrives;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.pci.IommuMode;
import io.millrace.pci.VfioFunction;
import org.junit.jupiter.api.Assertions;

/**
 * The contract of block devices on a namespace of a drive of this machine. Which one is said by system properties,
 * since the suite makes its instances itself; {@link ContractRun} sets them.
 */
public class NvmeDriveContract extends BlockDeviceContractTest
{
    static final String ADDRESS = "millrace.lab.address";
    static final String NSID = "millrace.lab.nsid";
    static final String INTERRUPTS = "millrace.lab.interrupts";

    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        final String address = System.getProperty(ADDRESS);
        final NvmeDeviceConfig config = NvmeDeviceConfig.of("contract", address, Integer.getInteger(NSID))
            .withInterrupts(Boolean.getBoolean(INTERRUPTS));
        final BlockDevice device = new NvmeDrives(MemoryRegistry.of(registered), ControllerSettings.defaults(),
            (drive, note) -> ContractRun.say("note " + note))
            .open(config, (function) -> VfioFunction.open(function, IommuMode.REQUIRED));
        // A drive is as the last one left it.
        try (Initiator eraser = new Initiator("eraser", device))
        {
            Assertions.assertEquals(BlockStatus.SUCCESS, eraser.run(
                BlockOperation.WRITE_ZEROES, 0, (int)device.geometry().blockCount(), false));
        }
        catch (final AssertionError e)
        {
            device.close();
            throw e;
        }
        if (device.geometry().supportsCopy())
        {
            ContractRun.say("namespace " + config.nsid() + " copies");
        }
        return device;
    }
}
