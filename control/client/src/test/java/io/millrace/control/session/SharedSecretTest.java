package io.millrace.control.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedSecretTest
{
    private static final String WORDS = "0123456789abcdef-hunter2";

    @TempDir
    private Path directory;

    private Path file(final String permissions, final byte[] content) throws IOException
    {
        final Path file = directory.resolve("secret");
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return file;
    }

    private static String error(final Path file)
    {
        final String message = assertThrows(SecretException.class, () -> SharedSecret.read(file)).getMessage();
        assertTrue(message.startsWith("secret file " + file), message);
        assertFalse(message.contains("hunter2"), message);
        assertFalse(message.contains("\n"), message);
        return message;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "\r\n"})
    void shouldReadAllButALineEnd(final String end) throws IOException
    {
        final SharedSecret read = SharedSecret.read(
            file("rw-r-----", (WORDS + end).getBytes(StandardCharsets.US_ASCII)));
        final SharedSecret given = SharedSecret.of(WORDS.getBytes(StandardCharsets.US_ASCII));
        assertArrayEquals(given.mac().doFinal(new byte[1]), read.mac().doFinal(new byte[1]));
        assertEquals("SharedSecret", read.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r--r--", "rw----r--", "rw-----w-"})
    void shouldRefuseAFileThatIsOpenToAll(final String permissions) throws IOException
    {
        assertTrue(error(file(permissions, WORDS.getBytes(StandardCharsets.US_ASCII))).contains("open to all users"));
    }

    @Test
    void shouldRefuseWhatIsMissingOrNoFile()
    {
        assertTrue(error(directory.resolve("none")).contains("is missing"));
        assertTrue(error(directory).contains("not a regular file"));
    }

    @Test
    void shouldRefuseWhatIsTooShortOrTooLong() throws IOException
    {
        assertTrue(error(file("rw-------", new byte[15])).contains("15 bytes, outside 16 to 1024"));
        assertTrue(error(file("rw-------", "fifteen-charact\n".getBytes(StandardCharsets.US_ASCII)))
            .contains("15 bytes"));
        assertTrue(error(file("rw-------", new byte[1025])).contains("1025 bytes"));
        assertTrue(error(file("rw-------", new byte[4000])).contains("right file"));
        SharedSecret.read(file("rw-------", new byte[16]));
        SharedSecret.read(file("rw-------", new byte[1024]));
    }
}
