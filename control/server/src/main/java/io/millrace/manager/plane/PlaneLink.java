package io.millrace.manager.plane;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.manager.config.PlaneConfig;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.agrona.concurrent.NanoClock;

/**
 * A manager's client of one data plane: opens sessions while it is polled, and never sends a command in another session
 * than its own. The manager's thread.
 */
final class PlaneLink implements AutoCloseable
{
    /** The data plane accepts 1024 outstanding commands; some are reserved for lists. */
    static final int WINDOW = 768;
    /** The data plane answers 32 lists of a session at a time; the manager's own have the others. */
    private static final int LISTS_MAX = 16;

    private static final long CALL_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private final String name;
    private final ControlClient client;
    private final ArrayDeque<Runnable> waitingLists = new ArrayDeque<>();
    private int lists;
    private Instant seen = Instant.EPOCH;
    private SessionInfo session;

    /** Throws ControlSettingException when a setting is unavailable. */
    PlaneLink(
        final PlaneConfig config, final String managerName, final NanoClock clock, final ControlListener listener)
    {
        name = config.name();
        client = ControlClient.open(new ControlClientContext()
            .aeronDirectoryName(config.directory().toString())
            .group(ControlDirectories.trustedGroup(System.getenv()))
            .requestChannel(config.channel())
            .requestStreamId(config.streamId())
            .responseChannel(config.responseChannel())
            .secret(config.secret())
            .keyName(config.keyName())
            .clientName("millrace manager " + managerName)
            .role(Role.ADMIN)
            .callTimeoutNs(CALL_TIMEOUT_NS)
            .retryOnReconnect(false)
            .clock(clock)
            .listener(listener));
    }

    /** Of the data plane, as the manager calls it. */
    String name()
    {
        return name;
    }

    /** What the data plane says that it knows; there has to be a session, or to have been one. */
    PeerInfo peer()
    {
        return client.session().peer();
    }

    int poll()
    {
        int count = client.poll();
        // Not where one ends: without a session each would end the next within itself.
        while (lists < LISTS_MAX && !waitingLists.isEmpty())
        {
            waitingLists.removeFirst().run();
            count++;
        }
        return count;
    }

    boolean isConnected()
    {
        return client.isConnected();
    }

    /** Why there is no session. */
    String lastError()
    {
        return client.lastError();
    }

    void term(final long value)
    {
        client.term(value);
    }

    /** A session was opened. */
    void session(final SessionInfo info)
    {
        session = info;
    }

    /** Highest term reported by the data plane when the session was opened; 0: none. */
    long term()
    {
        return null == session ? 0 : session.term();
    }

    /** When something came from it last. */
    Instant seen()
    {
        return seen;
    }

    /** Whether there ever was a session. */
    boolean wasSeen()
    {
        return !Instant.EPOCH.equals(seen);
    }

    void touch()
    {
        seen = Instant.now();
    }

    /** A call has ended: with an answer of the data plane, or without one when the session was lost. */
    void onDone(final Call call)
    {
        if (Code.NULL_VAL != call.code())
        {
            touch();
        }
    }

    /** Sends a command. */
    Call submit(final Command command)
    {
        return client.submit(command, CommandId.NONE);
    }

    /**
     * Forwards a command with its id, so that the data plane recognizes a repetition after a restart of the manager.
     * Completes exceptionally without an answer.
     */
    CompletableFuture<Reply> carryOut(final Command command, final CommandId id)
    {
        return ask(command, id, (call) ->
        {
            if (Code.NULL_VAL == call.code())
            {
                throw new ControlException(Code.FAILED, call.text());
            }
            return StageRunner.replyOf(call);
        });
    }

    /** Forwards a List, in turn where many are under way: sessions that ask share the one of the manager. */
    CompletableFuture<Listing<?>> list(final Command.List list)
    {
        final CompletableFuture<Listing<?>> future = new CompletableFuture<>();
        final Runnable task = () -> begin(list, future);
        if (lists < LISTS_MAX && waitingLists.isEmpty())
        {
            task.run();
        }
        else
        {
            waitingLists.addLast(task);
        }
        return future;
    }

    private void begin(final Command.List list, final CompletableFuture<Listing<?>> future)
    {
        lists++;
        final CompletableFuture<Listing<?>> answer = ask(list, CommandId.NONE, (call) ->
        {
            if (Code.OK != call.code())
            {
                final Reply reply = StageRunner.replyOf(call);
                throw new ControlException(reply.code(), reply.text());
            }
            return new Listing<>(call.resources(), Function.identity());
        });
        answer.whenComplete((listing, failure) ->
        {
            lists--;
            if (null == failure)
            {
                future.complete(listing);
            }
            else
            {
                future.completeExceptionally(failure);
            }
        });
    }

    private <T> CompletableFuture<T> ask(final Command command, final CommandId id, final Function<Call, T> then)
    {
        if (!client.isConnected())
        {
            return CompletableFuture.failedFuture(new ControlException(Code.FAILED, "data plane " + name +
                " is not connected" + (lastError().isEmpty() ? "" : ": " + lastError())));
        }
        final CompletableFuture<T> future = new CompletableFuture<>();
        client.submit(command, id).onDone((call) ->
        {
            onDone(call);
            try
            {
                future.complete(then.apply(call));
            }
            catch (final ControlException e)
            {
                future.completeExceptionally(e);
            }
        });
        return future;
    }

    @Override
    public void close()
    {
        client.close();
    }
}
