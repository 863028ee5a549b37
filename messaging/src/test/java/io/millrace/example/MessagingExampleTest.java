package io.millrace.example;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.messaging.transport.MessageMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The example runs, and the documentation shows what runs. */
class MessagingExampleTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root"));
    private static final Path SOURCE =
        ROOT.resolve("messaging/src/test/java/io/millrace/example/MessagingExample.java");

    /** An example. */
    @FunctionalInterface
    private interface Example
    {
        void run() throws InterruptedException;
    }

    private static String printed(final Example example) throws InterruptedException
    {
        final PrintStream standard = System.out;
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try
        {
            example.run();
        }
        finally
        {
            System.setOut(standard);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldReadMemoryOfThePeer() throws InterruptedException
    {
        try (MessageMemory memory = new MessageMemory(64); MessageMemory local = new MessageMemory(64))
        {
            memory.buffer().putStringUtf8(0, "Ada was here");
            final String text =
                printed(() -> MessagingExample.memory(memory, local, new CountDownLatch(1)));
            assertTrue(text.contains("read: SUCCESS, Ada was here"), text);
        }
    }

    @Test
    void shouldGreetAndAnswer() throws InterruptedException
    {
        final String text = printed(MessagingExample::main);
        assertTrue(text.contains("connected by "), text);
        assertTrue(text.contains("hello, Ada"), text);
    }

    @Test
    void shouldBeWhatTheDocumentationShows() throws IOException
    {
        checkDocumentation("// example\n", "        // end\n");
        checkDocumentation("// memory\n", "        // memory end\n");
        checkDocumentation("// helpers\n", "    // helpers end\n");
    }

    private static void checkDocumentation(final String beginning, final String end) throws IOException
    {
        final String source = Files.readString(SOURCE);
        final int begin = source.indexOf(beginning) + beginning.length();
        final String example =
            source.substring(begin, source.indexOf(end)).stripTrailing().stripIndent() + "\n";
        final String documentation = Files.readString(ROOT.resolve("docs/messaging.md"));
        assertTrue(documentation.contains("```java\n" + example + "```\n"),
            () -> "messaging.md shows other than\n" + example);
    }
}
