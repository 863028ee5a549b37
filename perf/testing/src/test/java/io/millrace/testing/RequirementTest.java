package io.millrace.testing;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

class RequirementTest
{
    private static final String HERE = RequirementTest.class.getName() + "#";
    private static final String REASON = "there is no scope: apt-get install scope";

    @TempDir
    private Path directory;

    private Path skips(final String... lines) throws IOException
    {
        return Files.write(directory.resolve("skips"), List.of(lines));
    }

    @Test
    void shouldSkipWithTheReason() throws IOException
    {
        final Path skips = skips();
        assertEquals(REASON,
            assertThrows(TestAbortedException.class, () -> Requirement.end(false, skips, REASON)).getMessage());
    }

    @Test
    void shouldFailInCi() throws IOException
    {
        final Path skips = skips("# io.millrace of others", HERE + "shouldSkipWithTheReason for another reason");
        final AssertionFailedError error =
            assertThrows(AssertionFailedError.class, () -> Requirement.end(true, skips, REASON));
        assertEquals("CI=true, and " + REASON, error.getMessage());
    }

    @Test
    void shouldSkipInCiWhatIsListed() throws IOException
    {
        final Path skips = skips(HERE + "shouldSkipInCiWhatIsListed is a test of this list");
        // As from a lambda or a helper, the test is further down the stack.
        final List<Integer> once = List.of(1);
        assertThrows(TestAbortedException.class,
            () -> once.forEach((each) -> Requirement.end(true, skips, REASON)));
    }

    @Test
    void shouldFindPrograms()
    {
        assertTrue(Requirement.isOnPath("sh"));
        assertFalse(Requirement.isOnPath("no-such-program"));
        assertDoesNotThrow(() -> Requirement.requireProgram("sh", "dash"));
        assertDoesNotThrow(() -> Requirement.requireCpus(2, 2));
    }
}
