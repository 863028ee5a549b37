package io.millrace.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.state.StateDocument;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TextFileTest
{
    private static final int LINE_LENGTH_MAX = YamlParser.LINE_LENGTH_MAX;

    @Test
    void shouldBoundAFileWhoseLengthTheSystemDoesNotTell()
    {
        final ConfigException e =
            assertThrows(ConfigException.class, () -> TextFile.read(Path.of("/dev/zero"), 100, "name another"));
        assertEquals("/dev/zero: longer than 100 bytes; is this the right file?", e.getMessage());
    }

    @Test
    void shouldReadAStreamUpToItsBoundInUtf8Alone()
    {
        assertEquals("é", TextFile.read("it", new ByteArrayInputStream("é".getBytes(StandardCharsets.UTF_8)), 2));
        assertEquals("it: is not a text in UTF-8; is this the right file?", assertThrows(ConfigException.class,
            () -> TextFile.read("it", new ByteArrayInputStream(new byte[]{-1}), 2)).getMessage());
    }

    @Test
    void shouldSayWhyAStreamCannotBeRead()
    {
        final InputStream in = new InputStream()
        {
            @Override
            public int read() throws IOException
            {
                throw new IOException("Is a directory");
            }
        };
        assertEquals("standard input: cannot be read: Is a directory",
            assertThrows(ConfigException.class, () -> TextFile.read("standard input", in, 2)).getMessage());
    }

    @Test
    void shouldNameALineThatIsTooLongBeforeParsing()
    {
        final String comment = "#" + "x".repeat(LINE_LENGTH_MAX - 1);
        StateDocument.read("doc", comment + "\r\n" + comment + "\ndevices: []");
        final ConfigException e = assertThrows(ConfigException.class,
            () -> StateDocument.read("doc", comment + "\r\n\ndevices: []\n" + comment + "x"));
        assertEquals("doc:4: the line has " + (LINE_LENGTH_MAX + 1) + " characters, " + LINE_LENGTH_MAX +
            " are the most; write lists and groups on lines of their own", e.getMessage());
        final String blanks = " ".repeat(4_200_000);
        assertTrue(assertThrows(ConfigException.class, () -> StateDocument.read("doc", blanks)).getMessage()
            .startsWith("doc:1: the line has 4200000 characters"));
    }
}
