package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * Follows data pointers as a controller does: PRPs with all their rules, SGLs. Answers runs of virtual addresses.
 */
final class ModelData
{
    private final ModelDma dma;
    private final int pageBytes;

    ModelData(final ModelDma dma, final int pageBytes)
    {
        this.dma = dma;
        this.pageBytes = pageBytes;
    }

    /** Pairs of address and length that make up so many bytes. */
    List<long[]> runs(final ModelCommand command, final int lengthBytes)
    {
        return switch (command.flags() >>> 6)
        {
            case 0 -> pages(command.prp1(), command.prp2(), lengthBytes);
            case 1 -> descriptors(command.prp1(), command.prp2(), lengthBytes);
            default -> throw new ModelFault("PSDT of flags " + command.flags());
        };
    }

    private List<long[]> pages(final long prp1, final long prp2, final int lengthBytes)
    {
        final List<long[]> runs = new ArrayList<>();
        check(0 == (prp1 & 3), "PRP1 0x" + Long.toHexString(prp1) + " is not dword-aligned");
        int left = lengthBytes - add(runs, prp1, lengthBytes);
        if (left > 0 && left <= pageBytes)
        {
            checkPage(prp2);
            left -= add(runs, prp2, left);
        }
        else if (left > 0)
        {
            check(0 == (prp2 & 7), "list at 0x" + Long.toHexString(prp2));
            long list = prp2;
            while (left > 0)
            {
                final boolean isLastOfPage = 0 == (list + 8 & pageBytes - 1);
                final long entry = NativeMemory.getLong(dma.address(list, 8));
                checkPage(entry);
                if (isLastOfPage && left > pageBytes)
                {
                    list = entry;
                }
                else
                {
                    left -= add(runs, entry, left);
                    list += 8;
                }
            }
        }
        else
        {
            check(0 == prp2, "PRP2 is set and not needed");
        }
        return runs;
    }

    private int add(final List<long[]> runs, final long iova, final int lengthBytes)
    {
        final int length = Math.min(lengthBytes, pageBytes - (int)(iova & pageBytes - 1));
        runs.add(new long[]{dma.address(iova, length), length});
        return length;
    }

    private void checkPage(final long entry)
    {
        check(0 == (entry & pageBytes - 1), "PRP 0x" + Long.toHexString(entry) + " has an offset");
    }

    private List<long[]> descriptors(final long address, final long typeAndLength, final int lengthBytes)
    {
        final List<long[]> runs = new ArrayList<>();
        final int type = (int)(typeAndLength >>> 56);
        if (0 == type)
        {
            addBlock(runs, address, typeAndLength);
        }
        else
        {
            check(0x30 == type, "SGL descriptor type " + type);
            final int bytes = (int)typeAndLength;
            check(bytes > 0 && 0 == bytes % 16, "SGL segment of " + bytes + " bytes");
            final long list = dma.address(address, bytes);
            for (int i = 0; i < bytes; i += 16)
            {
                check(0 == NativeMemory.getByte(list + i + 15), "descriptor type in last segment");
                addBlock(runs, NativeMemory.getLong(list + i), NativeMemory.getLong(list + i + 8));
            }
        }
        final long sum = runs.stream().mapToLong((run) -> run[1]).sum();
        check(sum == lengthBytes, "SGL of " + sum + " bytes for " + lengthBytes);
        return runs;
    }

    private void addBlock(final List<long[]> runs, final long iova, final long typeAndLength)
    {
        final int length = (int)typeAndLength;
        check(0 == typeAndLength >>> 32, "SGL descriptor 0x" + Long.toHexString(typeAndLength));
        runs.add(new long[]{dma.address(iova, length), length});
    }

    private static void check(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            throw new ModelFault(what);
        }
    }
}
