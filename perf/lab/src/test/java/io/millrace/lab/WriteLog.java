package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A log of dm-log-writes (the kernel's drivers/md/dm-log-writes.c), replayed onto an image. The kernel logs a write
 * once it is on stable storage: with its own completion when it has FUA, else with the next flush. So at a mark the
 * image holds what a loss of power at that moment would have left, and nothing that was in the drive's cache.
 */
final class WriteLog implements AutoCloseable
{
    /** What to do with the image at a mark. */
    interface MarkHandler
    {
        /**
         * Called with everything before the mark replayed.
         *
         * @param mark its text.
         */
        void onMark(String mark) throws IOException, InterruptedException;
    }

    private static final long MAGIC = 0x6a736677736872L;
    private static final int DISCARD = 1 << 2;
    private static final int MARK = 1 << 3;
    private static final int ENTRY_LENGTH_BYTES = 32;

    private final FileChannel log;
    private final FileChannel image;

    WriteLog(final Path log, final Path image, final long sizeBytes) throws IOException
    {
        this.log = FileChannel.open(log, StandardOpenOption.READ);
        this.image = FileChannel.open(image, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
        this.image.write(ByteBuffer.allocate(1), sizeBytes - 1);
    }

    void replay(final MarkHandler handler) throws IOException, InterruptedException
    {
        final ByteBuffer head = read(0, ENTRY_LENGTH_BYTES);
        assertEquals(MAGIC, head.getLong(), "no log of dm-log-writes");
        assertEquals(1, head.getLong(), "version of the log");
        final long entries = head.getLong();
        final int sectorBytes = head.getInt();
        long position = sectorBytes;
        for (long i = 0; i < entries; i++)
        {
            final ByteBuffer entry = read(position, sectorBytes);
            final long offsetBytes = entry.getLong() * sectorBytes;
            final int lengthBytes = Math.toIntExact(entry.getLong() * sectorBytes);
            final long flags = entry.getLong();
            final int markBytes = Math.toIntExact(entry.getLong());
            position += sectorBytes;
            if (0 != (flags & MARK))
            {
                final byte[] mark = new byte[markBytes];
                entry.get(mark);
                handler.onMark(new String(mark, StandardCharsets.US_ASCII));
            }
            else if (0 != (flags & DISCARD))
            {
                write(ByteBuffer.allocate(lengthBytes), offsetBytes);
            }
            else
            {
                write(read(position, lengthBytes), offsetBytes);
                position += lengthBytes;
            }
        }
    }

    private ByteBuffer read(final long position, final int lengthBytes) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocate(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining())
        {
            if (log.read(buffer, position + buffer.position()) < 0)
            {
                throw new IOException("the log ends within an entry at " + position);
            }
        }
        return buffer.flip();
    }

    private void write(final ByteBuffer content, final long position) throws IOException
    {
        while (content.hasRemaining())
        {
            image.write(content, position + content.position());
        }
    }

    @Override
    public void close() throws IOException
    {
        log.close();
        image.close();
    }
}
