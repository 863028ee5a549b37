package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory stands in for that of the drive in sysfs; it has no hidden limit but those that a test sets. */
class QueueAttributesTest
{
    private static final int POLLED_BYTES_MAX = 128 << 10;

    @TempDir
    private Path directory;
    private Path drive;
    private QueueAttributes attributes;

    @BeforeEach
    void describeADriveThatCanBePolled() throws IOException
    {
        drive = Files.createDirectories(directory.resolve("drive"));
        Files.createDirectory(drive.resolve("mq"));
        Files.createDirectory(drive.resolve("queue"));
        set("io_poll", "1");
        set("chunk_sectors", "0");
        set("max_segments", "127");
        set("max_sectors_kb", "1280");
        attributes = new QueueAttributes(drive);
    }

    /** As the kernel writes it, with a line end. */
    private void set(final String attribute, final String value) throws IOException
    {
        Files.writeString(drive.resolve("queue").resolve(attribute), value + '\n');
    }

    private void remove(final String attribute) throws IOException
    {
        Files.delete(drive.resolve("queue").resolve(attribute));
    }

    @Test
    void shouldReadAnAttribute() throws IOException
    {
        set("write_zeroes_max_bytes", "2199023255040");
        assertEquals(2_199_023_255_040L, attributes.value("write_zeroes_max_bytes"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "none", "9223372036854775808", "[mq-deadline] none"})
    void shouldHaveZeroForWhatIsNoNumber(final String value) throws IOException
    {
        set("discard_max_bytes", value);
        assertEquals(0, attributes.value("discard_max_bytes"));
    }

    @Test
    void shouldHaveZeroForAnAttributeThatTheQueueLacks()
    {
        assertEquals(0, attributes.value("discard_max_bytes"));
        assertEquals(0, new QueueAttributes(directory.resolve("none")).value("io_poll"));
    }

    @Test
    void shouldReadTheQueueOfTheDriveOfAPartition() throws IOException
    {
        final QueueAttributes partition = new QueueAttributes(Files.createDirectory(drive.resolve("part1")));
        assertEquals(127, partition.value("max_segments"));
        assertEquals(POLLED_BYTES_MAX, partition.polledBytesMax());
    }

    @Test
    void shouldPollForTransfersOfALimitedLength()
    {
        assertEquals(POLLED_BYTES_MAX, attributes.polledBytesMax());
    }

    @Test
    void shouldPollUpToTheLongestTransferOfTheDrive() throws IOException
    {
        set("max_sectors_kb", "127");
        assertEquals(127 << 10, attributes.polledBytesMax());
        set("max_sectors_kb", "4");
        assertEquals(4 << 10, attributes.polledBytesMax());
        // In bytes it is beyond an int.
        set("max_sectors_kb", "4194304");
        assertEquals(POLLED_BYTES_MAX, attributes.polledBytesMax());
    }

    /** Memory that begins within a page takes a segment more than it has pages. */
    @ParameterizedTest
    @CsvSource({"1, 0", "2, 4096", "17, 65536", "32, 126976", "33, 131072", "34, 131072", "65535, 131072"})
    void shouldPollForWhatFitsIntoTheSegmentsWhereverItBeginsInAPage(final int segments, final int expected)
        throws IOException
    {
        set("max_segments", Integer.toString(segments));
        assertEquals(expected, attributes.polledBytesMax());
    }

    @ParameterizedTest
    @ValueSource(strings = {"max_segments", "max_sectors_kb", "io_poll"})
    void shouldNotPollADriveWithUnknownLimits(final String attribute) throws IOException
    {
        remove(attribute);
        assertEquals(0, attributes.polledBytesMax());
    }

    @Test
    void shouldNotPollAQueueThatHasNoPolling() throws IOException
    {
        set("io_poll", "0");
        assertEquals(0, attributes.polledBytesMax());
    }

    /** The kernel splits what crosses one of its boundaries. */
    @Test
    void shouldNotPollADriveThatHasTransfersSplitAtBoundaries() throws IOException
    {
        set("chunk_sectors", "256");
        assertEquals(0, attributes.polledBytesMax());
        // Before Linux 4.12 there is no such attribute.
        remove("chunk_sectors");
        assertEquals(POLLED_BYTES_MAX, attributes.polledBytesMax());
    }

    /** Such as device mapper, which has io_poll where all its drives have. */
    @Test
    void shouldNotPollADriveThatIsMadeOfOthers() throws IOException
    {
        Files.delete(drive.resolve("mq"));
        assertEquals(0, attributes.polledBytesMax());
        Files.createFile(drive.resolve("mq"));
        assertEquals(0, attributes.polledBytesMax());
    }
}
