package io.millrace.lab.guest;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.ControllerProperty;
import io.millrace.pci.IommuMode;
import io.millrace.pci.PciException;
import io.millrace.pci.VfioFunction;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes NVMe drives over VFIO, without the driver, and says line by line what it found. Each argument is one thing to
 * do, in order; drives are named by address. Lines begin with PROBE; what was refused is {@code PROBE refused} and the
 * sentence.
 */
public final class VfioProbe
{
    private static final int ADMIN_ENTRIES = 16;
    private static final int PAGE = 4096;
    private static final long COMPLETIONS = PAGE;
    private static final long DATA = 2 * PAGE;
    private static final int QUEUE_SIZES = 0x24;
    private static final int SUBMISSION_BASE = 0x28;
    private static final int COMPLETION_BASE = 0x30;
    private static final int DOORBELLS = 0x1000;
    private static final int ENABLE = 1 | 6 << 16 | 4 << 20;
    private static final int SUBMISSION_BYTES = 64;
    private static final int COMPLETION_BYTES = 16;
    private static final int IDENTIFY = 6;
    private static final int CNS_CONTROLLER = 1;
    private static final int MODEL_OFFSET = 24;
    private static final int MODEL_BYTES = 40;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final VfioFunction function;
    private final DmaMemory memory;
    private final long iova;
    private int tail;

    private VfioProbe(final VfioFunction function, final DmaMemory memory)
    {
        this.function = function;
        this.memory = memory;
        iova = function.dma().map(memory.address(), memory.lengthBytes());
    }

    /**
     * Does what it is told.
     *
     * @param args pairs of a word and its argument: {@code registers ADDRESS}, {@code identify ADDRESS}, {@code map
     *             ADDRESS=MIB}, {@code twice ADDRESS}, {@code noiommu ADDRESS}, {@code hold ADDRESS} until it
     *             is removed.
     * @throws Exception when something is broken, not merely refused.
     */
    public static void main(final String[] args) throws Exception
    {
        for (int i = 0; i < args.length; i += 2)
        {
            try
            {
                run(args[i], args[i + 1]);
            }
            catch (final PciException e)
            {
                say("refused " + e.getMessage());
            }
        }
    }

    private static void run(final String word, final String argument) throws Exception
    {
        switch (word)
        {
            case "registers" -> registers(argument);
            case "identify" -> identify(argument);
            case "map" -> map(argument.substring(0, argument.indexOf('=')),
                Long.parseLong(argument.substring(argument.indexOf('=') + 1)) << 20);
            case "twice" -> twice(argument);
            case "noiommu" -> open(argument, IommuMode.UNSAFE_NO_IOMMU).close();
            case "hold" -> hold(argument);
            default -> throw new IllegalArgumentException(word);
        }
    }

    private static VfioFunction open(final String address, final IommuMode mode)
    {
        return VfioFunction.open(address, mode);
    }

    private static void registers(final String address)
    {
        try (VfioFunction function = open(address, IommuMode.REQUIRED))
        {
            final long bar = function.bar0().address();
            say("address " + function.address());
            say("registers " + function.bar0().lengthBytes());
            say("version 0x" + Integer.toHexString(NativeMemory.getIntAcquire(bar + ControllerProperty.VERSION)));
            say("capabilities 0x" + Long.toHexString(NativeMemory.getLongAcquire(bar)));
            say("vector " + (function.interruptFd(0) >= 0) + " " + (function.interruptFd(1) >= 0) + " " +
                function.interruptFd(1000));
            say("gone " + function.isGone());
        }
    }

    /** Identify into mapped memory, then beside it, then into mapped memory again. */
    private static void identify(final String address)
    {
        try (VfioFunction function = open(address, IommuMode.REQUIRED); DmaMemory memory = DmaMemory.map(4 * PAGE))
        {
            final VfioProbe probe = new VfioProbe(function, memory);
            probe.enable();
            say("identify " + probe.identifyInto(probe.iova + DATA) + " " + probe.model());
            NativeMemory.fill(memory.address() + DATA, PAGE, (byte)0);
            say("beside " + probe.identifyInto(probe.iova + (1L << 32)) + " " + probe.model());
            say("identify " + probe.identifyInto(probe.iova + DATA) + " " + probe.model());
            say("ready " + probe.isReady() + ", reset " + function.reset() + ", ready " + probe.isReady());
            function.dma().unmap(probe.iova, memory.lengthBytes());
        }
    }

    private boolean isReady()
    {
        return 1 == (NativeMemory.getIntAcquire(function.bar0().address() + ControllerProperty.STATUS) & 1);
    }

    private void enable()
    {
        final long bar = function.bar0().address();
        function.enableBusMaster(true);
        NativeMemory.putIntRelease(bar + QUEUE_SIZES, ADMIN_ENTRIES - 1 | ADMIN_ENTRIES - 1 << 16);
        NativeMemory.putLongRelease(bar + SUBMISSION_BASE, iova);
        NativeMemory.putLongRelease(bar + COMPLETION_BASE, iova + COMPLETIONS);
        NativeMemory.putIntRelease(bar + ControllerProperty.CONFIGURATION, ENABLE);
        await(bar + ControllerProperty.STATUS, 1, 1);
    }

    private String identifyInto(final long target)
    {
        final long entry = memory.address() + (long)tail * SUBMISSION_BYTES;
        NativeMemory.fill(entry, SUBMISSION_BYTES, (byte)0);
        NativeMemory.putInt(entry, IDENTIFY | tail + 1 << 16);
        NativeMemory.putLong(entry + 24, target);
        NativeMemory.putInt(entry + 40, CNS_CONTROLLER);
        final long completion = memory.address() + COMPLETIONS + (long)tail * COMPLETION_BYTES + 12;
        tail++;
        NativeMemory.putIntRelease(function.bar0().address() + DOORBELLS, tail);
        // The phase tag.
        final int status = await(completion, 1 << 16, 1 << 16) >>> 17;
        return "status 0x" + Integer.toHexString(status & 0x7FF);
    }

    private String model()
    {
        final StringBuilder model = new StringBuilder();
        for (int i = 0; i < MODEL_BYTES; i++)
        {
            final byte b = NativeMemory.getByte(memory.address() + DATA + MODEL_OFFSET + i);
            model.append(0 == b ? '.' : (char)b);
        }
        return "'" + model.toString().strip() + "'";
    }

    private static int await(final long address, final int mask, final int wanted)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (true)
        {
            final int value = NativeMemory.getIntAcquire(address);
            if (wanted == (value & mask))
            {
                return value;
            }
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new IllegalStateException("0x" + Integer.toHexString(value) + " for too long");
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private static void map(final String address, final long lengthBytes)
    {
        try (VfioFunction function = open(address, IommuMode.REQUIRED); DmaMemory memory = DmaMemory.map(lengthBytes))
        {
            final long iova = function.dma().map(memory.address(), memory.lengthBytes());
            final long again = function.dma().map(memory.address(), 2 << 20);
            say("mapped " + (lengthBytes >> 20) + " MiB, " + (iova != again) + ", aligned " +
                (0 == (iova - memory.address() & (2 << 20) - 1)));
            function.dma().unmap(again, 2 << 20);
            function.dma().unmap(iova, memory.lengthBytes());
            function.dma().unmap(iova, memory.lengthBytes());
        }
    }

    private static void twice(final String address)
    {
        try (VfioFunction first = open(address, IommuMode.REQUIRED);
            VfioFunction second = open(address, IommuMode.REQUIRED))
        {
            say("twice " + first.address() + " " + second.address());
        }
    }

    /** Says when the kernel wants the drive back, and gives it. */
    private static void hold(final String address)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        try (VfioFunction function = open(address, IommuMode.REQUIRED))
        {
            say("holding " + function.address());
            while (!function.isGone() && System.nanoTime() - deadlineNs < 0)
            {
                LockSupport.parkNanos(PAUSE_NS);
            }
            say("gone " + function.isGone());
        }
    }

    private static void say(final String line)
    {
        System.out.println("PROBE " + line);
    }
}
