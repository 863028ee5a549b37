package io.millrace.control.client;

import io.aeron.Aeron;
import io.aeron.ChannelUri;
import io.aeron.CommonContext;
import io.aeron.ErrorCode;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.RegistrationException;
import io.aeron.logbuffer.Header;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.SessionOpenedDecoder;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.session.KeyAgreementPair;
import io.millrace.control.session.MessageSeal;
import io.millrace.control.session.SessionProof;
import io.millrace.control.session.SessionTranscript;
import io.millrace.control.session.Side;
import io.millrace.control.wire.MessageAssembler;
import io.millrace.control.wire.MessagePublication;
import io.millrace.control.wire.OfferResult;
import io.millrace.control.wire.RequestWriter;
import io.millrace.control.wire.ResponseAdapter;
import io.millrace.control.wire.ResponseHandler;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;

/**
 * One session, from its first attempt to its loss; what follows is another connection. Never waits: {@link #poll(long)}
 * takes it as far as it can. Belongs to the thread of the client.
 *
 * <pre>
 *   ADDING --streams there--&gt; CONNECTING --peer listens--&gt; OPENING --SessionOpened--&gt; OPEN
 *                                                            |                      ^
 *                                                            +-Challenge-&gt; PROVING -+
 *   any of them --refused, silent, peer or driver gone--&gt; LOST
 * </pre>
 */
final class Connection implements ResponseHandler, AutoCloseable
{
    private enum State
    {
        /** The media driver makes publication and subscription. */
        ADDING,
        /** Nobody listens yet, or the port of the answers is not known. */
        CONNECTING,
        /** OpenSession was sent. */
        OPENING,
        /** ProveIdentity was sent. */
        PROVING,
        /** The session may be used. */
        OPEN,
        /** Over; the reason is kept. */
        LOST
    }

    private static final int FRAGMENT_LIMIT = 256;
    private static final long DRIVER_CHECK_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long KEEP_ALIVE_MAX_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int KEEP_ALIVES_PER_TIMEOUT = 3;
    /** An eighth of it is the longest message, which must hold a sealed one. */
    private static final String UDP_TERM_LENGTH = "256k";
    /** Streams below are for people to choose. */
    private static final int CHOSEN_STREAM = 0x4000_0000;

    private final ControlClientContext ctx;
    private final ConnectionHandler handler;
    private final SecureRandom random;
    private final DriverDirectory driver;
    private final String driverIdentity;
    private DriverProcess driverProcess;
    private final RequestWriter writer = new RequestWriter();
    private final ResponseAdapter adapter = new ResponseAdapter(this);
    private final MessageAssembler assembler = new MessageAssembler(this::onFragment);
    private final Aeron aeron;
    private final long publicationId;
    private final long subscriptionId;
    private final int responseStreamId;
    private final long attemptDeadlineNs;
    /** Null: the session is not encrypted. */
    private final KeyAgreementPair keys;

    private State state = State.ADDING;
    private Subscription subscription;
    private MessagePublication publication;
    private long correlationId;
    private SessionRequest request;
    private SessionTranscript transcript;
    private MessageSeal seal;
    private boolean isSealOpened;
    private SessionInfo session;
    private Code lossCode = Code.NULL_VAL;
    private String lossReason = "";
    private Throwable aeronError;
    private long keepAliveIntervalNs;
    private long keepAliveDueNs;
    private long unansweredSinceNs;
    private boolean isAwaitingAlive;
    private long driverCheckNs;
    private long unreadableCount;

    /** Begins; throws AeronException when the media driver goes away at this moment. */
    Connection(
        final ControlClientContext ctx,
        final ConnectionHandler handler,
        final SecureRandom random,
        final DriverDirectory driver,
        final long correlationId,
        final long nowNs)
    {
        this.ctx = ctx;
        this.handler = handler;
        this.random = random;
        this.driver = driver;
        this.correlationId = correlationId;
        this.keys = null != ctx.secret() && ctx.isEncrypted() ? KeyAgreementPair.generate() : null;
        this.driverIdentity = driver.identity();
        this.driverProcess = driver.process();
        this.driverCheckNs = nowNs;
        this.attemptDeadlineNs = nowNs + Math.min(ctx.connectTimeoutNs(), ctx.livenessTimeoutNs());
        this.aeron = Aeron.connect(new Aeron.Context()
            .aeronDirectoryName(ctx.aeronDirectoryName())
            .clientName(ctx.clientName().length() > 100 ? ctx.clientName().substring(0, 100) : ctx.clientName())
            .useConductorAgentInvoker(true)
            .errorHandler(this::onAeronError)
            .subscriberErrorHandler(this::onAeronError));
        this.responseStreamId = 0 != ctx.responseStreamId() ? ctx.responseStreamId() :
            CHOSEN_STREAM | (int)aeron.nextCorrelationId() & CHOSEN_STREAM - 1;
        this.subscriptionId = aeron.asyncAddSubscription(ctx.responseChannel(), responseStreamId);
        this.publicationId = aeron.asyncAddExclusivePublication(
            withTermLength(ctx.requestChannel()), ctx.requestStreamId());
    }

    /** A data plane does not talk to senders with longer terms, since it maps three of them for each. */
    private static String withTermLength(final String channel)
    {
        final ChannelUri uri = ChannelUri.parse(channel);
        if (uri.isUdp() && !uri.containsKey(CommonContext.TERM_LENGTH_PARAM_NAME))
        {
            uri.put(CommonContext.TERM_LENGTH_PARAM_NAME, UDP_TERM_LENGTH);
        }
        return uri.toString();
    }

    int poll(final long nowNs)
    {
        int work = 0;
        try
        {
            work += aeron.conductorAgentInvoker().invoke();
            work += advance(nowNs);
        }
        catch (final AeronException e)
        {
            final boolean isFull = e instanceof final RegistrationException refusal &&
                ErrorCode.STORAGE_SPACE == refusal.errorCode();
            lose(Code.NULL_VAL, "the media driver refused: " + e.getMessage() + (isFull ?
                ": free some space for " + ctx.aeronDirectoryName() : ""));
        }
        return work;
    }

    private int advance(final long nowNs)
    {
        if (State.LOST != state && (aeron.isClosed() || isDriverGone(nowNs)))
        {
            lose(Code.NULL_VAL, "the process that accepted commands in " + ctx.aeronDirectoryName() +
                " ended, or does not respond" + (null == aeronError ? "" : ": " + aeronError.getMessage()));
        }
        int work = null == subscription || State.LOST == state ? 0 : subscription.poll(assembler, FRAGMENT_LIMIT);
        switch (state)
        {
            case ADDING -> work += onAdding();
            case CONNECTING -> work += onConnecting();
            case OPEN -> onOpen(nowNs, work);
            case OPENING, PROVING ->
            {
                if (0 == subscription.imageCount() && !publication.isConnected())
                {
                    lose(Code.NULL_VAL, "the data plane left while the session was opened");
                }
            }
            case LOST ->
            {
            }
        }
        if (isOpening() && nowNs - attemptDeadlineNs >= 0)
        {
            lose(Code.NULL_VAL, missing());
        }
        return work;
    }

    /** What it waits for while it is opened, should that not come. */
    String missing()
    {
        final String address = ctx.requestChannel() + " stream " + ctx.requestStreamId();
        if (ctx.requestChannel().startsWith(CommonContext.IPC_CHANNEL))
        {
            return "no data plane " + (state.compareTo(State.OPENING) < 0 ? "listens on " : "answers on ") + address;
        }
        return "no answer came in time from " + address + ": start a data plane that has this control.channel, or " +
            "find out who floods the port or drops its packets ('ss -uanp' shows the queue)";
    }

    private boolean isOpening()
    {
        return State.OPEN != state && State.LOST != state;
    }

    private boolean isDriverGone(final long nowNs)
    {
        if (nowNs - driverCheckNs < 0)
        {
            return false;
        }
        driverCheckNs = nowNs + DRIVER_CHECK_NS;
        if (DriverProcess.UNKNOWN == driverProcess)
        {
            // Written a moment after the driver takes clients.
            driverProcess = driver.process();
        }
        return !driverIdentity.equals(driver.identity()) || driverProcess.hasEnded();
    }

    private int onAdding()
    {
        if (null == subscription)
        {
            subscription = aeron.getSubscription(subscriptionId);
        }
        if (null == publication)
        {
            final ExclusivePublication added = aeron.getExclusivePublication(publicationId);
            publication = null == added ? null : new MessagePublication(added);
        }
        if (null == subscription || null == publication)
        {
            return 0;
        }
        state = State.CONNECTING;
        return 1;
    }

    private int onConnecting()
    {
        final String responseChannel = subscription.tryResolveChannelEndpointPort();
        if (null == responseChannel || !publication.isConnected())
        {
            return 0;
        }
        request = new SessionRequest(ctx.role(), responseChannel, responseStreamId, ctx.clientName(), ctx.keyName(),
            ctx.dataPlaneName(), null == keys ? SessionRequest.NO_KEY : keys.publicKey());
        final int length = writer.openSession(correlationId, request);
        if (OfferResult.SENT != send(length))
        {
            return 0;
        }
        state = State.OPENING;
        return 1;
    }

    private void onOpen(final long nowNs, final int fragments)
    {
        if (0 == fragments && 0 == subscription.imageCount())
        {
            lose(Code.NULL_VAL, "the data plane closed the session or is gone");
            return;
        }
        if (isAwaitingAlive && 0 == fragments && nowNs - unansweredSinceNs >= ctx.livenessTimeoutNs())
        {
            lose(Code.NULL_VAL, "the data plane has said nothing for " +
                TimeUnit.NANOSECONDS.toMillis(ctx.livenessTimeoutNs()) + " ms");
            return;
        }
        if (nowNs - keepAliveDueNs >= 0)
        {
            if (OfferResult.SENT == send(writer.keepAlive(session.sessionId())))
            {
                keepAliveDueNs = nowNs + keepAliveIntervalNs;
            }
            if (!isAwaitingAlive)
            {
                isAwaitingAlive = true;
                unansweredSinceNs = nowNs;
            }
        }
    }

    /** What of a command the peer does not know; null: all is known, or there is no session yet. */
    String missingFeature(final Command command)
    {
        return null == session ? null : session.peer().missingFeature(command);
    }

    /** Offers a command once; AGAIN too while the session is not open. */
    OfferResult offer(final CommandHeader ids, final Command command)
    {
        final int length = writer.command(ids, command);
        return State.OPEN == state ? send(length) : OfferResult.AGAIN;
    }

    private OfferResult send(final int length)
    {
        final OfferResult result = publication.offer(writer.buffer(), length);
        if (OfferResult.GONE == result)
        {
            lose(Code.NULL_VAL, "the publication to the data plane is closed");
        }
        return result;
    }

    private void onFragment(final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        isSealOpened = null != seal && seal.open(buffer, offset, length);
        final boolean isRead;
        if (isSealOpened)
        {
            isRead = adapter.onMessage(seal.messageBuffer(), seal.messageOffset(), seal.messageLength());
        }
        else if (null == seal || State.PROVING == state)
        {
            isRead = adapter.onMessage(buffer, offset, length);
        }
        else
        {
            isRead = false;
        }
        if (!isRead)
        {
            unreadableCount++;
        }
    }

    /** Whether a message counts: in a session that has proven itself only those that were sealed do. */
    private boolean isTrusted()
    {
        return State.OPEN == state && (null == seal || isSealOpened);
    }

    @Override
    public void onChallenge(final long id, final long sessionId, final byte[] nonce, final byte[] publicKey)
    {
        if (State.OPENING != state || id != correlationId)
        {
            return;
        }
        if (null == ctx.secret())
        {
            lose(Code.NOT_AUTHENTICATED, "the data plane asks for a proof, and this client has no secret");
            return;
        }
        if (null != keys && 0 == publicKey.length)
        {
            lose(Code.NOT_AUTHENTICATED, "the data plane does not encrypt, and this client sends nothing that others " +
                "could read: update it, or let the client go without encryption");
            return;
        }
        final byte[] own = SessionProof.newNonce(random);
        transcript = new SessionTranscript(
            sessionId, request, nonce, own, null == keys ? SessionRequest.NO_KEY : publicKey);
        final MessageSeal made = SessionProof.seal(ctx.secret(), transcript, Side.CLIENT, keys);
        if (null == made)
        {
            lose(Code.NOT_AUTHENTICATED, "the data plane sent a public key that cannot be used");
            return;
        }
        final byte[] proof = SessionProof.prove(ctx.secret(), transcript, Side.CLIENT);
        // The publication was connected a moment ago; what cannot be sent now is another attempt.
        if (OfferResult.SENT == send(writer.proveIdentity(correlationId, sessionId, own, proof)))
        {
            seal = made;
            state = State.PROVING;
        }
        else
        {
            lose(Code.NULL_VAL, "the data plane left while the session was opened");
        }
    }

    @Override
    public void onSessionOpened(final long id, final SessionInfo info, final byte[] proof)
    {
        if (id != correlationId || State.OPENING != state && State.PROVING != state)
        {
            return;
        }
        if (null != ctx.secret() && !(State.PROVING == state && isSealOpened &&
            info.sessionId() == transcript.sessionId() &&
            SessionProof.verify(ctx.secret(), transcript, Side.DATA_PLANE, proof)))
        {
            lose(Code.NOT_AUTHENTICATED, "the data plane did not prove that it has the secret");
            return;
        }
        if (null != seal)
        {
            publication.seal(seal);
        }
        session = info;
        state = State.OPEN;
        final long timeoutNs = TimeUnit.MILLISECONDS.toNanos(Math.max(1, info.timeoutMs()));
        keepAliveIntervalNs = Math.min(
            Math.min(KEEP_ALIVE_MAX_NS, ctx.livenessTimeoutNs() / KEEP_ALIVES_PER_TIMEOUT),
            timeoutNs / KEEP_ALIVES_PER_TIMEOUT);
        keepAliveDueNs = ctx.clock().nanoTime() + keepAliveIntervalNs;
    }

    @Override
    public void onAnswer(
        final long sessionId, final long id, final Code code, final long value, final String text)
    {
        if ((State.OPENING == state || State.PROVING == state) && id == correlationId)
        {
            lose(code, text.isEmpty() ? "the data plane refused the session: " + code : text);
        }
        else if (isTrusted() && sessionId == session.sessionId())
        {
            isAwaitingAlive = false;
            if (Code.NOT_AUTHENTICATED == code)
            {
                lose(Code.NULL_VAL, "the data plane does not know this session any more");
            }
            else
            {
                handler.onAnswer(id, code, value, text);
            }
        }
    }

    @Override
    public void onOtherVersion(final int schemaVersion)
    {
        if (State.OPENING == state || State.PROVING == state)
        {
            lose(Code.UNSUPPORTED, "the peer has schema version " + schemaVersion + ", and this client " +
                SessionOpenedDecoder.SCHEMA_VERSION + ": update the peer");
        }
    }

    @Override
    public void onAlive(final long sessionId, final long eventSequence)
    {
        if (isTrusted() && sessionId == session.sessionId())
        {
            isAwaitingAlive = false;
            handler.onEventSequence(eventSequence);
        }
    }

    @Override
    public void onResource(final long id, final Resource resource)
    {
        if (isTrusted())
        {
            isAwaitingAlive = false;
            handler.onResource(id, resource);
        }
    }

    @Override
    public void onEvent(final ControlEvent event)
    {
        if (isTrusted())
        {
            isAwaitingAlive = false;
            handler.onEvent(event);
        }
    }

    void lose(final Code code, final String reason)
    {
        if (State.LOST != state)
        {
            state = State.LOST;
            lossCode = code;
            lossReason = reason;
        }
    }

    boolean isOpen()
    {
        return State.OPEN == state;
    }

    boolean isLost()
    {
        return State.LOST == state;
    }

    /** How the data plane refused; NULL_VAL when it did not. */
    Code lossCode()
    {
        return lossCode;
    }

    String lossReason()
    {
        return lossReason;
    }

    SessionInfo session()
    {
        return session;
    }

    /** Messages that were dropped: unreadable, unknown, or not genuine. */
    long unreadableCount()
    {
        return unreadableCount;
    }

    private void onAeronError(final Throwable error)
    {
        aeronError = error;
    }

    /** Says good-bye if there is somebody to say it to, and gives everything back. */
    @Override
    public void close()
    {
        if (State.OPEN == state)
        {
            publication.offer(writer.buffer(), writer.closeSession(session.sessionId()));
        }
        state = State.LOST;
        CloseHelper.quietCloseAll(publication, subscription, aeron);
    }
}
