package io.millrace.control.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists while a command takes long: those of the session that sent it come behind it, others at once. */
class ListOrderTest
{
    private static final int LIMIT_S = 20;
    private static final int SOON_MS = 300;

    @TempDir
    private Path directory;
    private final ConcurrentLinkedQueue<String> carriedOut = new ConcurrentLinkedQueue<>();
    private final CountDownLatch isCarriedOut = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    /** The deletion of a device takes long. */
    private final class Backend extends IdleBackend
    {
        @Override
        public CompletableFuture<Reply> carryOut(
            final Caller caller, final CommandId id, final long term, final Command command)
        {
            if (mayTakeLong(command))
            {
                isCarriedOut.countDown();
                try
                {
                    assertTrue(mayEnd.await(2 * LIMIT_S, TimeUnit.SECONDS));
                }
                catch (final InterruptedException e)
                {
                    throw new IllegalStateException(e);
                }
            }
            carriedOut.add(command.getClass().getSimpleName());
            return CompletableFuture.completedFuture(Reply.OK);
        }

        @Override
        public CompletableFuture<Listing<?>> list(final Caller caller, final Command.List list)
        {
            carriedOut.add("List " + list.name());
            return super.list(caller, list);
        }
    }

    private static ControlClient connect(final ControlSettings settings)
    {
        return ControlClient.connect(new ControlClientContext().aeronDirectoryName(settings.directory().toString())
            .role(Role.ADMIN).callTimeoutNs(TimeUnit.SECONDS.toNanos(LIMIT_S)));
    }

    private static CompletableFuture<Void> list(final ControlClient client, final String name)
    {
        return CompletableFuture.runAsync(() -> client.namespaces(name),
            (task) -> Thread.ofPlatform().daemon(true).start(task));
    }

    @Test
    void shouldListForOthersAtOnceAndForTheSenderInOrder() throws Exception
    {
        final ControlSettings settings = new ControlSettings(
            directory.resolve("aeron"), ControlSettings.IPC_CHANNEL, 4420, null, "test");
        try (ControlService _ = ControlService.start(settings, new Backend(), carriedOut::add, carriedOut::add);
            ControlClient sender = connect(settings);
            ControlClient next = connect(settings);
            ControlClient other = connect(settings))
        {
            final Call slow = sender.submit(new Command.DeleteDevice("d0"));
            isCarriedOut.await();
            // Of a session whose command waits behind that one.
            final Call waiting = next.submit(new Command.DeleteSubsystem("nqn"));
            final CompletableFuture<Void> behindWaiting = list(next, "next");
            final CompletableFuture<Void> behindSlow = list(sender, "sender");
            list(other, "other").get(LIMIT_S, TimeUnit.SECONDS);
            assertNotDone(behindSlow);
            assertFalse(behindWaiting.isDone());
            mayEnd.countDown();
            behindSlow.get(LIMIT_S, TimeUnit.SECONDS);
            behindWaiting.get(LIMIT_S, TimeUnit.SECONDS);
            sender.await(List.of(slow));
            next.await(List.of(waiting));
            assertEquals(List.of(Code.OK, Code.OK), List.of(slow.code(), waiting.code()));
            final List<String> order = List.copyOf(carriedOut);
            assertEquals(List.of("List other", "DeleteDevice"), order.subList(0, 2), order::toString);
            assertTrue(order.indexOf("DeleteSubsystem") < order.indexOf("List next"), order::toString);
            assertEquals(5, order.size(), order::toString);
        }
    }

    private static void assertNotDone(final CompletableFuture<Void> list) throws Exception
    {
        try
        {
            list.get(SOON_MS, TimeUnit.MILLISECONDS);
        }
        catch (final TimeoutException e)
        {
            return;
        }
        throw new AssertionError("the list did not wait for the command of its session");
    }
}
