package io.millrace.pci;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernel's files below a root, {@code /} except in tests. Stateless.
 *
 * @param root of the file system.
 */
public record Sysfs(Path root)
{
    /**
     * {@return where a file is}
     *
     * @param path absolute.
     */
    public Path at(final String path)
    {
        return root.resolve(path.substring(1));
    }

    /**
     * {@return whether a file is there}
     *
     * @param path absolute.
     */
    public boolean exists(final String path)
    {
        return Files.exists(at(path));
    }

    /**
     * {@return the text of a file without the white space around it; empty when it cannot be read}
     *
     * @param path absolute.
     */
    public String read(final String path)
    {
        try
        {
            return Files.readString(at(path)).strip();
        }
        catch (final IOException e)
        {
            return "";
        }
    }

    /**
     * {@return a number in decimal or, after 0x, hexadecimal digits; the other when there is none}
     *
     * @param path      absolute.
     * @param otherwise when there is none.
     */
    public long number(final String path, final long otherwise)
    {
        try
        {
            return Long.decode(read(path));
        }
        catch (final NumberFormatException e)
        {
            return otherwise;
        }
    }

    /**
     * {@return the last name of what a link leads to; empty when there is no such link}
     *
     * @param path absolute.
     */
    public String linkName(final String path)
    {
        try
        {
            return Files.readSymbolicLink(at(path)).getFileName().toString();
        }
        catch (final IOException | UnsupportedOperationException e)
        {
            return "";
        }
    }

    /**
     * {@return names in a directory, in order; empty when it cannot be read}
     *
     * @param path absolute.
     */
    public List<String> list(final String path)
    {
        final List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(at(path)))
        {
            entries.forEach((entry) -> names.add(entry.getFileName().toString()));
        }
        catch (final IOException e)
        {
            return List.of();
        }
        names.sort(null);
        return names;
    }

    /**
     * Writes an attribute that is there, in one call, as the kernel wants it.
     *
     * @param path absolute.
     * @param text to write.
     * @throws IOException when the kernel refuses.
     */
    public void write(final String path, final String text) throws IOException
    {
        Files.writeString(at(path), text, StandardOpenOption.WRITE);
    }
}
