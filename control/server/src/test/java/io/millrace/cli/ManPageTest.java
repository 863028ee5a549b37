package io.millrace.cli;

import static io.millrace.testing.Requirement.requireProgram;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManPageTest
{
    private static final Set<String> MACROS = Set.of("TH", "SH", "PP", "TP", "EX", "EE", "BR");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(f[BIR]|-|e|&|\\((aq|ga|ha|ti|dq))");

    @TempDir
    private Path directory;

    private List<Path> pages() throws IOException
    {
        final Path target = directory.resolve("man1");
        final CommandRun run = CommandRun.of("man", "--directory", target.toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        try (Stream<Path> files = Files.list(target))
        {
            return files.sorted().toList();
        }
    }

    @Test
    void shouldWriteAPageForEveryCommand() throws IOException
    {
        final List<String> names = pages().stream().map((each) -> each.getFileName().toString()).toList();
        assertTrue(names.containsAll(List.of("millrace.1", "millrace-device.1", "millrace-device-create.1",
            "millrace-apply.1", "millrace-man.1", "millrace-top.1")), names.toString());
        assertFalse(names.contains("millrace-train.1"));
        assertTrue(names.size() > 40, names.toString());
    }

    /** What the macros are, and that every backslash is one that is known. */
    @Test
    void shouldUseTheManMacrosOnly() throws IOException
    {
        for (final Path page : pages())
        {
            int examples = 0;
            for (final String line : Files.readAllLines(page))
            {
                assertFalse(line.isBlank(), page + ": blank line");
                assertFalse(line.contains("${") || line.contains("%n"), page + ": " + line);
                assertTrue(line.chars().allMatch((c) -> c >= ' ' && c <= '~'), page + ": " + line);
                if (line.startsWith("."))
                {
                    final String macro = line.substring(1).split(" ")[0];
                    assertTrue(MACROS.contains(macro), page + ": " + line);
                    examples += "EX".equals(macro) ? 1 : "EE".equals(macro) ? -1 : 0;
                }
                assertFalse(line.startsWith("'"), page + ": " + line);
                final Matcher known = ESCAPE.matcher(line);
                assertFalse(known.replaceAll("").contains("\\"), page + ": " + line);
            }
            assertEquals(0, examples, page + ": .EX without .EE");
        }
    }

    @Test
    void shouldSayTheSameAsTheHelp()
    {
        final String page = CommandRun.of("man", "device", "create").out();
        assertTrue(page.startsWith(".TH \"MILLRACE\\-DEVICE\\-CREATE\" 1 \"\" \"Millrace "), page);
        assertTrue(page.contains(".SH NAME\nmillrace\\-device\\-create \\- Create a device\n"), page);
        assertTrue(page.contains("\n\\fBmillrace device create\\fR [\\fIOPTION\\fR ...] \\fINAME\\fR\n"), page);
        assertTrue(page.contains("\n.TP\n\\fB\\-b\\fR \\fIBYTES\\fR, \\fB\\-\\-block\\-size\\fR=\\fIBYTES\\fR\n" +
            "memory, discard, file: bytes of a block, 512 or 4096. Default: 4096.\n"), page);
        assertTrue(page.contains("\n\\fB\\-\\-[no\\-]preallocate\\fR\n"), page);
        assertTrue(page.contains("\n.EX\nmillrace device create mem0 \\-\\-size 1GiB"), page);
        assertTrue(page.contains("\n.SH SEE ALSO\n.BR millrace\\-device (1)\n"), page);
    }

    @Test
    void shouldSayWhichCommandThereIsNot()
    {
        final CommandRun run = CommandRun.of("man", "device", "crate");
        assertEquals(ExitCode.USAGE, run.exitCode());
        assertEquals("millrace man: millrace device has no command 'crate'; did you mean create?\n", run.err());
    }

    @Test
    void shouldPleaseMandoc() throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of("mandoc", "-T", "lint", "-W", "warning"));
        pages().forEach((page) -> command.add(page.toString()));
        assertEquals("", complaints(command));
    }

    @Test
    void shouldPleaseGroff() throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of("groff", "-man", "-ww", "-z"));
        pages().forEach((page) -> command.add(page.toString()));
        assertEquals("", complaints(command));
    }

    private static String complaints(final List<String> command) throws IOException, InterruptedException
    {
        requireProgram(command.getFirst(), command.getFirst());
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String printed = new String(process.getInputStream().readAllBytes());
        process.waitFor();
        return printed.lines().filter((line) -> !line.contains("missing date")).reduce("", (a, b) -> a + b + "\n");
    }
}
