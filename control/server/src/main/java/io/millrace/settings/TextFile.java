package io.millrace.settings;

import io.millrace.dataplane.config.SettingException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
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
            try (InputStream in = Files.newInputStream(path))
            {
                return read(file, in, lengthMax);
            }
        }
        catch (final NoSuchFileException e)
        {
            throw new ConfigException(file, 0, "no such file; " + missingHint);
        }
        catch (final AccessDeniedException e)
        {
            throw new ConfigException(file, 0, "may not be read; check its permissions");
        }
        catch (final IOException e)
        {
            throw unreadable(file, e);
        }
    }

    /**
     * Reads a stream to its end as text in UTF-8. Of one without an end, such as a device, it reads no more than a
     * byte beyond the bound, whatever length the system tells.
     *
     * @param name      of it, for messages.
     * @param in        to read; not closed.
     * @param lengthMax in bytes.
     * @return its text.
     * @throws ConfigException when it cannot be read.
     */
    public static String read(final String name, final InputStream in, final int lengthMax)
    {
        try
        {
            final byte[] bytes = in.readNBytes(lengthMax + 1);
            if (bytes.length > lengthMax)
            {
                throw new ConfigException(name, 0, "longer than " + lengthMax + " bytes; is this the right file?");
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        }
        catch (final CharacterCodingException e)
        {
            throw new ConfigException(name, 0, "is not a text in UTF-8; is this the right file?");
        }
        catch (final IOException e)
        {
            throw unreadable(name, e);
        }
    }

    private static ConfigException unreadable(final String name, final IOException e)
    {
        return new ConfigException(name, 0, "cannot be read: " +
            SettingException.printable(String.valueOf(e.getMessage())));
    }
}
