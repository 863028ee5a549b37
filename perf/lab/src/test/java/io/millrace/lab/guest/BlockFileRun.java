package io.millrace.lab.guest;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.memory.DmaMemory;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Runs the contract of block devices, and what is special of the kernel's block devices, on those of this machine.
 * Beside that, a device with one error must be healthy again a minute later. Lines begin with CONTRACT.
 */
public final class BlockFileRun
{
    private static final int BLOCK = 4096;
    private static final long QUIET_S = 60;
    private static final long LIMIT_S = 75;

    private BlockFileRun()
    {
    }

    /**
     * Ends with exit code 1 when a test failed, or none was found.
     *
     * @param args block device whose first block cannot be read, then those of 8 MiB as PATH:BLOCK_SIZE, or
     *             PATH:BLOCK_SIZE:polled.
     * @throws InterruptedException never.
     */
    public static void main(final String[] args) throws InterruptedException
    {
        boolean isGood = args.length > 1;
        try (FileDevice failing = FileDevice.open(FileDeviceConfig.of("failing", Path.of(args[0]), 0, BLOCK));
            DmaMemory memory = DmaMemory.map(BLOCK);
            Initiator initiator = new Initiator("failing", failing))
        {
            final BlockStatus status =
                initiator.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK);
            final long failedNs = System.nanoTime();
            ContractRun.say("failed with " + status + ", is " + failing.status().health());
            isGood &= ContractRun.run(BlockFileChecks.class, "checks");
            for (int i = 1; i < args.length; i++)
            {
                isGood &= contract(args[i]);
            }
            isGood &= recovers(failing, failedNs);
        }
        System.exit(isGood ? 0 : 1);
    }

    private static boolean contract(final String blockDevice)
    {
        final String[] words = blockDevice.split(":");
        System.setProperty(BlockFileContract.PATH, words[0]);
        System.setProperty(BlockFileContract.BLOCK_SIZE, words[1]);
        System.setProperty(BlockFileContract.POLLED, String.valueOf(words.length > 2));
        return ContractRun.run(BlockFileContract.class, blockDevice);
    }

    private static boolean recovers(final FileDevice failing, final long failedNs) throws InterruptedException
    {
        while (DeviceHealth.ONLINE != failing.status().health() && seconds(failedNs) < LIMIT_S)
        {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        final boolean isInTime = seconds(failedNs) >= QUIET_S;
        ContractRun.say("is " + failing.status().health() + (isInTime ? " after a minute" : " too early"));
        return isInTime && DeviceHealth.ONLINE == failing.status().health();
    }

    private static long seconds(final long sinceNs)
    {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sinceNs);
    }
}
