package io.millrace.settings;

import io.millrace.dataplane.SettingException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Reads files that people write. Stateless.
 */
public final class TextFile
{
    private TextFile()
    {
    }

    /**
     * Reads a file as text in UTF-8.
     *
     * @param path        of it.
     * @param lengthMax   in bytes.
     * @param missingHint what to do when it is not there.
     * @return its text.
     * @throws ConfigException when it cannot be read.
     */
    public static String read(final Path path, final int lengthMax, final String missingHint)
    {
        final String file = path.toString();
        try
        {
            if (Files.isDirectory(path))
            {
                throw new ConfigException(file, 0, "is a directory; name a file");
            }
            if (Files.size(path) > lengthMax)
            {
                throw new ConfigException(file, 0, "longer than " + lengthMax + " bytes; is this the right file?");
            }
            return Files.readString(path);
        }
        catch (final NoSuchFileException e)
        {
            throw new ConfigException(file, 0, "no such file; " + missingHint);
        }
        catch (final AccessDeniedException e)
        {
            throw new ConfigException(file, 0, "may not be read; check its permissions");
        }
        catch (final CharacterCodingException e)
        {
            throw new ConfigException(file, 0, "is not a text in UTF-8; is this the right file?");
        }
        catch (final IOException e)
        {
            throw new ConfigException(file, 0, "cannot be read: " +
                SettingException.printable(String.valueOf(e.getMessage())));
        }
    }
}
