package io.millrace.console;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FatalErrorTest
{
    @ParameterizedTest
    @ValueSource(strings = {"uncaught", "executor", "cause", "main"})
    void shouldEndTheProcessForAnErrorThatNobodySurvives(final String where) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx32m",
            "-cp", System.getProperty("java.class.path"), Child.class.getName(), where)
            .redirectErrorStream(true).start();
        try
        {
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            assertEquals(FatalError.EXIT_CODE, process.exitValue(), output);
            assertTrue(output.contains("the process stops: java.lang."), output);
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    @Test
    void shouldLetOtherErrorsPass()
    {
        assertDoesNotThrow(() -> FatalError.haltIfFatal("here", new IllegalStateException(new AssertionError())));
        assertDoesNotThrow(() -> FatalError.haltIfFatal("here", null));
    }

    static final class Child
    {
        private Child()
        {
        }

        public static void main(final String[] args) throws InterruptedException
        {
            FatalError.haltOnUncaught();
            final Thread other = new Thread(() ->
            {
                throw new IllegalStateException("only a thread");
            });
            other.start();
            other.join();
            switch (args[0])
            {
                case "uncaught" -> new Thread(Child::recurse).start();
                case "executor" -> Executors.newSingleThreadExecutor().execute(Child::recurse);
                case "main" -> FatalError.halt("main", new NoClassDefFoundError("of a jar that was replaced"));
                default -> FatalError.haltIfFatal("control", new RuntimeException(new InternalError("broken")));
            }
            Thread.sleep(20_000);
        }

        private static void recurse()
        {
            recurse();
        }
    }
}
