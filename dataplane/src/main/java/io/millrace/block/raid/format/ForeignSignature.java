package io.millrace.block.raid.format;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * Recognises what a device already holds, so that a new array does not overwrite it unasked. Looks for the magic number
 * of each format at its offset; checksums are not verified, because a damaged file system is somebody's data too. Of
 * several signatures the outermost is named: an array before the file system in it. One use; one thread.
 */
public final class ForeignSignature
{
    private static final String MILLRACE = "MILLRACE";
    /** Characters stand for bytes: ISO 8859-1. */
    private static final List<Magic> CONTAINERS = List.of(
        new Magic(0, "LUKS\u00ba\u00be", "a LUKS encrypted volume"),
        new Magic(3, "-FVE-FS-", "a BitLocker encrypted volume"),
        new Magic(4096 + 24, "\u00c6\u0085\u0073\u00f6\u004e\u001a\u0045\u00ca" +
            "\u0082\u0065\u00f5\u007f\u0048\u00ba\u006d\u0081", "a bcache device"),
        new Magic(4096 + 24, "\u00c6\u0085\u0073\u00f6\u0066\u00ce\u0090\u00a9" +
            "\u00d9\u006a\u0060\u00cf\u0080\u003d\u00f7\u00ef", "a bcachefs file system"),
        new Magic(0, "SPDKRAID", "a member of an SPDK RAID bdev"),
        new Magic(0, "SPDKBLOB", "an SPDK blobstore (lvolstore)"),
        new Magic(0, "bluestore block device", "a Ceph BlueStore device"),
        new Magic(0, "dmvdo001", "a VDO volume"),
        new Magic(32, "ORCLDISK", "an Oracle ASM disk"));
    private static final List<Magic> FILE_SYSTEMS = List.of(
        new Magic(0, "XFSB", "an XFS file system"),
        new Magic((64 << 10) + 64, "_BHRfS_M", "a btrfs file system"),
        new Magic(1024, "\u0010\u0020\u00f5\u00f2", "an f2fs file system"),
        new Magic(4096 + 1024, "\u0010\u0020\u00f5\u00f2", "an f2fs file system"),
        new Magic(64 << 10, "\u0001\u0016\u0019\u0070", "a GFS2 file system"),
        new Magic(2 * 512, "OCFSV2", "an OCFS2 file system"),
        new Magic(2 * 1024, "OCFSV2", "an OCFS2 file system"),
        new Magic(2 * 2048, "OCFSV2", "an OCFS2 file system"),
        new Magic(2 * 4096, "OCFSV2", "an OCFS2 file system"),
        new Magic(3, "NTFS    ", "an NTFS file system"),
        new Magic(3, "EXFAT   ", "an exFAT file system"),
        new Magic(82, "FAT32   ", "a FAT file system"),
        new Magic(54, "FAT16   ", "a FAT file system"),
        new Magic(54, "FAT12   ", "a FAT file system"),
        new Magic(54, "FAT     ", "a FAT file system"));
    /** In the last ten bytes of the first page, of each page size that Linux has. */
    private static final List<String> SWAPS = List.of("SWAPSPACE2", "SWAP-SPACE", "S1SUSPEND", "S2SUSPEND",
        "ULSUSPEND", "LINHIB0001");
    private static final int SWAP_PAGE_BYTES_MIN = 4 << 10;
    private static final int SWAP_PAGE_BYTES_MAX = 64 << 10;
    private static final int SWAP_MAGIC_BYTES = 10;

    private static final int MD_MAGIC = 0xA92B4EFC;
    private static final int MD_RESERVED_BYTES = 64 << 10;
    private static final int DDF_MAGIC = 0xDE11DE11;
    /** Of DRBD 8, of 8.4 with an activity log that is not applied, and of 9. */
    private static final List<String> DRBDS =
        List.of("\u0083\u0074\u0002\u006b", "\u0083\u0074\u0002\u006c", "\u0083\u0074\u0002\u006d");
    private static final int DRBD_MAGIC_OFFSET = 60;
    private static final int SECTOR_BYTES = 512;
    private static final int LVM_LABEL_SECTORS = 4;
    private static final int LUKS2_VERSION_OFFSET = 6;
    private static final int LUKS2_HEADER_OFFSET_OFFSET = 256;
    private static final int LUKS2_SECOND_HEADER_MIN = 16 << 10;
    private static final int LUKS2_SECOND_HEADER_MAX = 4 << 20;

    private static final int ZFS_LABEL_BYTES = 256 << 10;
    private static final int ZFS_LIST_OFFSET = 16 << 10;
    private static final int ZFS_LIST_NAME_OFFSET = 24;
    private static final int ZFS_RING_BYTES = 128 << 10;
    private static final int ZFS_UBERBLOCK_BYTES_MIN = 1 << 10;
    private static final long ZFS_UBERBLOCK_MAGIC = 0x00BAB10CL;

    private static final int EXT_SUPERBLOCK = 1024;
    private static final int EXT_MAGIC = 0xEF53;
    private static final int EXT_BLOCK_SIZE_LOG_MAX = 6;
    private static final int EXT_REVISION_MAX = 1;
    private static final int EXT_COMPATIBLE_JOURNAL = 0x4;
    private static final int EXT_INCOMPATIBLE_JOURNAL_DEVICE = 0x8;
    /** FILETYPE, RECOVER and META_BG. */
    private static final int EXT_INCOMPATIBLE_OF_EXT3 = 0x2 | 0x4 | 0x10;
    /** SPARSE_SUPER, LARGE_FILE and BTREE_DIR. */
    private static final int EXT_READ_ONLY_OF_EXT3 = 0x1 | 0x2 | 0x4;

    private static final int MBR_ENTRIES_OFFSET = 446;
    private static final int MBR_ENTRY_BYTES = 16;
    private static final int MBR_ENTRY_COUNT = 4;
    private static final int MBR_SIGNATURE_OFFSET = 510;
    private static final int MBR_SIGNATURE = 0xAA55;
    private static final int MBR_TYPE_GPT = 0xEE;

    private final DirectBuffer head;
    private final DirectBuffer tail;
    private final long deviceBytes;
    /** Where {@link #at} found its bytes. */
    private DirectBuffer foundBuffer;
    private int foundIndex;

    private ForeignSignature(final DirectBuffer head, final DirectBuffer tail, final long deviceBytes)
    {
        this.head = head;
        this.tail = tail;
        this.deviceBytes = deviceBytes;
    }

    /** Bytes at an offset of the device, and the noun of what has them. */
    private record Magic(long offset, byte[] bytes, String noun)
    {
        Magic(final long offset, final String bytes, final String noun)
        {
            this(offset, bytes.getBytes(StandardCharsets.ISO_8859_1), noun);
        }
    }

    /**
     * What a device holds, judged by its beginning and its end.
     *
     * @param head        the first 256 KiB of the device, or all of it.
     * @param tail        the last 128 KiB of the device, or all of it.
     * @param deviceBytes size of the device.
     * @return a noun such as "an ext4 file system"; null: nothing that is known.
     */
    public static String find(final DirectBuffer head, final DirectBuffer tail, final long deviceBytes)
    {
        return new ForeignSignature(head, tail, deviceBytes).find();
    }

    private String find()
    {
        String noun = array();
        noun = null != noun ? noun : firstOf(CONTAINERS);
        noun = null != noun ? noun : volume();
        noun = null != noun ? noun : isGpt() ? "a GPT partition table" : null;
        noun = null != noun ? noun : isZfs() ? "a member of a ZFS pool" : null;
        noun = null != noun ? noun : ext();
        noun = null != noun ? noun : firstOf(FILE_SYSTEMS);
        noun = null != noun ? noun : isSwap() ? "a Linux swap area" : null;
        return null != noun ? noun : mbr();
    }

    private String firstOf(final List<Magic> magics)
    {
        for (final Magic each : magics)
        {
            if (has(each.offset, each.bytes))
            {
                return each.noun;
            }
        }
        return null;
    }

    private String array()
    {
        if (has(MemberArea.FIRST_SUPERBLOCK_BYTES, MILLRACE) ||
            has(MemberArea.secondSuperblockOffset(deviceBytes), MILLRACE))
        {
            return "a member of a Millrace array";
        }
        // The offsets of 0.90 and 1.0 as the kernel computes them from the size of the device.
        final long oldOffset = (deviceBytes & -MD_RESERVED_BYTES) - MD_RESERVED_BYTES;
        if (hasMd(oldOffset, LITTLE_ENDIAN, 0) || hasMd(oldOffset, BIG_ENDIAN, 0))
        {
            return "a member of a Linux md array (superblock 0.90)";
        }
        if (hasMd((deviceBytes & -4096L) - 8192, LITTLE_ENDIAN, 1))
        {
            return "a member of a Linux md array (superblock 1.0)";
        }
        if (hasMd(0, LITTLE_ENDIAN, 1))
        {
            return "a member of a Linux md array (superblock 1.1)";
        }
        if (hasMd(4096, LITTLE_ENDIAN, 1))
        {
            return "a member of a Linux md array (superblock 1.2)";
        }
        if (has(fromEnd(2L * SECTOR_BYTES, SECTOR_BYTES), "Intel Raid ISM Cfg Sig. ") ||
            has(fromEnd(2L * 4096, 4096), "Intel Raid ISM Cfg Sig. "))
        {
            return "a member of an Intel Matrix RAID array";
        }
        if (at(fromEnd(SECTOR_BYTES, SECTOR_BYTES), Integer.BYTES) && DDF_MAGIC == int32(0, BIG_ENDIAN))
        {
            return "a member of a DDF RAID array";
        }
        for (final String each : DRBDS)
        {
            if (has(fromEnd(4096, 4096) + DRBD_MAGIC_OFFSET, each))
            {
                return "a DRBD backing device";
            }
        }
        return null;
    }

    private boolean hasMd(final long offset, final ByteOrder order, final int majorVersion)
    {
        return at(offset, 2 * Integer.BYTES) && MD_MAGIC == int32(0, order) && majorVersion == int32(4, order);
    }

    private String volume()
    {
        for (long offset = 0; offset < LVM_LABEL_SECTORS * SECTOR_BYTES; offset += SECTOR_BYTES)
        {
            if (has(offset, "LABELONE") && has(offset + 24, "LVM2 001"))
            {
                return "an LVM2 physical volume";
            }
        }
        // The first header of LUKS2 may be lost; the second says where it is.
        for (long offset = LUKS2_SECOND_HEADER_MIN; offset <= LUKS2_SECOND_HEADER_MAX; offset <<= 1)
        {
            if (has(offset, "SKUL\u00ba\u00be") && at(offset, LUKS2_HEADER_OFFSET_OFFSET + Long.BYTES) &&
                2 == int16(LUKS2_VERSION_OFFSET, BIG_ENDIAN) &&
                offset == foundBuffer.getLong(foundIndex + LUKS2_HEADER_OFFSET_OFFSET, BIG_ENDIAN))
            {
                return "a LUKS encrypted volume";
            }
        }
        return null;
    }

    /** Either header, for both sizes of logical blocks. */
    private boolean isGpt()
    {
        return has(SECTOR_BYTES, "EFI PART") || has(4096, "EFI PART") ||
            has(fromEnd(SECTOR_BYTES, SECTOR_BYTES), "EFI PART") || has(fromEnd(4096, 4096), "EFI PART");
    }

    /** The XDR list of names and values of the first label, or an uberblock of the first label or the last. */
    private boolean isZfs()
    {
        if (at(ZFS_LIST_OFFSET, Integer.BYTES) && 1 == foundBuffer.getByte(foundIndex) &&
            has(ZFS_LIST_OFFSET + ZFS_LIST_NAME_OFFSET, "version"))
        {
            return true;
        }
        final long end = deviceBytes & -ZFS_LABEL_BYTES;
        for (int offset = 0; offset < ZFS_RING_BYTES; offset += ZFS_UBERBLOCK_BYTES_MIN)
        {
            if (hasUberblock(ZFS_LABEL_BYTES - ZFS_RING_BYTES + offset) || hasUberblock(end - ZFS_RING_BYTES + offset))
            {
                return true;
            }
        }
        return false;
    }

    private boolean hasUberblock(final long offset)
    {
        return at(offset, Long.BYTES) && (ZFS_UBERBLOCK_MAGIC == foundBuffer.getLong(foundIndex, LITTLE_ENDIAN) ||
            ZFS_UBERBLOCK_MAGIC == foundBuffer.getLong(foundIndex, BIG_ENDIAN));
    }

    /** Two bytes of magic may be there by chance, so other fields have to be valid too. */
    private String ext()
    {
        if (!at(EXT_SUPERBLOCK, 104) || EXT_MAGIC != int16(56, LITTLE_ENDIAN) ||
            Integer.compareUnsigned(int32(24, LITTLE_ENDIAN), EXT_BLOCK_SIZE_LOG_MAX) > 0 ||
            Integer.compareUnsigned(int32(76, LITTLE_ENDIAN), EXT_REVISION_MAX) > 0)
        {
            return null;
        }
        final int incompatible = int32(96, LITTLE_ENDIAN);
        if (0 != (incompatible & EXT_INCOMPATIBLE_JOURNAL_DEVICE))
        {
            return "the journal of an ext3 or ext4 file system";
        }
        if (0 != (incompatible & ~EXT_INCOMPATIBLE_OF_EXT3) ||
            0 != (int32(100, LITTLE_ENDIAN) & ~EXT_READ_ONLY_OF_EXT3))
        {
            return "an ext4 file system";
        }
        return 0 != (int32(92, LITTLE_ENDIAN) & EXT_COMPATIBLE_JOURNAL) ?
            "an ext3 file system" : "an ext2 file system";
    }

    private boolean isSwap()
    {
        for (int pageBytes = SWAP_PAGE_BYTES_MIN; pageBytes <= SWAP_PAGE_BYTES_MAX; pageBytes <<= 1)
        {
            for (final String each : SWAPS)
            {
                if (has(pageBytes - SWAP_MAGIC_BYTES, each))
                {
                    return true;
                }
            }
        }
        return false;
    }

    /** Boot sectors of other kinds end with the same two bytes: the entries have to be valid, and one in use. */
    private String mbr()
    {
        if (!at(0, MBR_SIGNATURE_OFFSET + Short.BYTES) || MBR_SIGNATURE != int16(MBR_SIGNATURE_OFFSET, LITTLE_ENDIAN))
        {
            return null;
        }
        String noun = null;
        for (int i = 0; i < MBR_ENTRY_COUNT; i++)
        {
            final int entry = MBR_ENTRIES_OFFSET + i * MBR_ENTRY_BYTES;
            final int status = foundBuffer.getByte(foundIndex + entry) & 0xFF;
            final int type = foundBuffer.getByte(foundIndex + entry + 4) & 0xFF;
            if (0 != status && 0x80 != status)
            {
                return null;
            }
            if (0 != type && 0 != int32(entry + 8, LITTLE_ENDIAN) && 0 != int32(entry + 12, LITTLE_ENDIAN))
            {
                noun = MBR_TYPE_GPT == type ? "a GPT partition table" : "an MBR partition table";
            }
        }
        return noun;
    }

    /** Offset at a distance from the end of the last whole block. */
    private long fromEnd(final long distanceBytes, final int blockBytes)
    {
        return (deviceBytes & -(long)blockBytes) - distanceBytes;
    }

    private boolean has(final long offset, final String magic)
    {
        return has(offset, magic.getBytes(StandardCharsets.ISO_8859_1));
    }

    private boolean has(final long offset, final byte[] magic)
    {
        if (!at(offset, magic.length))
        {
            return false;
        }
        for (int i = 0; i < magic.length; i++)
        {
            if (magic[i] != foundBuffer.getByte(foundIndex + i))
            {
                return false;
            }
        }
        return true;
    }

    /** Whether one of the buffers has these bytes of the device; then {@link #foundBuffer} and its index say where. */
    private boolean at(final long offset, final int lengthBytes)
    {
        return isIn(head, offset, lengthBytes) || isIn(tail, offset - (deviceBytes - tail.capacity()), lengthBytes);
    }

    private boolean isIn(final DirectBuffer buffer, final long index, final int lengthBytes)
    {
        if (index < 0 || index > buffer.capacity() - (long)lengthBytes)
        {
            return false;
        }
        foundBuffer = buffer;
        foundIndex = (int)index;
        return true;
    }

    private int int16(final int offset, final ByteOrder order)
    {
        return foundBuffer.getShort(foundIndex + offset, order) & 0xFFFF;
    }

    private int int32(final int offset, final ByteOrder order)
    {
        return foundBuffer.getInt(foundIndex + offset, order);
    }
}
