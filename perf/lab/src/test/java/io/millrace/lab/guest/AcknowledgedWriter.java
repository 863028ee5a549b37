package io.millrace.lab.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * Writes numbered records to a block device, and flushes after every few. Once a flush has returned
 * it says so: {@code WRITER ack N} means that records 1 to N are on stable storage. At the end it reads all back from
 * the device and says how many of the acknowledged ones are gone: {@code WRITER lost 0}.
 * <p>
 * Record n lies in slot n modulo {@link #SLOTS}, so that old ones are overwritten and a write that came back to life
 * late is seen as well as one that was lost.
 */
public final class AcknowledgedWriter
{
    private static final int RECORD_BYTES = 4096;
    private static final int SLOTS = 1024;
    private static final int RECORDS_PER_FLUSH = 64;
    private static final int CHECKSUM_OFFSET = RECORD_BYTES - Integer.BYTES;

    /** Root's way to make the kernel forget what it has in memory of a device's blocks. */
    private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

    private final FileChannel channel;
    private final ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
    private final CRC32C checksum = new CRC32C();

    AcknowledgedWriter(final FileChannel channel)
    {
        this.channel = channel;
    }

    /**
     * Writes until a file appears.
     *
     * @param args the block device, and the file that ends it.
     * @throws IOException when the device fails.
     */
    public static void main(final String[] args) throws IOException
    {
        final Path end = Path.of(args[1]);
        final long last;
        final long lost;
        try (FileChannel channel = FileChannel.open(
            Path.of(args[0]), StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            final AcknowledgedWriter writer = new AcknowledgedWriter(channel);
            last = writer.writeUntil(end);
            Files.writeString(DROP_CACHES, "1");
            lost = writer.lost(last);
        }
        System.out.println("WRITER lost " + lost);
        System.exit(0 == lost && last > 0 ? 0 : 1);
    }

    /**
     * Looks for what was acknowledged.
     *
     * @param image        what the device's blocks are in.
     * @param acknowledged number of the last record that is to be there.
     * @return how many slots hold no whole record, or an older one than was acknowledged.
     * @throws IOException when the image cannot be read.
     */
    public static long lost(final Path image, final long acknowledged) throws IOException
    {
        try (FileChannel channel = FileChannel.open(image, StandardOpenOption.READ))
        {
            return new AcknowledgedWriter(channel).lost(acknowledged);
        }
    }

    private long writeUntil(final Path end) throws IOException
    {
        long number = 0;
        while (!Files.exists(end))
        {
            write(number + 1, number + RECORDS_PER_FLUSH);
            number += RECORDS_PER_FLUSH;
            System.out.println("WRITER ack " + number);
        }
        return number;
    }

    /** Writes records and flushes them. */
    void write(final long first, final long last) throws IOException
    {
        for (long number = first; number <= last; number++)
        {
            fill(number);
            channel.write(record, slot(number) * RECORD_BYTES);
        }
        channel.force(false);
    }

    private long lost(final long acknowledged) throws IOException
    {
        long lost = 0;
        for (long number = Math.max(1, acknowledged - SLOTS + 1); number <= acknowledged; number++)
        {
            record.clear();
            final int bytes = channel.read(record, slot(number) * RECORD_BYTES);
            final long found = record.getLong(0);
            if (RECORD_BYTES != bytes || found < number || slot(found) != slot(number) ||
                record.getInt(CHECKSUM_OFFSET) != checksum())
            {
                System.err.println("record " + number + " is lost, number " + found + " lies there");
                lost++;
            }
        }
        return lost;
    }

    private void fill(final long number)
    {
        record.clear();
        record.putLong(0, number);
        for (int i = Long.BYTES; i < CHECKSUM_OFFSET; i += Integer.BYTES)
        {
            record.putInt(i, (int)number * 31 + i);
        }
        record.putInt(CHECKSUM_OFFSET, checksum());
    }

    private int checksum()
    {
        checksum.reset();
        checksum.update(record.slice(0, CHECKSUM_OFFSET));
        return (int)checksum.getValue();
    }

    private static long slot(final long number)
    {
        return number % SLOTS;
    }
}
