package io.millrace.control.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFileTest
{
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final String SECRET = "a-secret-of-the-tests-32-bytes-x";

    @TempDir
    private Path directory;
    private final List<String> lines = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private long nowNs;

    /** Replaced, as who writes it carefully does. */
    private Path write(final String content) throws IOException
    {
        final Path next = Files.writeString(directory.resolve("next"), content);
        Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-------"));
        return Files.move(next, directory.resolve("keys"), StandardCopyOption.REPLACE_EXISTING);
    }

    private boolean poll(final KeyFile file)
    {
        nowNs += SECOND_NS;
        return file.poll(nowNs);
    }

    @Test
    void shouldReadTheFileAgainWhenItIsAnother() throws IOException
    {
        final KeyFile file = new KeyFile(write("a read " + SECRET), notes::add, lines::add, nowNs);
        final KeyRing.Key a = file.keys().get("a");
        assertFalse(poll(file));
        write("a read " + SECRET + "\nb operator " + SECRET + " rack-7\n");
        assertFalse(file.poll(nowNs + SECOND_NS / 2));
        assertTrue(poll(file));
        assertEquals(List.of("control: the keys of " + directory.resolve("keys") + " were reloaded"), notes);
        assertEquals(List.of(), lines);
        assertTrue(file.keys().holds("a", a));
        assertEquals(Role.OPERATOR, file.keys().get("b").role());
        assertEquals("rack-7", file.keys().get("b").dataPlane());
        for (final String changed : new String[]{
            "a operator " + SECRET, "a read other-" + SECRET, "a read " + SECRET + " rack-8", "b read " + SECRET})
        {
            write(changed);
            assertTrue(poll(file), changed);
            assertFalse(file.keys().holds("a", a), changed);
        }
    }

    @Test
    void shouldKeepTheKeysWhenTheNewFileCannotBeUsed() throws IOException
    {
        final KeyFile file = new KeyFile(write("a read " + SECRET), notes::add, lines::add, nowNs);
        final KeyRing.Key a = file.keys().get("a");
        write("a read\n");
        for (int i = 0; i < 3; i++)
        {
            assertFalse(poll(file));
        }
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().contains("keys:1"), lines::toString);
        Files.delete(directory.resolve("keys"));
        for (int i = 0; i < 3; i++)
        {
            assertFalse(poll(file));
        }
        assertEquals(2, lines.size());
        assertTrue(file.keys().holds("a", a));
        write("a read " + SECRET);
        assertTrue(poll(file));
        for (final String open : new String[]{"rw----r--", "rw-----w-"})
        {
            lines.clear();
            Files.setPosixFilePermissions(directory.resolve("keys"), PosixFilePermissions.fromString(open));
            assertFalse(poll(file), open);
            assertTrue(lines.getLast().contains("open to all users"), lines::toString);
        }
    }

    /** A session of a key may not go on when the key takes no term any more. */
    @Test
    void shouldTellAManagersKeyFromAnAdministrators() throws IOException
    {
        final KeyFile file = new KeyFile(write("a manager " + SECRET), notes::add, lines::add, nowNs);
        final KeyRing.Key manager = file.keys().get("a");
        assertTrue(manager.isManager());
        assertEquals(Role.ADMIN, manager.role());
        write("a admin " + SECRET);
        assertTrue(poll(file));
        assertFalse(file.keys().holds("a", manager));
    }
}
