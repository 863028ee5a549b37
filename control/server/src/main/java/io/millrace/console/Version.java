package io.millrace.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The version of the program. Stateless.
 */
public final class Version
{
    private Version()
    {
    }

    /**
     * {@return version of Millrace, such as {@code 0.1.0}}
     */
    public static String number()
    {
        try (InputStream in = Version.class.getResourceAsStream("version.properties"))
        {
            final Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * {@return version, Java and kernel in one line}
     */
    public static String line()
    {
        return "millrace " + number() + " (Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " +
            System.getProperty("os.version") + " " + System.getProperty("os.arch") + ")";
    }
}
