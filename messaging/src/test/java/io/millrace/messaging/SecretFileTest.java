package io.millrace.messaging;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets in files are read by the rules of the control channel. */
class SecretFileTest
{
    @TempDir
    private Path directory;

    private Path file(final String permissions, final String content) throws IOException
    {
        final Path file = directory.resolve("secret");
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return file;
    }

    private void assertRefused(final Path file, final String word)
    {
        final IllegalArgumentException e =
            assertThrows(IllegalArgumentException.class, () -> new MessagingContext().secretFile(file));
        assertTrue(e.getMessage().contains(word) && e.getMessage().contains(file.toString()), e::getMessage);
    }

    @Test
    void shouldTakeAllBytesButALineEnd() throws IOException
    {
        final byte[] expected = "0123456789abcdef".getBytes(US_ASCII);
        for (final String end : new String[] {"", "\n", "\r\n"})
        {
            assertArrayEquals(expected,
                new MessagingContext().secretFile(file("rw-r-----", "0123456789abcdef" + end)).secret());
        }
        assertArrayEquals("0123456789abcdef\n".getBytes(US_ASCII),
            new MessagingContext().secretFile(file("rw-------", "0123456789abcdef\n\n")).secret());
    }

    @Test
    void shouldRefuseFilesThatAreNoSecret() throws IOException
    {
        assertRefused(directory.resolve("none"), "cannot be read");
        assertRefused(file("rw----r--", "0123456789abcdef"), "chmod 600");
        assertRefused(file("rw-----w-", "0123456789abcdef"), "chmod 600");
        assertRefused(file("rw-------", "0123456789abcde\n"), "15 bytes");
        assertRefused(file("rw-------", "x".repeat(1025)), "1025 bytes");
        assertRefused(file("rw-------", "x".repeat(1027)), "right file");
    }
}
