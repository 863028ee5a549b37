package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.testing.FileSyncs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that a device had is not replaced by an empty one when it is missing. */
class FileRecordsTest
{
    private static final long MIB = 1 << 20;
    private static final String REMEDY =
        ": mount its file system or restore the file; to begin with an empty one make it with 'touch'";

    @TempDir
    private Path directory;
    private Path image;
    private Path records;

    @BeforeEach
    void choosePaths()
    {
        image = directory.resolve("vol.img");
        records = directory.resolve("state/files");
    }

    /** As a process that was just started would. */
    private FileDevice open()
    {
        return open(FileRecords.in(records));
    }

    private FileDevice open(final FileRecords found)
    {
        return FileDevice.open(FileDeviceConfig.of("vol", image, MIB, 4096).withRecords(found));
    }

    private String refusal(final FileRecords found)
    {
        final String message = assertThrows(BlockDeviceException.class, () -> open(found).close()).getMessage();
        assertFalse(Files.exists(image), "made nevertheless");
        return message;
    }

    @Test
    void shouldNotMakeAFileAgainThatADeviceHad() throws IOException
    {
        open().close();
        open().close();
        Files.delete(image);
        final String message = refusal(FileRecords.in(records));
        assertTrue(message.matches("device vol: path \\Q" + image +
            "\\E does not exist, though device vol had it since \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\\Q" +
            REMEDY + "\\E"), message);
        Files.createFile(image);
        try (FileDevice device = open())
        {
            assertEquals(MIB, device.geometry().sizeBytes());
        }
    }

    /** Else a loss of power leaves a file that is empty or not there, or a record of neither. */
    @Test
    void shouldSyncANewFileItsRecordAndTheirDirectories() throws IOException
    {
        final FileDevice[] device = new FileDevice[1];
        final List<String> synced = FileSyncs.during(() -> device[0] = open());
        final String descriptor = "/proc/self/fd/";
        assertEquals(1, synced.stream().filter((each) -> each.startsWith(descriptor)).count(), () -> "file: " + synced);
        assertTrue(synced.contains(directory.toString()), () -> "its directory: " + synced);
        assertTrue(synced.stream().anyMatch((each) -> each.startsWith(records + "/new")), () -> "record: " + synced);
        assertEquals(records.toString(), synced.getLast(), () -> "directory of records: " + synced);
        assertTrue(synced.contains(records.getParent().toString()), () -> "the one above: " + synced);
        device[0].close();
        assertEquals(List.of(), FileSyncs.during(() -> open().close()), "nothing is new");
    }

    /** A data plane that knows of no file is told that there was one. */
    @Test
    void shouldNotMakeAFileThatSomebodyElseKnowsOf() throws IOException
    {
        for (final FileRecords own : new FileRecords[]{FileRecords.NONE, FileRecords.in(records)})
        {
            assertEquals("device vol: path " + image + " does not exist, though device vol had it before" + REMEDY +
                ", or delete the device and create it", refusal(own.expecting("vol", image)));
            // Nothing of it is left: the device begins again when it is meant to.
            open(own).close();
            try (FileDevice device = open(own.expecting("vol", image)))
            {
                assertEquals(MIB, device.geometry().sizeBytes());
            }
            Files.delete(image);
            own.remove(image);
        }
    }

    /** A file that was there when it was opened first is as good as one that was made. */
    @Test
    void shouldNotMakeAFileThatWasFound() throws IOException
    {
        Files.createFile(image);
        open().close();
        Files.delete(image);
        refusal(FileRecords.in(records));
    }

    @Test
    void shouldMakeAFileAgainWhoseDeviceWasDeleted() throws IOException
    {
        open().close();
        Files.delete(image);
        FileRecords.in(records).permanent().remove(image);
        refusal(FileRecords.in(records));
        FileRecords.in(records).remove(directory.resolve("state/../vol.img"));
        open().close();
        assertEquals(MIB, Files.size(image));
    }

    @Test
    void shouldKnowAFileThatWasAdopted()
    {
        for (final Path kept : new Path[]{records, null})
        {
            final FileRecords found = FileRecords.in(kept);
            found.adopt("old", image);
            assertEquals("device vol: path " + image + " does not exist, though device old had it before" + REMEDY,
                refusal(found));
            refusal(found.permanent());
        }
        refusal(FileRecords.in(records));
    }

    @Test
    void shouldNotRecordAFileThatWasRemovedAgain()
    {
        assertThrows(BlockDeviceException.class, () -> FileDevice.open(
            FileDeviceConfig.of("vol", image, 1L << 50, 4096).withRecords(FileRecords.in(records))).close());
        assertFalse(Files.exists(image));
        open().close();
        assertTrue(Files.exists(image));
    }

    @Test
    void shouldServeAndSayThatItCannotRecord() throws IOException
    {
        Files.createFile(directory.resolve("state"));
        // What cannot be read may have the file.
        final String message = refusal(FileRecords.in(records));
        assertTrue(message.startsWith("device vol: path " + image +
            " does not exist, and whether a device had it cannot be read ("), message);
        Files.createFile(image);
        try (FileDevice device = open())
        {
            assertEquals(1, device.notes().stream().filter((note) ->
                note.startsWith("device vol: that it has " + image + " cannot be recorded (") &&
                    note.endsWith("): if that file is missing at a later start, an empty one is made")).count(),
                device.notes()::toString);
        }
    }

    /** What was there before must not be taken for something that is made now. */
    @Test
    void shouldKnowWhatReturns() throws IOException
    {
        final Path lvol = FileRecords.pathOfLvol("lvs0/s");
        final FileRecords own = FileRecords.in(records);
        assertFalse(own.permanent().isReturning(lvol));
        own.add("s", lvol);
        assertTrue(own.had(lvol).startsWith("device s had it since "));
        assertFalse(own.isReturning(lvol), "a command that makes it anew");
        assertTrue(own.permanent().isReturning(lvol), "declared in a file");
        assertFalse(own.permanent().isReturning(FileRecords.pathOfLvol("lvs0/t")));
        assertTrue(FileRecords.NONE.expecting("s", lvol).isReturning(lvol), "restored");
        assertFalse(FileRecords.NONE.expecting("t", FileRecords.pathOfLvol("lvs0/t")).isReturning(lvol));
        assertTrue(FileRecords.NONE.isReturning(lvol), "nobody knows");
    }
}
