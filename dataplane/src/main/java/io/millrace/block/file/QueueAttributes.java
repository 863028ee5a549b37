package io.millrace.block.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What sysfs says of the request queue of the drive that is, or is below, a file (Linux ABI/stable/sysfs-block).
 * Read off the reactors.
 *
 * @param device of the drive or partition in {@code /sys/dev/block}.
 */
record QueueAttributes(Path device)
{
    private static final Path DEVICES = Path.of("/sys/dev/block");
    private static final int PAGE_BYTES = 4096;
    /** Of longer transfers a drive's interrupt is a small part. */
    private static final int POLLED_BYTES_MAX = 128 << 10;

    /**
     * Of a drive or partition.
     *
     * @param deviceNumbers {@code MAJOR:MINOR}.
     * @return its attributes, which are read when they are asked for.
     */
    static QueueAttributes of(final String deviceNumbers)
    {
        return new QueueAttributes(DEVICES.resolve(deviceNumbers));
    }

    /**
     * {@return the value of an attribute; 0 when the queue lacks it}
     *
     * @param attribute file in the queue's directory.
     */
    long value(final String attribute)
    {
        // A partition has no queue of its own, its drive has.
        for (final String queue : new String[]{"queue", "../queue"})
        {
            try
            {
                return Long.parseLong(Files.readString(device.resolve(queue).resolve(attribute)).strip());
            }
            catch (final IOException | NumberFormatException e)
            {
                continue;
            }
        }
        return 0;
    }

    /**
     * {@return longest transfer from one piece of memory that the drive can be polled for; 0 when it cannot be}
     * What the kernel has to split is never found completed by polling (seen with Linux 6.1), so the limits of the
     * queue are respected, and drives that have it split at boundaries, or are made of others, are not polled.
     */
    int polledBytesMax()
    {
        if (1 != value("io_poll") || 0 != value("chunk_sectors") ||
            !Files.isDirectory(device.resolve("mq")) && !Files.isDirectory(device.resolve("../mq")))
        {
            return 0;
        }
        final long wholePages = (value("max_segments") - 1) * PAGE_BYTES;
        return Math.clamp(Math.min(value("max_sectors_kb") << 10, wholePages), 0, POLLED_BYTES_MAX);
    }
}
