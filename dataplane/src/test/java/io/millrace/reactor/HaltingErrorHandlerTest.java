package io.millrace.reactor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HaltingErrorHandlerTest
{
    @ParameterizedTest
    @ValueSource(strings = {"call", "command", "poller", "timer", "stack"})
    void shouldStopTheProcessForAnErrorThatNobodySurvives(final String where) throws IOException, InterruptedException
    {
        final Process process = start(Exhausting.class, where);
        try
        {
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            assertEquals(ReactorErrorHandler.EXIT_CODE_BROKEN_INVARIANT, process.exitValue(), output);
            // Without memory left nothing can be said.
            assertTrue(!"stack".equals(where) || output.contains("StackOverflowError"), output);
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    private static Process start(final Class<?> main, final String... arguments) throws IOException
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx64m",
            "-cp", System.getProperty("java.class.path"),
            main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    @Test
    void shouldReportACommandAndGoOnThenStopTheProcessForAPoller() throws IOException, InterruptedException
    {
        final Process process = start(Breaking.class);
        try
        {
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            assertEquals(ReactorErrorHandler.EXIT_CODE_BROKEN_INVARIANT, process.exitValue(), output);
            assertTrue(output.contains("reactor doomed: command " + Breaking.class.getName()), output);
            assertTrue(output.contains("java.lang.RuntimeException: only a command"), output);
            assertTrue(output.contains("reactor doomed: " + Breaking.BreakingPoller.class.getName()), output);
            assertTrue(output.contains("slot 7 is taken twice"), output);
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    static final class Exhausting
    {
        private static final List<long[]> KEPT = new ArrayList<>();

        private Exhausting()
        {
        }

        public static void main(final String[] args)
        {
            final Reactor reactor = new Reactor(ReactorConfig.of("doomed", -1));
            reactor.start();
            switch (args[0])
            {
                case "call" -> reactor.call(() ->
                {
                    exhaust();
                    return null;
                });
                case "command" -> reactor.execute(Exhausting::exhaust);
                case "poller" -> reactor.execute(() -> reactor.addPoller(() ->
                {
                    exhaust();
                    return 0;
                }));
                case "timer" -> reactor.execute(() -> reactor.schedule(reactor.nowNs(), (nowNs) -> exhaust()));
                default -> reactor.execute(Exhausting::recurse);
            }
            ReactorTesting.await("the process stops", () -> false);
        }

        private static void exhaust()
        {
            while (true)
            {
                KEPT.add(new long[1 << 16]);
            }
        }

        private static void recurse()
        {
            recurse();
        }
    }

    static final class Breaking
    {
        private Breaking()
        {
        }

        public static void main(final String[] args)
        {
            final Reactor reactor = new Reactor(ReactorConfig.of("doomed", -1));
            reactor.start();
            reactor.execute(() ->
            {
                throw new RuntimeException("only a command");
            });
            reactor.execute(() -> reactor.addPoller(new BreakingPoller()));
            reactor.call(() -> Thread.currentThread()).join();
            ReactorTesting.await("the process stops", () -> false);
        }

        static final class BreakingPoller implements Poller
        {
            @Override
            public int poll()
            {
                throw new IllegalStateException("slot 7 is taken twice");
            }
        }
    }
}
