package io.millrace.manager.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.FileSyncs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
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

    /** Versions name hosts and volumes, which are not for every user of the machine. */
    @Test
    void shouldOpenNothingToOthers() throws IOException
    {
        final Path made = directory.resolve("a/b");
        final FileDisk disk = FileDisk.of(made);
        disk.write("state", new byte[10]);
        disk.append("log", new byte[10]);
        for (final Path each : List.of(made.getParent(), made, made.resolve("state"), made.resolve("log")))
        {
            assertTrue(Collections.disjoint(Files.getPosixFilePermissions(each),
                PosixFilePermissions.fromString("------rwx")), each::toString);
        }
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
