package io.millrace.example;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The example runs, and the documentation shows what runs. */
class MessagingExampleTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root"));
    private static final Path SOURCE =
        ROOT.resolve("messaging/src/test/java/io/millrace/example/MessagingExample.java");

    @Test
    void shouldGreetAndAnswer() throws InterruptedException
    {
        final PrintStream standard = System.out;
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try
        {
            MessagingExample.main();
        }
        finally
        {
            System.setOut(standard);
        }
        final String text = printed.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("connected by "), text);
        assertTrue(text.contains("hello, Ada"), text);
    }

    @Test
    void shouldBeWhatTheDocumentationShows() throws IOException
    {
        final String source = Files.readString(SOURCE);
        final int begin = source.indexOf("// example\n") + "// example\n".length();
        final String example =
            source.substring(begin, source.indexOf("        // end\n")).stripTrailing().stripIndent() + "\n";
        final String documentation = Files.readString(ROOT.resolve("docs/messaging.md"));
        assertTrue(documentation.contains("```java\n" + example + "```\n"),
            () -> "messaging.md shows other than\n" + example);
    }
}
