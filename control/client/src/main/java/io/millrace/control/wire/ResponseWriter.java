package io.millrace.control.wire;

import io.millrace.control.codec.AliveEncoder;
import io.millrace.control.codec.AnswerEncoder;
import io.millrace.control.codec.ChallengeEncoder;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.EventEncoder;
import io.millrace.control.codec.MessageHeaderEncoder;
import io.millrace.control.codec.SessionOpenedEncoder;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.session.MessageSeal;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Encodes what a data plane sends, one message at a time, into a buffer of its own at {@link
 * MessagePublication#MESSAGE_OFFSET}. Texts are made to fit ({@link Text#fit(String)}), so that nothing here throws.
 * Every method answers the message's length in bytes. Belongs to one thread.
 */
public final class ResponseWriter
{
    private static final int OFFSET = MessagePublication.MESSAGE_OFFSET;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[OFFSET + MessageSeal.MESSAGE_LENGTH_MAX]);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final ChallengeEncoder challenge = new ChallengeEncoder();
    private final SessionOpenedEncoder sessionOpened = new SessionOpenedEncoder();
    private final AnswerEncoder answer = new AnswerEncoder();
    private final AliveEncoder alive = new AliveEncoder();
    private final EventEncoder event = new EventEncoder();
    private final ResourceWriter resources = new ResourceWriter();

    /**
     * Makes a writer with a buffer for the longest message.
     */
    public ResponseWriter()
    {
    }

    /**
     * {@return the buffer that the message written last is in, until the next}
     */
    public MutableDirectBuffer buffer()
    {
        return buffer;
    }

    /**
     * Asks for proof.
     *
     * @param correlationId of OpenSession.
     * @param sessionId     of the session that is to be.
     * @param nonce         of the data plane.
     * @param publicKey     of the data plane; empty: the session is not encrypted.
     * @return length of the message.
     */
    public int challenge(
        final long correlationId, final long sessionId, final byte[] nonce, final byte[] publicKey)
    {
        challenge.wrapAndApplyHeader(buffer, OFFSET, header)
            .correlationId(correlationId)
            .sessionId(sessionId)
            .putNonce(nonce, 0, nonce.length)
            .putPublicKey(publicKey, 0, publicKey.length);
        return MessageHeaderEncoder.ENCODED_LENGTH + challenge.encodedLength();
    }

    /**
     * Opens a session.
     *
     * @param correlationId of OpenSession or ProveIdentity.
     * @param session       as opened.
     * @param proof         of the data plane; empty when the client did not prove itself.
     * @return length of the message.
     */
    public int sessionOpened(final long correlationId, final SessionInfo session, final byte[] proof)
    {
        sessionOpened.wrapAndApplyHeader(buffer, OFFSET, header)
            .correlationId(correlationId)
            .sessionId(session.sessionId())
            .role(session.role())
            .timeoutMs(session.timeoutMs())
            .term(session.term())
            .commandsMax(session.commandsMax())
            .schemaVersion(session.peer().schemaVersion())
            .peerType(session.peer().type())
            .kinds(PeerInfoCodec.kinds(session.peer()));
        sessionOpened.dataPlaneId()
            .high(session.dataPlaneId().getMostSignificantBits())
            .low(session.dataPlaneId().getLeastSignificantBits());
        sessionOpened.dataPlaneName(Text.fit(session.dataPlaneName()))
            .putProof(proof, 0, proof.length)
            .programVersion(Text.fit(session.peer().programVersion()))
            .deviceTypes(PeerInfoCodec.deviceTypes(session.peer()));
        return MessageHeaderEncoder.ENCODED_LENGTH + sessionOpened.encodedLength();
    }

    /**
     * Ends a command.
     *
     * @param sessionId     of the session; 0: none.
     * @param correlationId of the command.
     * @param code          how it went.
     * @param value         number of records, or port, else 0.
     * @param text          one sentence when the code is not OK.
     * @return length of the message.
     */
    public int answer(
        final long sessionId, final long correlationId, final Code code, final long value, final String text)
    {
        answer.wrapAndApplyHeader(buffer, OFFSET, header)
            .sessionId(sessionId)
            .correlationId(correlationId)
            .code(code)
            .value(value)
            .text(Text.fit(text));
        return MessageHeaderEncoder.ENCODED_LENGTH + answer.encodedLength();
    }

    /**
     * Answers a keep-alive.
     *
     * @param sessionId     of the session.
     * @param eventSequence of the last event sent in it; 0: none.
     * @return length of the message.
     */
    public int alive(final long sessionId, final long eventSequence)
    {
        alive.wrapAndApplyHeader(buffer, OFFSET, header).sessionId(sessionId).eventSequence(eventSequence);
        return MessageHeaderEncoder.ENCODED_LENGTH + alive.encodedLength();
    }

    /**
     * Tells one of what was listed.
     *
     * @param correlationId of List.
     * @param resource      to tell.
     * @return length of the message.
     */
    public int resource(final long correlationId, final Resource resource)
    {
        return resources.write(buffer, OFFSET, correlationId, resource);
    }

    /**
     * Tells what happened.
     *
     * @param value to tell.
     * @return length of the message.
     */
    public int event(final ControlEvent value)
    {
        event.wrapAndApplyHeader(buffer, OFFSET, header)
            .sequence(value.sequence())
            .epochNs(value.epochNs())
            .kind(value.kind())
            .change(value.change())
            .name(Text.fit(value.name()))
            .text(Text.fit(value.text()));
        return MessageHeaderEncoder.ENCODED_LENGTH + event.encodedLength();
    }
}
