package io.millrace.control.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backend that throws what it must not: the command is answered, and those behind it are carried out. */
class CommandFailureTest
{
    @TempDir
    private Path directory;
    private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> failed = new ConcurrentLinkedQueue<>();

    /** Deletes of devices take long; a device called by what is thrown throws it. */
    private final class Backend extends IdleBackend
    {
        @Override
        public CompletableFuture<Reply> carryOut(
            final Caller caller, final CommandId id, final long term, final Command command)
        {
            if (command.toString().contains("linkage"))
            {
                throw new NoClassDefFoundError("io/millrace/Missing");
            }
            if (command.toString().contains("unchecked"))
            {
                throw new IllegalStateException("nobody expected this");
            }
            return CompletableFuture.completedFuture(Reply.OK);
        }

        @Override
        public void onFailed(final Command command, final Throwable error)
        {
            failed.add(command + " " + error);
        }
    }

    @Test
    void shouldAnswerWhatFailedAndGoOn()
    {
        final ControlSettings settings = new ControlSettings(
            directory.resolve("aeron"), ControlSettings.IPC_CHANNEL, 4420, null, "test");
        try (ControlService _ = ControlService.start(settings, new Backend(), errors::add, errors::add);
            ControlClient client = ControlClient.connect(new ControlClientContext()
                .aeronDirectoryName(settings.directory().toString()).role(Role.ADMIN)
                .callTimeoutNs(TimeUnit.SECONDS.toNanos(20))))
        {
            final List<Call> calls = List.of(
                client.submit(new Command.DeleteDevice("linkage")),
                client.submit(new Command.DeleteDevice("unchecked")),
                client.submit(new Command.DeleteDevice("good")),
                client.submit(new Command.DeleteSubsystem("linkage")),
                client.submit(new Command.DeleteSubsystem("unchecked")),
                client.submit(new Command.DeleteSubsystem("good")));
            client.await(calls);
            assertEquals(List.of(Code.FAILED, Code.FAILED, Code.OK, Code.FAILED, Code.FAILED, Code.OK),
                calls.stream().map(Call::code).toList(), () -> errors.toString());
            assertEquals("internal error: java.lang.NoClassDefFoundError: io/millrace/Missing",
                calls.getFirst().text());
            assertEquals(4, failed.size());
            assertEquals(4, errors.size());
            assertTrue(errors.contains(
                "control: DeleteDevice failed: java.lang.IllegalStateException: nobody expected " +
                "this"), errors::toString);
        }
    }
}
