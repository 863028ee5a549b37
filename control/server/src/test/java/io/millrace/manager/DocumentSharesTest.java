package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Reply;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What documents of sessions that may only plan them leave to those that change something. */
class DocumentSharesTest
{
    private static final String PART = "#".repeat(Command.AddDocumentPart.CONTENT_MAX_BYTES);
    private static final int DEVICES = 20_000;
    private static final int ATTEMPTS = 5;

    @TempDir
    private Path directory;

    private long nowNs = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);
    private final StateReplacements replacements = new StateReplacements(
        (_, _) -> CompletableFuture.completedFuture(Reply.OK),
        (_, _, reply) -> CompletableFuture.completedFuture(reply), () -> nowNs);

    @AfterEach
    void close()
    {
        replacements.close();
    }

    private static Caller caller(final long session, final Role role)
    {
        return new Caller(session, role, "test", "", "dp0");
    }

    /** Sends parts until so many bytes were sent, or one is refused; answers how many were taken. */
    private long send(final Caller caller, final long bytes)
    {
        long position = 0;
        while (position + PART.length() <= bytes)
        {
            final Reply reply = replacements.add(caller, new Command.AddDocumentPart(position, PART));
            if (Code.OK != reply.code())
            {
                assertEquals(Code.OVERLOADED, reply.code());
                return position;
            }
            position += PART.length();
        }
        return position;
    }

    private static long most()
    {
        return DocumentBytes.DOCUMENT_MAX_BYTES / PART.length() * PART.length();
    }

    @Test
    void shouldLeaveRoomForADocumentOfWhoMayApplyIt()
    {
        for (int i = 0; i < 8; i++)
        {
            send(caller(i, 0 == i % 2 ? Role.READ : Role.OPERATOR), most() / 2);
        }
        assertEquals(most(), send(caller(100, Role.ADMIN), most()));
    }

    @Test
    void shouldDropWhatWhoMayNotApplyItDoesNotGoOnWith()
    {
        final Caller admin = caller(2, Role.ADMIN);
        assertEquals(PART.length(), send(admin, PART.length()));
        assertEquals(most(), send(caller(0, Role.READ), most()));
        final Caller second = caller(1, Role.READ);
        nowNs += DocumentBytes.IDLE_MAX_NS - 1;
        replacements.poll();
        assertTrue(send(second, most()) < PART.length() + 1);
        nowNs++;
        replacements.poll();
        assertEquals(most(), send(second, most()));
        final Reply late = replacements.add(caller(0, Role.READ), new Command.AddDocumentPart(most(), PART));
        assertEquals(Code.INVALID, late.code());
        // That of an administrator may wait for an answer to a question.
        assertEquals(Code.OK, replacements.add(admin, new Command.AddDocumentPart(PART.length(), PART)).code());
    }

    @Test
    void shouldNotHaveChangesWaitForDryRuns()
    {
        final StringBuilder document = new StringBuilder("devices:\n");
        for (int i = 0; i < DEVICES; i++)
        {
            document.append("  - {name: d").append(i).append(", type: memory, size: 1MiB, block-size: 4096}\n");
        }
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            final ControlClient reader = fixture.connect(fixture.context().role(Role.READ));
            final Command.ReplaceState dryRun = new Command.ReplaceState(0, 0, true, false, false, "doc", "");
            boolean isAhead = false;
            for (int i = 0; i < ATTEMPTS && !isAhead; i++)
            {
                reader.manager().replaceState("devices: []\n", dryRun);
                // A dry run that reads the whole text anew.
                for (int at = 0; at < document.length(); at += PART.length())
                {
                    reader.await(reader.submit(new Command.AddDocumentPart(at,
                        document.substring(at, Math.min(document.length(), at + PART.length())))));
                }
                final Call planned = reader.submit(dryRun);
                client.createDevice(DeviceSpec.memory("new" + i, 1 << 20, 4096));
                final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
                while (!planned.isDone() && System.nanoTime() - deadlineNs < 0)
                {
                    reader.poll();
                }
                isAhead = !planned.isDone();
                assertEquals(Code.OK, reader.await(planned).code());
                assertEquals(DEVICES, reader.manager().plan().size());
            }
            assertTrue(isAhead, "every change waited for the dry run before it");
        }
    }
}
