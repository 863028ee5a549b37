package io.millrace.pci;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Processes and their open files at one moment, as far as this process may read them. Set-up only; immutable.
 */
public final class OpenFiles
{
    private final Map<String, String> holders;

    private OpenFiles(final Map<String, String> holders)
    {
        this.holders = holders;
    }

    /**
     * Looks once through the descriptors of all processes whose descriptors may be read.
     *
     * @param folder files below it are looked for.
     * @return the open files and their processes.
     */
    public static OpenFiles below(final Path folder)
    {
        final Map<String, String> holders = new HashMap<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*"))
        {
            for (final Path process : processes)
            {
                collect(process, folder, holders);
            }
        }
        catch (final IOException | DirectoryIteratorException e)
        {
            // Processes come and go meanwhile; what was found is right.
            return new OpenFiles(holders);
        }
        return new OpenFiles(holders);
    }

    private static void collect(final Path process, final Path folder, final Map<String, String> holders)
    {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd")))
        {
            for (final Path descriptor : descriptors)
            {
                final Path file = target(descriptor);
                if (file.startsWith(folder))
                {
                    holders.computeIfAbsent(file.toString(), (key) -> " by process " + process.getFileName() +
                        " (" + name(process) + ")");
                }
            }
        }
        catch (final IOException | DirectoryIteratorException e)
        {
            // Another user's, or just gone.
            return;
        }
    }

    /** A descriptor may have been closed meanwhile. */
    private static Path target(final Path descriptor)
    {
        try
        {
            return Files.readSymbolicLink(descriptor);
        }
        catch (final IOException e)
        {
            return Path.of("");
        }
    }

    private static String name(final Path process)
    {
        try
        {
            return Files.readString(process.resolve("comm")).strip();
        }
        catch (final IOException e)
        {
            return "just ended";
        }
    }

    /**
     * {@return for example {@code " by process 4711 (qemu)"}; empty when nobody was found}
     *
     * @param paths of files that are asked for, in this order.
     */
    public String holder(final String... paths)
    {
        for (final String path : paths)
        {
            final String holder = holders.get(path);
            if (null != holder)
            {
                return holder;
            }
        }
        return "";
    }
}
