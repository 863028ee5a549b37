package io.millrace.lab.guest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AcknowledgedWriterTest
{
    private static final int RECORDS = 3000;

    @TempDir
    private Path directory;

    @Test
    void shouldMissWhatIsOldOrBroken() throws IOException
    {
        final Path image = directory.resolve("writer.img");
        try (FileChannel channel = FileChannel.open(
            image, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            new AcknowledgedWriter(channel).write(1, RECORDS);
            assertEquals(0, AcknowledgedWriter.lost(image, RECORDS));
            assertEquals(0, AcknowledgedWriter.lost(image, RECORDS - 7), "younger records than acknowledged");
            assertEquals(7, AcknowledgedWriter.lost(image, RECORDS + 7), "older records than acknowledged");

            channel.write(ByteBuffer.allocate(1), 12347);
            assertEquals(1, AcknowledgedWriter.lost(image, RECORDS), "one byte changed");
        }
    }
}
