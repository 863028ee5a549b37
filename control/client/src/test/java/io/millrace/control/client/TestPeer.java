package io.millrace.control.client;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.logbuffer.Header;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.MessageHeaderEncoder;
import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.session.KeyAgreementPair;
import io.millrace.control.session.MessageSeal;
import io.millrace.control.session.SessionProof;
import io.millrace.control.session.SessionTranscript;
import io.millrace.control.session.SharedSecret;
import io.millrace.control.session.Side;
import io.millrace.control.wire.MessagePublication;
import io.millrace.control.wire.OfferResult;
import io.millrace.control.wire.RequestAdapter;
import io.millrace.control.wire.RequestHandler;
import io.millrace.control.wire.ResponseWriter;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The other end of the protocol, as small as it can be: remembers what it was told and answers what it is set to. */
final class TestPeer implements RequestHandler, AutoCloseable
{
    static final int PORT = 4421;

    /** How it answered a command. */
    record Reply(Code code, long value, String text)
    {
    }

    private static final class Session
    {
        private final ArrayDeque<byte[]> outgoing = new ArrayDeque<>();
        private final long id;
        private final long openingId;
        private final Role role;
        private final byte[] nonce;
        private MessagePublication publication;
        private SessionTranscript transcript;
        private MessageSeal seal;
        private KeyAgreementPair keys;
        private long events;
        private boolean isOpen;
        private boolean isSubscribed;

        Session(final long id, final long openingId, final Role role, final byte[] nonce)
        {
            this.id = id;
            this.openingId = openingId;
            this.role = role;
            this.nonce = nonce;
        }
    }

    private final SharedSecret secret;
    private final SecureRandom random = new SecureRandom();
    private final UUID dataPlaneId = UUID.randomUUID();
    private final Aeron aeron;
    private final Subscription subscription;
    private final FragmentAssembler assembler = new FragmentAssembler(this::onFragment);
    private final RequestAdapter adapter = new RequestAdapter(this);
    private final ResponseWriter writer = new ResponseWriter();
    private final UnsafeBuffer buffer =
        new UnsafeBuffer(new byte[MessagePublication.MESSAGE_OFFSET + MessageSeal.MESSAGE_LENGTH_MAX]);
    private final Map<Long, Session> sessions = new LinkedHashMap<>();
    private final Map<CommandId, Reply> replies = new HashMap<>();
    private final Map<Kind, List<Resource>> resources = new EnumMap<>(Kind.class);
    private final List<Command> carriedOut = new ArrayList<>();
    private final List<CommandHeader> headers = new ArrayList<>();
    private final List<SessionRequest> requests = new ArrayList<>();
    private Reply reply = new Reply(Code.OK, 0, "");
    private long nextSessionId = 100;
    private long highestTerm;
    private int answersToLose;
    private int keepAliveCount;
    private boolean isMute;
    private boolean isForger;
    private boolean isPlain;
    private int version;
    private PeerInfo peer = PeerInfo.own(PeerType.DATA_PLANE, "test");
    private int commandsMax = 1000;
    private Session current;

    TestPeer(final String directory, final String channel, final SharedSecret secret)
    {
        this.secret = secret;
        this.aeron = Aeron.connect(new Aeron.Context()
            .aeronDirectoryName(directory).useConductorAgentInvoker(true).errorHandler(TestPeer::ignore));
        this.subscription = aeron.addSubscription(channel, ControlClientContext.REQUEST_STREAM_ID_DEFAULT);
    }

    private static void ignore(final Throwable error)
    {
    }

    List<Command> carriedOut()
    {
        return carriedOut;
    }

    List<CommandHeader> headers()
    {
        return headers;
    }

    List<SessionRequest> requests()
    {
        return requests;
    }

    UUID dataPlaneId()
    {
        return dataPlaneId;
    }

    void reply(final Code code, final String text)
    {
        reply = new Reply(code, 0, text);
    }

    void show(final Kind kind, final Resource... values)
    {
        resources.put(kind, List.of(values));
    }

    /** Carries out the next commands and loses what it has to say about it. */
    void loseAnswers(final int count)
    {
        answersToLose = count;
    }

    /** Takes everything in and says nothing. */
    void mute(final boolean value)
    {
        isMute = value;
    }

    /** Opens sessions as one who does not know the secret. */
    void forge()
    {
        isForger = true;
    }

    /** Does not encrypt. */
    void plain()
    {
        isPlain = true;
    }

    /** Makes devices of these types alone. */
    void knows(final String... deviceTypes)
    {
        peer = new PeerInfo(peer.schemaVersion(), peer.type(), peer.kinds(), Set.of(deviceTypes), "test");
    }

    /** Knows this version of the schema at most. */
    void knowsVersion(final int schemaVersion)
    {
        peer = new PeerInfo(schemaVersion, peer.type(), peer.kinds(), peer.deviceTypes(), "test");
    }

    /** Sends all as of another version of the schema. */
    void version(final int value)
    {
        version = value;
    }

    void commandsMax(final int value)
    {
        commandsMax = value;
    }

    int keepAliveCount()
    {
        return keepAliveCount;
    }

    int sessionCount()
    {
        return sessions.size();
    }

    void dropSessions()
    {
        sessions.values().forEach(session -> CloseHelper.close(session.publication));
        sessions.clear();
    }

    void event(final String name)
    {
        for (final Session session : sessions.values())
        {
            if (session.isSubscribed)
            {
                send(session, writer.event(
                    new ControlEvent(++session.events, 1, Kind.DEVICE, Change.CREATED, name, "made")));
            }
        }
    }

    /** Counts events that are never sent. */
    void loseEvents(final int count)
    {
        sessions.values().forEach(session -> session.events += count);
    }

    int poll()
    {
        int work = aeron.conductorAgentInvoker().invoke();
        if (aeron.isClosed())
        {
            return work;
        }
        work += subscription.poll(assembler, 100);
        for (final Session session : sessions.values())
        {
            while (!session.outgoing.isEmpty())
            {
                final byte[] message = session.outgoing.peekFirst();
                buffer.putBytes(MessagePublication.MESSAGE_OFFSET, message);
                if (OfferResult.SENT != session.publication.offer(buffer, message.length))
                {
                    break;
                }
                session.outgoing.removeFirst();
                work++;
            }
        }
        return work;
    }

    private void onFragment(final DirectBuffer from, final int offset, final int length, final Header header)
    {
        current = null;
        if (MessageSeal.isSealed(from, offset, length))
        {
            final Session session = sessions.get(MessageSeal.sessionId(from, offset));
            if (null != session && null != session.seal && session.seal.open(from, offset, length))
            {
                current = session;
                adapter.onMessage(
                    session.seal.messageBuffer(), session.seal.messageOffset(), session.seal.messageLength());
            }
            return;
        }
        adapter.onMessage(from, offset, length);
    }

    private Session session(final long sessionId)
    {
        final Session session = sessions.get(sessionId);
        return null != session && session.isOpen && (null == session.seal || session == current) ? session : null;
    }

    private void send(final Session session, final int length)
    {
        if (!isMute)
        {
            final byte[] message = new byte[length];
            writer.buffer().getBytes(MessagePublication.MESSAGE_OFFSET, message);
            if (0 != version)
            {
                new MessageHeaderEncoder().wrap(new UnsafeBuffer(message), 0).version(version);
            }
            session.outgoing.addLast(message);
        }
    }

    @Override
    public void onOtherVersion(final long correlationId, final String channel, final int streamId, final int other)
    {
        throw new AssertionError("version " + other);
    }

    @Override
    public void onOpenSession(final long correlationId, final SessionRequest request)
    {
        requests.add(request);
        final Session session =
            new Session(nextSessionId++, correlationId, request.role(), SessionProof.newNonce(random));
        session.publication = new MessagePublication(
            aeron.addExclusivePublication(request.responseChannel(), request.responseStreamId()));
        sessions.put(session.id, session);
        if (null == secret)
        {
            opened(session, correlationId, new byte[0]);
            return;
        }
        session.keys = request.isEncrypted() && !isPlain ? KeyAgreementPair.generate() : null;
        final byte[] publicKey = null == session.keys ? SessionRequest.NO_KEY : session.keys.publicKey();
        session.transcript =
            new SessionTranscript(session.id, request, session.nonce, SessionRequest.NO_KEY, publicKey);
        send(session, writer.challenge(correlationId, session.id, session.nonce, publicKey));
    }

    private void opened(final Session session, final long correlationId, final byte[] proof)
    {
        session.isOpen = true;
        send(session, writer.sessionOpened(
            correlationId,
            new SessionInfo(
                session.id, session.role, 10_000, highestTerm, dataPlaneId, commandsMax, "peer", peer), proof));
    }

    @Override
    public void onProveIdentity(
        final long correlationId, final long sessionId, final byte[] nonce, final byte[] proof)
    {
        final Session session = sessions.get(sessionId);
        session.transcript = session.transcript.with(nonce);
        if (isForger)
        {
            opened(session, correlationId, new byte[SessionProof.PROOF_LENGTH]);
        }
        else if (SessionProof.verify(secret, session.transcript, Side.CLIENT, proof))
        {
            session.seal = SessionProof.seal(secret, session.transcript, Side.DATA_PLANE, session.keys);
            // Nothing unsealed waits: the challenge was sent, or the client could not have answered it.
            session.publication.seal(session.seal);
            opened(session, correlationId, SessionProof.prove(secret, session.transcript, Side.DATA_PLANE));
        }
        else
        {
            send(session, writer.answer(0, session.openingId, Code.NOT_AUTHENTICATED, 0, "authentication failed"));
        }
    }

    @Override
    public void onCloseSession(final long sessionId)
    {
        if (null != session(sessionId))
        {
            CloseHelper.close(sessions.remove(sessionId).publication);
        }
    }

    @Override
    public void onKeepAlive(final long sessionId)
    {
        keepAliveCount++;
        final Session session = session(sessionId);
        if (null != session)
        {
            send(session, writer.alive(sessionId, session.events));
        }
    }

    @Override
    public void onCommand(final CommandHeader header, final Command command)
    {
        final Session session = session(header.sessionId());
        if (null == session)
        {
            return;
        }
        headers.add(header);
        final Reply known = command.changes() ? replies.get(header.commandId()) : null;
        final Reply answer = null == known ? carryOut(session, header, command) : known;
        if (command.changes() && !CommandId.NONE.equals(header.commandId()))
        {
            replies.put(header.commandId(), answer);
        }
        if (answersToLose > 0)
        {
            answersToLose--;
            return;
        }
        send(session, writer.answer(
            session.id, header.correlationId(), answer.code(), answer.value(), answer.text()));
    }

    private Reply carryOut(final Session session, final CommandHeader header, final Command command)
    {
        if (0 != header.term() && header.term() < highestTerm)
        {
            return new Reply(Code.STALE_TERM, 0, "a manager of term " + highestTerm + " is in charge");
        }
        highestTerm = Math.max(highestTerm, header.term());
        if (command.role().value() > session.role.value())
        {
            return new Reply(Code.NOT_PERMITTED, 0, "the role is too low");
        }
        carriedOut.add(command);
        return switch (command)
        {
            case Command.List list ->
            {
                final List<Resource> found = resources.getOrDefault(list.kind(), List.of());
                for (final Resource resource : found)
                {
                    send(session, writer.resource(header.correlationId(), resource));
                }
                yield new Reply(Code.OK, found.size(), "");
            }
            case Command.Subscribe _ ->
            {
                session.isSubscribed = true;
                yield new Reply(Code.OK, 0, "");
            }
            case Command.AddListener _ -> new Reply(reply.code(), PORT, reply.text());
            default -> reply;
        };
    }

    @Override
    public void onRefused(final long sessionId, final long correlationId, final Code code)
    {
        final Session session = session(sessionId);
        if (null != session)
        {
            send(session, writer.answer(sessionId, correlationId, code, 0, ""));
        }
    }

    @Override
    public void close()
    {
        dropSessions();
        CloseHelper.closeAll(subscription, aeron);
    }
}
