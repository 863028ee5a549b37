package io.millrace.control.wire;

import io.millrace.control.codec.CloseSessionEncoder;
import io.millrace.control.codec.KeepAliveEncoder;
import io.millrace.control.codec.MessageHeaderEncoder;
import io.millrace.control.codec.OpenSessionEncoder;
import io.millrace.control.codec.ProveIdentityEncoder;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.session.MessageSeal;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Encodes what clients send, one message at a time, into a buffer of its own at {@link
 * MessagePublication#MESSAGE_OFFSET}. Every method answers the message's length in bytes. Belongs to one thread.
 */
public final class RequestWriter
{
    private static final int OFFSET = MessagePublication.MESSAGE_OFFSET;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[OFFSET + MessageSeal.MESSAGE_LENGTH_MAX]);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final OpenSessionEncoder openSession = new OpenSessionEncoder();
    private final ProveIdentityEncoder proveIdentity = new ProveIdentityEncoder();
    private final CloseSessionEncoder closeSession = new CloseSessionEncoder();
    private final KeepAliveEncoder keepAlive = new KeepAliveEncoder();
    private final CommandWriter commands = new CommandWriter();

    /**
     * Makes a writer with a buffer for the longest message.
     */
    public RequestWriter()
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
     * Asks for a session.
     *
     * @param correlationId to come back.
     * @param request       what is wanted.
     * @return length of the message.
     * @throws IllegalArgumentException when a text cannot be sent.
     */
    public int openSession(final long correlationId, final SessionRequest request)
    {
        openSession.wrapAndApplyHeader(buffer, OFFSET, header)
            .correlationId(correlationId)
            .responseStreamId(request.responseStreamId())
            .role(request.role())
            .responseChannel(Text.check("response channel", request.responseChannel()))
            .clientName(Text.check("client name", request.clientName()))
            .keyName(Text.check("key name", request.keyName()))
            .dataPlane(Text.check("data plane", request.dataPlane()))
            .putPublicKey(request.publicKey(), 0, request.publicKey().length);
        return MessageHeaderEncoder.ENCODED_LENGTH + openSession.encodedLength();
    }

    /**
     * Answers a challenge.
     *
     * @param correlationId to come back.
     * @param sessionId     of the challenge.
     * @param nonce         of the client.
     * @param proof         of the client.
     * @return length of the message.
     */
    public int proveIdentity(final long correlationId, final long sessionId, final byte[] nonce, final byte[] proof)
    {
        proveIdentity.wrapAndApplyHeader(buffer, OFFSET, header)
            .correlationId(correlationId)
            .sessionId(sessionId)
            .putNonce(nonce, 0, nonce.length)
            .putProof(proof, 0, proof.length);
        return MessageHeaderEncoder.ENCODED_LENGTH + proveIdentity.encodedLength();
    }

    /**
     * Leaves.
     *
     * @param sessionId of the session.
     * @return length of the message.
     */
    public int closeSession(final long sessionId)
    {
        closeSession.wrapAndApplyHeader(buffer, OFFSET, header).sessionId(sessionId);
        return MessageHeaderEncoder.ENCODED_LENGTH + closeSession.encodedLength();
    }

    /**
     * Says that the client is there.
     *
     * @param sessionId of the session.
     * @return length of the message.
     */
    public int keepAlive(final long sessionId)
    {
        keepAlive.wrapAndApplyHeader(buffer, OFFSET, header).sessionId(sessionId);
        return MessageHeaderEncoder.ENCODED_LENGTH + keepAlive.encodedLength();
    }

    /**
     * Commands.
     *
     * @param ids     of the command.
     * @param command to carry out.
     * @return length of the message.
     * @throws IllegalArgumentException when a text or the number of fault rules cannot be sent.
     */
    public int command(final CommandHeader ids, final Command command)
    {
        return commands.write(buffer, OFFSET, ids, command);
    }
}
