package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.seed.TestSeeds;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Signatures at the offsets that their formats have them, each in an image that is empty otherwise. What tools write is
 * in {@link ForeignSignatureToolsTest}.
 */
class ForeignSignatureTest
{
    private static final int HEAD_BYTES = 256 << 10;
    private static final int TAIL_BYTES = 128 << 10;
    /** Neither a multiple of 64 KiB nor of 256 KiB. */
    private static final int DEVICE_BYTES = (1 << 20) + 5 * 4096;

    private static String find(final byte[] device)
    {
        return ForeignSignature.find(new UnsafeBuffer(device, 0, Math.min(HEAD_BYTES, device.length)),
            new UnsafeBuffer(device, Math.max(0, device.length - TAIL_BYTES), Math.min(TAIL_BYTES, device.length)),
            device.length);
    }

    /** An image from pairs of an offset, negative from the end, and bytes in hex or in quotes. */
    private static byte[] image(final String parts)
    {
        return image(parts, DEVICE_BYTES);
    }

    private static byte[] image(final String parts, final int deviceBytes)
    {
        final byte[] device = new byte[deviceBytes];
        for (final String part : parts.trim().split(" *; *"))
        {
            final String[] pair = part.split("=", 2);
            final byte[] bytes = pair[1].startsWith("'") ?
                pair[1].substring(1, pair[1].length() - 1).getBytes() : HexFormat.of().parseHex(pair[1]);
            final int offset = Integer.decode(pair[0]);
            System.arraycopy(bytes, 0, device, offset < 0 ? device.length + offset : offset, bytes.length);
        }
        return device;
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', value = {
        // The device has 0x105000 bytes: rounded down to 64 KiB, and 64 KiB less.
        "0xF0000=fc4e2ba900000000            | a member of a Linux md array (superblock 0.90)",
        "0xF0000=a92b4efc00000000            | a member of a Linux md array (superblock 0.90)",
        "-0x2000=fc4e2ba901000000           | a member of a Linux md array (superblock 1.0)",
        "0=fc4e2ba901000000                 | a member of a Linux md array (superblock 1.1)",
        "0x1000=fc4e2ba901000000            | a member of a Linux md array (superblock 1.2)",
        "-1024='Intel Raid ISM Cfg Sig. 1.3' | a member of an Intel Matrix RAID array",
        "-8192='Intel Raid ISM Cfg Sig. 1.3' | a member of an Intel Matrix RAID array",
        "-512=de11de11                       | a member of a DDF RAID array",
        "-4036=8374026b                      | a DRBD backing device",
        "-4036=8374026c                      | a DRBD backing device",
        "-4036=8374026d                      | a DRBD backing device",
        "0x200='LABELONE'; 0x218='LVM2 001'  | an LVM2 physical volume",
        "0='LABELONE'; 0x18='LVM2 001'       | an LVM2 physical volume",
        "0x600='LABELONE'; 0x618='LVM2 001'  | an LVM2 physical volume",
        "0=4c554b53babe0001                  | a LUKS encrypted volume",
        "0x4000=534b554cbabe0002; 0x4100=0000000000004000 | a LUKS encrypted volume",
        "0x20000=534b554cbabe0002; 0x20100=0000000000020000 | a LUKS encrypted volume",
        "0=eb58902d4656452d46532d            | a BitLocker encrypted volume",
        "0x1018=c68573f64e1a45ca8265f57f48ba6d81 | a bcache device",
        "0x1018=c68573f666ce90a9d96a60cf803df7ef | a bcachefs file system",
        "0='SPDKRAID'                        | a member of an SPDK RAID bdev",
        "0='SPDKBLOB'                        | an SPDK blobstore (lvolstore)",
        "0='bluestore block device'          | a Ceph BlueStore device",
        "0='dmvdo001'                        | a VDO volume",
        "0x20='ORCLDISK'                     | an Oracle ASM disk",
        "0x200='EFI PART'                    | a GPT partition table",
        "0x1000='EFI PART'                   | a GPT partition table",
        "-512='EFI PART'                     | a GPT partition table",
        "-4096='EFI PART'                    | a GPT partition table",
        "0x4000=01010000; 0x4018='version'   | a member of a ZFS pool",
        "0x20000=0cb1ba0000000000            | a member of a ZFS pool",
        "0x3fc00=0000000000bab10c            | a member of a ZFS pool",
        // The last label ends at 0x100000, and its ring has the last 128 KiB of it.
        "0xFFC00=0cb1ba0000000000            | a member of a ZFS pool",
        "0x418=02000000; 0x438=53ef; 0x44c=01000000                                | an ext2 file system",
        "0x418=02000000; 0x438=53ef; 0x44c=01000000; 0x45c=04000000                | an ext3 file system",
        "0x438=53ef; 0x45c=3c000000; 0x460=06000000; 0x464=07000000                | an ext3 file system",
        "0x438=53ef; 0x45c=3c000000; 0x460=42000000                                | an ext4 file system",
        "0x438=53ef; 0x45c=3c000000; 0x464=08000000                                | an ext4 file system",
        "0x438=53ef; 0x460=08000000          | the journal of an ext3 or ext4 file system",
        "0='XFSB'                            | an XFS file system",
        "0x10040='_BHRfS_M'                  | a btrfs file system",
        "0x400=1020f5f2                      | an f2fs file system",
        "0x1400=1020f5f2                     | an f2fs file system",
        "0x10000=01161970                    | a GFS2 file system",
        "0x400='OCFSV2'                      | an OCFS2 file system",
        "0x800='OCFSV2'                      | an OCFS2 file system",
        "0x1000='OCFSV2'                     | an OCFS2 file system",
        "0x2000='OCFSV2'                     | an OCFS2 file system",
        "3='NTFS    '                        | an NTFS file system",
        "3='EXFAT   '                        | an exFAT file system",
        "0x52='FAT32   '                     | a FAT file system",
        "0x36='FAT16   '                     | a FAT file system",
        "0x36='FAT12   '                     | a FAT file system",
        "0x36='FAT     '                     | a FAT file system",
        "0xff6='SWAPSPACE2'                  | a Linux swap area",
        "0x3ff6='SWAP-SPACE'                 | a Linux swap area",
        "0xfff6='SWAPSPACE2'                 | a Linux swap area",
        "0xff6='S1SUSPEND'                   | a Linux swap area",
        "0x1be=00010100830f0f0f00080000a0000000; 0x1fe=55aa | an MBR partition table",
        "0x1ee=80010100070f0f0f00080000a0000000; 0x1fe=55aa | an MBR partition table",
        "0x1be=00000200eeffffff01000000ffffffff; 0x1fe=55aa | a GPT partition table",
        "0='MILLRACE'                        | a member of a Millrace array",
        "-4096='MILLRACE'                    | a member of a Millrace array"})
    void shouldRecogniseEachFormat(final String parts, final String noun)
    {
        assertEquals(noun, find(image(parts)));
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', value = {
        "0x100=00",
        // Magic numbers elsewhere, or without what comes with them.
        "0x2000=fc4e2ba901000000",
        "0=fc4e2ba902000000",
        "0x200='LABELONE'",
        "0x218='LVM2 001'",
        "0x800='LABELONE'; 0x818='LVM2 001'",
        "0x4000=534b554cbabe0002; 0x4100=0000000000008000",
        "0x4000=534b554cbabe0001; 0x4100=0000000000004000",
        "0x4018='version'",
        "0x20008=0cb1ba0000000000",
        // After the last label of ZFS.
        "0x100400=0cb1ba0000000000",
        "0x438=53ef; 0x418=07000000",
        "0x438=53ef; 0x418=ffffffff",
        "0x438=53ef; 0x44c=02000000",
        "4='NTFS    '",
        // Boot sectors: without a partition, with code where entries are, without the signature.
        "0=eb3c90; 0x1fe=55aa",
        "0x1be=00010100830f0f0f00080000a0000000; 0x1ce=7f; 0x1fe=55aa",
        "0x1be=00010100830f0f0f0008000000000000; 0x1fe=55aa",
        "0x1be=00010100830f0f0f00000000a0000000; 0x1fe=55aa",
        "0x1be=00010100000f0f0f00080000a0000000; 0x1fe=55aa",
        "0x1be=00010100830f0f0f00080000a0000000; 0x1fe=aa55"})
    void shouldRecogniseNothingElse(final String parts)
    {
        assertNull(find(image(parts)));
    }

    @Test
    void shouldRecogniseEitherCopyOfASuperblock()
    {
        final byte[] superblock = Superblocks.encode(Superblocks.random(TestSeeds.random()));
        final byte[] device = new byte[DEVICE_BYTES + 512];
        System.arraycopy(superblock, 0, device, 0, superblock.length);
        assertEquals("a member of a Millrace array", find(device));
        Arrays.fill(device, (byte)0);
        System.arraycopy(superblock, 0, device, DEVICE_BYTES - 4096, superblock.length);
        assertEquals("a member of a Millrace array", find(device));
    }

    /** Of 0x105600 bytes: whole blocks of 512 bytes, and no whole number of 4096. */
    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', value = {
        "0xF0000=fc4e2ba900000000            | a member of a Linux md array (superblock 0.90)",
        "0x103000=fc4e2ba901000000           | a member of a Linux md array (superblock 1.0)",
        "0x103000='Intel Raid ISM Cfg Sig. ' | a member of an Intel Matrix RAID array",
        "0x105200='Intel Raid ISM Cfg Sig. ' | a member of an Intel Matrix RAID array",
        "0x105400=de11de11                   | a member of a DDF RAID array",
        "0x10403c=8374026d                   | a DRBD backing device",
        "0x104000='EFI PART'                 | a GPT partition table",
        "0x105400='EFI PART'                 | a GPT partition table",
        "0xFFC00=0cb1ba0000000000            | a member of a ZFS pool",
        "0x104000='MILLRACE'                 | a member of a Millrace array"})
    void shouldRoundTheSizeOfTheDevice(final String parts, final String noun)
    {
        assertEquals(noun, find(image(parts, DEVICE_BYTES + 3 * 512)));
    }

    @Test
    void shouldNameTheArrayBeforeWhatIsInIt()
    {
        assertEquals("a member of a Linux md array (superblock 1.0)",
            find(image("-0x2000=fc4e2ba901000000; 0x438=53ef; 0x45c=3c000000; 0x460=42000000")));
    }

    /** Buffers of any size, whole and cut, around bytes that are magic numbers more often than chance has them. */
    @Property(tries = 2_000)
    void shouldNeverReadOutsideItsBuffers(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final byte[] device = new byte[random.nextInt(4) > 0 ? random.nextInt(10_000) : random.nextInt(300_000)];
        final int[] offsets = {0, 0x18, 0x200, 0x218, 0x400, 0x438, 0x1000, 0x1be, 0x1fe, 0x4000, 0x4100, 0x20000};
        final byte[][] magics = {{(byte)0xfc, 0x4e, 0x2b, (byte)0xa9, 1}, "LABELONE".getBytes(), {0x53, (byte)0xef},
            {0x55, (byte)0xaa}, {'S', 'K', 'U', 'L', (byte)0xba, (byte)0xbe, 0, 2}, {1}};
        for (int i = 0; i < 10; i++)
        {
            final byte[] magic = magics[random.nextInt(magics.length)];
            final int offset = offsets[random.nextInt(offsets.length)];
            if (offset + magic.length <= device.length)
            {
                System.arraycopy(magic, 0, device, offset, magic.length);
            }
        }
        final int head = random.nextBoolean() ? Math.min(HEAD_BYTES, device.length) : random.nextInt(device.length + 1);
        final int tail = random.nextBoolean() ? Math.min(TAIL_BYTES, device.length) : random.nextInt(device.length + 1);
        final long deviceBytes = random.nextInt(4) > 0 ? device.length : random.nextLong();
        ForeignSignature.find(new UnsafeBuffer(Arrays.copyOf(device, head)),
            new UnsafeBuffer(Arrays.copyOfRange(device, device.length - tail, device.length)), deviceBytes);
    }
}
