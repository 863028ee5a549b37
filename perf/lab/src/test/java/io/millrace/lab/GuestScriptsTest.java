package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Scripts that run in the machine: what they expect can fail. */
final class GuestScriptsTest
{
    private static final Pattern NEGATION = Pattern.compile("^\\s*! .*");
    /** The one place that looks at the status. */
    private static final String IN_NOT = "    ! \"$@\" || { echo \"succeeded: $*\" >&2; return 1; }";

    @Test
    void shouldNotNegateACommandWhoseStatusIsIgnored() throws IOException
    {
        final List<Path> scripts;
        try (Stream<Path> files = Files.list(Path.of("src/test/guest")))
        {
            scripts = files.filter((file) -> file.toString().endsWith(".sh")).sorted().toList();
        }
        assertTrue(scripts.size() > 20, scripts::toString);
        for (final Path script : scripts)
        {
            assertEquals(List.of(), Files.readAllLines(script).stream()
                .filter((line) -> NEGATION.matcher(line).matches() && !IN_NOT.equals(line)).toList(),
                () -> script + ": the shell's -e does not look at '! COMMAND': use 'not COMMAND'");
        }
    }
}
