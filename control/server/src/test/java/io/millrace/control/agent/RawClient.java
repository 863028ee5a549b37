package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.wire.MessagePublication;
import io.millrace.control.wire.OfferResult;
import io.millrace.control.wire.RequestWriter;
import io.millrace.control.wire.ResponseAdapter;
import io.millrace.control.wire.ResponseHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.CloseHelper;

/** Speaks the protocol over IPC and keeps none of the bounds that a client keeps. Test thread. */
final class RawClient implements ResponseHandler, AutoCloseable
{
    private static final int STREAM = 77;
    private static final int FRAGMENT_LIMIT = 256;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    /** What was answered to a request. */
    record Answer(long correlationId, Code code, String text)
    {
    }

    private final List<SessionInfo> sessions = new ArrayList<>();
    private final List<Answer> answers = new ArrayList<>();
    private final RequestWriter writer = new RequestWriter();
    private final ResponseAdapter adapter = new ResponseAdapter(this);
    private final FragmentAssembler assembler = new FragmentAssembler(
        (buffer, offset, length, header) -> assertTrue(adapter.onMessage(buffer, offset, length)));
    private final Aeron aeron;
    private final Subscription subscription;
    private final MessagePublication publication;

    RawClient(final String directory)
    {
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(directory));
        subscription = aeron.addSubscription("aeron:ipc", STREAM);
        publication = new MessagePublication(aeron.addExclusivePublication("aeron:ipc", 4420));
    }

    void open(final long correlationId)
    {
        send(writer.openSession(correlationId, new SessionRequest(
            Role.ADMIN, "aeron:ipc", STREAM, "raw", "", "")));
    }

    void keepAlive(final SessionInfo session)
    {
        send(writer.keepAlive(session.sessionId()));
    }

    void close(final SessionInfo session)
    {
        send(writer.closeSession(session.sessionId()));
    }

    void command(final SessionInfo session, final long correlationId, final Command command)
    {
        send(writer.command(new CommandHeader(session.sessionId(), correlationId, CommandId.NONE, 0), command));
    }

    private void send(final int length)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (OfferResult.SENT != publication.offer(writer.buffer(), length))
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "nobody takes it");
            Thread.onSpinWait();
        }
    }

    int poll()
    {
        return subscription.poll(assembler, FRAGMENT_LIMIT);
    }

    /** Waits as long as something comes: a slow machine may take long for many answers. */
    void until(final BooleanSupplier condition)
    {
        int received = 0;
        long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!condition.getAsBoolean())
        {
            if (0 == poll())
            {
                Thread.onSpinWait();
            }
            if (received != sessions.size() + answers.size())
            {
                received = sessions.size() + answers.size();
                deadlineNs = System.nanoTime() + WAIT_NS;
            }
            assertTrue(System.nanoTime() - deadlineNs < 0,
                () -> "nothing has come for long: " + sessions.size() + " sessions, " + answers.size() + " answers");
        }
    }

    /** Opened so far. */
    List<SessionInfo> sessions()
    {
        return sessions;
    }

    /** Come so far. */
    List<Answer> answers()
    {
        return answers;
    }

    @Override
    public void onChallenge(
        final long correlationId, final long sessionId, final byte[] nonce, final byte[] publicKey)
    {
        throw new AssertionError("challenged over IPC");
    }

    @Override
    public void onSessionOpened(final long correlationId, final SessionInfo session, final byte[] proof)
    {
        sessions.add(session);
    }

    @Override
    public void onOtherVersion(final int schemaVersion)
    {
        throw new AssertionError("version " + schemaVersion);
    }

    @Override
    public void onAnswer(
        final long sessionId, final long correlationId, final Code code, final long value, final String text)
    {
        answers.add(new Answer(correlationId, code, text));
    }

    @Override
    public void onAlive(final long sessionId, final long eventSequence)
    {
    }

    @Override
    public void onResource(final long correlationId, final Resource resource)
    {
    }

    @Override
    public void onEvent(final ControlEvent event)
    {
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(publication, subscription, aeron);
    }
}
