package io.millrace.lab.guest;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.nvme.ControllerSettings;
import io.millrace.block.nvme.NvmeController;
import io.millrace.block.nvme.NvmeDevice;
import io.millrace.block.nvme.NvmeDeviceConfig;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.pci.IommuMode;
import io.millrace.pci.VfioFunction;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Serves all namespaces of a drive on several reactors that sleep at once, so that interrupts alone wake them: what is
 * written on one reactor is read on the next. Lines begin with NAMESPACES.
 */
public final class NvmeNamespaces
{
    private static final int BLOCK_BYTES = 512;
    private static final int IO_BYTES = 4096;
    private static final int ROUNDS = 10;

    private NvmeNamespaces()
    {
    }

    /**
     * Does it and throws when something is not as it should be.
     *
     * @param args the drive's address, how many namespaces it has, how many reactors there are to be.
     * @throws IOException when the kernel's counts of interrupts cannot be read.
     */
    public static void main(final String[] args) throws IOException
    {
        final String address = args[0];
        final int namespaces = Integer.parseInt(args[1]);
        final int reactors = Integer.parseInt(args[2]);
        try (DmaMemory memory = DmaMemory.map((long)namespaces * IO_BYTES);
            NvmeController controller = NvmeController.start(VfioFunction.open(address, IommuMode.REQUIRED),
                MemoryRegistry.of(memory), ControllerSettings.defaults(), (drive, note) -> say("note " + note)))
        {
            final List<NvmeDevice> devices = new ArrayList<>();
            for (int nsid = 1; nsid <= namespaces; nsid++)
            {
                devices.add(NvmeDevice.open(
                    NvmeDeviceConfig.of("ns" + nsid, address, nsid).withInterrupts(true), controller));
            }
            final List<List<Initiator>> channels = new ArrayList<>();
            for (int i = 0; i < reactors; i++)
            {
                channels.add(reactor("reactor" + i, devices));
            }
            for (int round = 0; round < ROUNDS; round++)
            {
                write(channels.get(round % reactors), memory, round);
                read(channels.get((round + 1) % reactors), memory, round);
            }
            for (int vector = 1; vector <= reactors; vector++)
            {
                say("vector " + vector + (interrupts(address, vector) > 0 ? " interrupts" : " is silent"));
            }
            channels.reversed().forEach((each) -> each.reversed().forEach(Initiator::close));
            devices.forEach(NvmeDevice::close);
            say("namespaces " + namespaces + " on " + reactors + " reactors, resets " + controller.resets() +
                ", notes " + controller.notes().size());
        }
    }

    private static List<Initiator> reactor(final String name, final List<NvmeDevice> devices)
    {
        final List<Initiator> channels = new ArrayList<>();
        channels.add(new Initiator(
            new ReactorConfig(name, -1, ReactorConfig.IdleMode.SLEEP, 0), devices.getFirst()));
        devices.stream().skip(1).forEach((device) -> channels.add(channels.getFirst().beside(device)));
        return channels;
    }

    private static void write(final List<Initiator> channels, final DmaMemory memory, final int round)
    {
        for (int i = 0; i < channels.size(); i++)
        {
            NativeMemory.fill(memory.address() + (long)i * IO_BYTES, IO_BYTES, (byte)(1 + i + round));
        }
        runAll(channels, BlockOperation.WRITE, memory, round);
    }

    private static void read(final List<Initiator> channels, final DmaMemory memory, final int round)
    {
        NativeMemory.fill(memory.address(), (long)channels.size() * IO_BYTES, (byte)0);
        runAll(channels, BlockOperation.READ, memory, round);
        for (int i = 0; i < channels.size() * IO_BYTES; i++)
        {
            if ((byte)(1 + i / IO_BYTES + round) != NativeMemory.getByte(memory.address() + i))
            {
                throw new IllegalStateException("namespace " + (1 + i / IO_BYTES) + " holds another one's data");
            }
        }
    }

    /** One request for each namespace, all outstanding together. */
    private static void runAll(
        final List<Initiator> channels, final BlockOperation operation, final DmaMemory memory, final int round)
    {
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int i = 0; i < channels.size(); i++)
        {
            final Initiator.Io io = channels.get(i).io();
            Initiator.fill(io.request(), operation, (long)round * IO_BYTES / BLOCK_BYTES, IO_BYTES / BLOCK_BYTES, false,
                memory.address() + (long)i * IO_BYTES, IO_BYTES);
            channels.get(i).send(io);
            ios.add(io);
        }
        for (final Initiator.Io io : ios)
        {
            final BlockStatus status = channels.getFirst().await(io);
            if (BlockStatus.SUCCESS != status)
            {
                throw new IllegalStateException(io.request() + ": " + status);
            }
        }
    }

    /** How often a vector was raised, by the kernel's count over all CPUs. */
    private static long interrupts(final String address, final int vector) throws IOException
    {
        long count = 0;
        for (final String line : Files.readAllLines(Path.of("/proc/interrupts")))
        {
            if (line.contains("vfio-msix[" + vector + "](" + address + ")"))
            {
                for (final String word : line.trim().split("\\s+"))
                {
                    count += word.matches("\\d+") ? Long.parseLong(word) : 0;
                }
            }
        }
        return count;
    }

    private static void say(final String line)
    {
        System.out.println("NAMESPACES " + line);
    }
}
