package io.millrace.pci;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Which process has a file open, as far as this one may know. Set-up only; stateless.
 */
public final class OpenFiles
{
    private OpenFiles()
    {
    }

    /**
     * Looks through the descriptors of all processes whose descriptors may be read.
     *
     * @param path of the file.
     * @return for example {@code " by process 4711 (qemu)"}; empty when nobody is found.
     */
    public static String holder(final String path)
    {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*"))
        {
            for (final Path process : processes)
            {
                if (has(process, path))
                {
                    return " by process " + process.getFileName() + " (" +
                        Files.readString(process.resolve("comm")).strip() + ")";
                }
            }
        }
        catch (final IOException e)
        {
            // Processes come and go meanwhile.
            return "";
        }
        return "";
    }

    private static boolean has(final Path process, final String path)
    {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd")))
        {
            for (final Path descriptor : descriptors)
            {
                if (path.equals(Files.readSymbolicLink(descriptor).toString()))
                {
                    return true;
                }
            }
        }
        catch (final IOException e)
        {
            // Another user's, or just gone.
            return false;
        }
        return false;
    }
}
