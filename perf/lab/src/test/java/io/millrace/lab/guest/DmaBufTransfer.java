package io.millrace.lab.guest;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.Mappings;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * I/O of a file device with payload in a dma-buf of a graphics driver, imported as a region of memory and mapped here.
 * Lines begin with DMABUF.
 */
public final class DmaBufTransfer
{
    private static final int PAGE_BYTES = 4096;
    /** One line of the picture is a page. */
    private static final int WIDTH = 1024;
    private static final int HEIGHT = 256;
    private static final int BITS_PER_PIXEL = 32;
    private static final int DMA_BUF_BYTES = HEIGHT * PAGE_BYTES;
    private static final int REGION_BYTES = DMA_BUF_BYTES - PAGE_BYTES;
    private static final int TRANSFER_BYTES = 256 << 10;
    private static final byte PAINT = 0x5A;

    // Linux uapi/drm/drm.h and drm_mode.h.
    private static final long CREATE_DUMB = 0xC020_64B2L;
    private static final int CREATE_DUMB_BYTES = 32;
    private static final int CREATE_DUMB_HANDLE = 16;
    private static final int CREATE_DUMB_SIZE = 24;
    private static final long PRIME_HANDLE_TO_FD = 0xC00C_642DL;
    private static final int PRIME_HANDLE_BYTES = 12;
    private static final int PRIME_FD = 8;

    private DmaBufTransfer()
    {
    }

    /**
     * Writes 256 KiB of a pattern to each path and reads them back, all in the dma-buf.
     *
     * @param args the graphics device, then paths of files and block devices of at least 256 KiB.
     */
    public static void main(final String[] args)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final int fd = export(arena, args[0]);
            final long mapped = checked("mmap", Mappings.mmap(
                0, DMA_BUF_BYTES, Mappings.PROT_READ | Mappings.PROT_WRITE, Mappings.MAP_SHARED, fd, 0));
            final MemoryRegion region = MemoryRegion.importedDmaBuf(MemoryRole.BUFFERS, MemoryDomain.HOST, fd,
                PAGE_BYTES, REGION_BYTES, PAGE_BYTES, mapped + PAGE_BYTES);
            final MemoryRegistry registry = new MemoryRegistry();
            registry.add(region);
            say("region " + region.lengthBytes() + " of dma-buf at offset " + region.dmaBufOffsetBytes());
            for (int i = 1; i < args.length; i++)
            {
                transfer(registry, region.address(), Path.of(args[i]));
            }
            registry.remove(region);
            Files.close(fd);
        }
        say("end");
    }

    private static int export(final Arena arena, final String path)
    {
        final int card = (int)checked(
            path, Files.open(arena.allocateFrom(path).address(), Files.O_RDWR | Files.O_CLOEXEC, 0));
        final long dumb = arena.allocate(CREATE_DUMB_BYTES, Long.BYTES).address();
        NativeMemory.putInt(dumb, HEIGHT);
        NativeMemory.putInt(dumb + Integer.BYTES, WIDTH);
        NativeMemory.putInt(dumb + 2 * Integer.BYTES, BITS_PER_PIXEL);
        checked("CREATE_DUMB", Files.ioctl(card, CREATE_DUMB, dumb));
        final long sizeBytes = NativeMemory.getLong(dumb + CREATE_DUMB_SIZE);
        if (DMA_BUF_BYTES != sizeBytes)
        {
            throw new IllegalStateException("the buffer has " + sizeBytes + " bytes instead of " + DMA_BUF_BYTES);
        }
        final long prime = arena.allocate(PRIME_HANDLE_BYTES, Long.BYTES).address();
        NativeMemory.putInt(prime, NativeMemory.getInt(dumb + CREATE_DUMB_HANDLE));
        NativeMemory.putInt(prime + Integer.BYTES, Files.O_RDWR | Files.O_CLOEXEC);
        checked("PRIME_HANDLE_TO_FD", Files.ioctl(card, PRIME_HANDLE_TO_FD, prime));
        // The dma-buf keeps its memory.
        Files.close(card);
        return NativeMemory.getInt(prime + PRIME_FD);
    }

    private static void transfer(final MemoryRegistry registry, final long address, final Path path)
    {
        final long back = address + TRANSFER_BYTES;
        try (FileDevice device = FileDevice.open(FileDeviceConfig.of("dmabuf", path, 0, PAGE_BYTES), registry);
            Initiator initiator = new Initiator("dmabuf", device))
        {
            for (int i = 0; i < TRANSFER_BYTES; i++)
            {
                NativeMemory.putByte(address + i, (byte)(i / PAGE_BYTES + i));
            }
            NativeMemory.fill(back, TRANSFER_BYTES, PAINT);
            final String how = path + (device.isDirect() ? " direct" : " buffered");
            say(how + " notes " + device.notes());
            final int blocks = TRANSFER_BYTES / PAGE_BYTES;
            say(how + " write " + initiator.run(BlockOperation.WRITE, 0, blocks, true, address, TRANSFER_BYTES));
            final BlockStatus read = initiator.run(BlockOperation.READ, 0, blocks, false, back, TRANSFER_BYTES);
            int same = 0;
            for (int i = 0; i < TRANSFER_BYTES; i++)
            {
                same += NativeMemory.getByte(address + i) == NativeMemory.getByte(back + i) ? 1 : 0;
            }
            say(how + " read " + read + ", " + (TRANSFER_BYTES == same ? "equal" : "different"));
        }
    }

    private static long checked(final String what, final long result)
    {
        if (result < 0)
        {
            throw new NativeException(what, (int)-result);
        }
        return result;
    }

    private static void say(final String line)
    {
        System.out.println("DMABUF " + line);
    }
}
