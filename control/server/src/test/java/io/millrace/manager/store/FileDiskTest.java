package io.millrace.manager.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.testing.FileSyncs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDiskTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldSyncTheFileAndTheDirectoryThatItIsAskedFor() throws IOException
    {
        final FileDisk disk = FileDisk.of(directory);
        disk.write("state", new byte[10]);
        assertEquals(List.of(directory.resolve("state").toString()), FileSyncs.during(() -> disk.sync("state")));
        assertEquals(List.of(directory.toString()), FileSyncs.during(disk::syncDirectory));
    }

    /** The name of each new directory is in the one above it. */
    @Test
    void shouldSyncTheDirectoriesAboveThoseThatItMakes() throws IOException
    {
        final Path made = directory.resolve("a/b");
        assertEquals(List.of(directory.toString(), directory.resolve("a").toString()),
            FileSyncs.during(() -> FileDisk.of(made)));
    }
}
