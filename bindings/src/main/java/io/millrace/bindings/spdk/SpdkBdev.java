package io.millrace.bindings.spdk;

import io.millrace.bindings.Native;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.generated.spdk.spdk_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A bdev that a reactor has open, and what it says of itself. On the reactor's thread only.
 */
public final class SpdkBdev
{
    private static final int TEXT_BYTES_MAX = 256;

    private final MemorySegment opened;
    private final MemorySegment bdev;

    private SpdkBdev(final MemorySegment opened, final MemorySegment bdev)
    {
        this.opened = opened;
        this.bdev = bdev;
    }

    /**
     * Opens a bdev.
     *
     * @param reactor  that opens it.
     * @param name     of the bdev.
     * @param writable whether for writing as well.
     * @param slots    how many requests there may be at a time; 0: none, it is only looked at.
     * @param tag      that messages name it by.
     * @return the bdev.
     * @throws NativeException with ENODEV for an unknown name, EPERM when a module of SPDK has claimed it.
     */
    public static SpdkBdev open(
        final MemorySegment reactor, final String name, final boolean writable, final int slots, final long tag)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment error = arena.allocate(ValueLayout.JAVA_INT);
            final MemorySegment opened = (MemorySegment)Handles.OPEN.invokeExact(
                reactor, arena.allocateFrom(name), writable ? 1 : 0, slots, tag, error);
            if (MemorySegment.NULL.equals(opened))
            {
                throw new NativeException("spdk_bdev_open_ext", -error.get(ValueLayout.JAVA_INT, 0));
            }
            return new SpdkBdev(opened, (MemorySegment)Handles.GET.invokeExact(opened));
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@return what requests name it by}
     */
    public long address()
    {
        return opened.address();
    }

    /**
     * {@return what tells bdevs apart, whatever name or alias they were opened by}
     */
    public long identity()
    {
        return bdev.address();
    }

    /** Closes it. It has no requests any more. */
    public void close()
    {
        try
        {
            Handles.CLOSE.invokeExact(opened);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@return the kind of bdev, in SPDK's words, such as {@code Malloc disk}}
     */
    @SuppressWarnings("restricted")
    public String productName()
    {
        try
        {
            return ((MemorySegment)Handles.PRODUCT_NAME.invokeExact(bdev)).reinterpret(TEXT_BYTES_MAX).getString(0);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@return bytes of a block}
     */
    public int blockSizeBytes()
    {
        return number(Handles.BLOCK_SIZE);
    }

    /**
     * {@return count of blocks}
     */
    public long blockCount()
    {
        return wide(Handles.NUM_BLOCKS);
    }

    /**
     * {@return bytes of metadata of a block}
     */
    public int metadataBytes()
    {
        return number(Handles.MD_SIZE);
    }

    /**
     * {@return what addresses of payload are to be a multiple of}
     */
    public long alignmentBytes()
    {
        return wide(Handles.BUF_ALIGN);
    }

    /**
     * {@return count of blocks that writes are to begin at a multiple of and be as long as, as those of raid5f are}
     */
    public int writeUnitBlocks()
    {
        return number(Handles.WRITE_UNIT_SIZE);
    }

    /**
     * {@return whether what was written is stable only after a flush}
     */
    public boolean hasWriteCache()
    {
        return flag(Handles.WRITE_CACHE);
    }

    /**
     * {@return whether it is a zoned bdev}
     */
    public boolean isZoned()
    {
        return flag(Handles.ZONED);
    }

    /**
     * {@return whether it does requests of a type}
     *
     * @param type {@code SPDK_BDEV_IO_TYPE_*}.
     */
    public boolean supports(final int type)
    {
        try
        {
            return (boolean)Handles.SUPPORTED.invokeExact(bdev, type);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private int number(final MethodHandle handle)
    {
        try
        {
            return (int)handle.invokeExact(bdev);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private long wide(final MethodHandle handle)
    {
        try
        {
            return (long)handle.invokeExact(bdev);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private boolean flag(final MethodHandle handle)
    {
        try
        {
            return (boolean)handle.invokeExact(bdev);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static final class Handles
    {
        private static final MethodHandle OPEN =
            SpdkLibrary.link("millrace_spdk_bdev_open", spdk_h.millrace_spdk_bdev_open$descriptor());
        private static final MethodHandle GET =
            SpdkLibrary.link("millrace_spdk_bdev_get", spdk_h.millrace_spdk_bdev_get$descriptor());
        private static final MethodHandle CLOSE =
            SpdkLibrary.link("millrace_spdk_bdev_close", spdk_h.millrace_spdk_bdev_close$descriptor());
        private static final MethodHandle PRODUCT_NAME =
            SpdkLibrary.link("spdk_bdev_get_product_name", spdk_h.spdk_bdev_get_product_name$descriptor());
        private static final MethodHandle BLOCK_SIZE =
            SpdkLibrary.link("spdk_bdev_get_block_size", spdk_h.spdk_bdev_get_block_size$descriptor());
        private static final MethodHandle NUM_BLOCKS =
            SpdkLibrary.link("spdk_bdev_get_num_blocks", spdk_h.spdk_bdev_get_num_blocks$descriptor());
        private static final MethodHandle MD_SIZE =
            SpdkLibrary.link("spdk_bdev_get_md_size", spdk_h.spdk_bdev_get_md_size$descriptor());
        private static final MethodHandle BUF_ALIGN =
            SpdkLibrary.link("spdk_bdev_get_buf_align", spdk_h.spdk_bdev_get_buf_align$descriptor());
        private static final MethodHandle WRITE_UNIT_SIZE =
            SpdkLibrary.link("spdk_bdev_get_write_unit_size", spdk_h.spdk_bdev_get_write_unit_size$descriptor());
        private static final MethodHandle WRITE_CACHE =
            SpdkLibrary.link("spdk_bdev_has_write_cache", spdk_h.spdk_bdev_has_write_cache$descriptor());
        private static final MethodHandle ZONED =
            SpdkLibrary.link("spdk_bdev_is_zoned", spdk_h.spdk_bdev_is_zoned$descriptor());
        private static final MethodHandle SUPPORTED =
            SpdkLibrary.link("spdk_bdev_io_type_supported", spdk_h.spdk_bdev_io_type_supported$descriptor());
    }
}
