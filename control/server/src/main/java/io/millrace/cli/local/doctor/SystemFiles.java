package io.millrace.cli.local.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the kernel tells in files. Reads below a root, so that tests can bring files of their own. Stateless.
 *
 * @param root of the file system.
 */
record SystemFiles(Path root)
{
    /**
     * {@return the text of a file without the white space around it; empty when it cannot be read}
     *
     * @param path absolute.
     */
    String read(final String path)
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

    boolean exists(final String path)
    {
        return Files.exists(at(path));
    }

    boolean isWritable(final String path)
    {
        return Files.isWritable(at(path));
    }

    /**
     * {@return the last name of what a link leads to; empty when there is no such link}
     *
     * @param path absolute.
     */
    String linkName(final String path)
    {
        try
        {
            return Files.readSymbolicLink(at(path)).getFileName().toString();
        }
        catch (final IOException e)
        {
            return "";
        }
    }

    /**
     * {@return names in a directory, in order; empty when it cannot be read}
     *
     * @param path absolute.
     */
    List<String> list(final String path)
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
     * {@return the value of a {@code Name: value} line; empty when there is none}
     *
     * @param path absolute.
     * @param name of the line, without colon.
     */
    String field(final String path, final String name)
    {
        return read(path).lines()
            .filter((line) -> line.startsWith(name + ":"))
            .map((line) -> line.substring(name.length() + 1).strip())
            .findFirst().orElse("");
    }

    private Path at(final String path)
    {
        return root.resolve(path.substring(1));
    }
}
