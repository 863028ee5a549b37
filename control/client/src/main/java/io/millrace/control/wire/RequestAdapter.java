package io.millrace.control.wire;

import io.millrace.control.codec.CloseSessionDecoder;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.KeepAliveDecoder;
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.OpenSessionDecoder;
import io.millrace.control.codec.ProveIdentityDecoder;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.session.KeyAgreementPair;
import io.millrace.control.session.SessionProof;
import org.agrona.DirectBuffer;

/**
 * Reads what clients send: checks a message as a whole, then hands it on as values. Any bytes may come; none make it
 * throw, unless the handler does. A sealed message has to be opened first. Belongs to one thread.
 */
public final class RequestAdapter
{
    private final RequestHandler handler;
    private final CommandReader commands = new CommandReader();
    private final MessageCheck check = commands.check();
    private final OpenSessionDecoder openSession = check.add(new OpenSessionDecoder(), "TTTTB");
    private final ProveIdentityDecoder proveIdentity = check.add(new ProveIdentityDecoder(), "BB");
    private final CloseSessionDecoder closeSession = check.add(new CloseSessionDecoder(), "");
    private final KeepAliveDecoder keepAlive = check.add(new KeepAliveDecoder(), "");

    /**
     * Makes an adapter.
     *
     * @param handler that is told.
     */
    public RequestAdapter(final RequestHandler handler)
    {
        this.handler = handler;
    }

    /**
     * Reads a message.
     *
     * @param buffer it is in.
     * @param offset of its header.
     * @param length of it, in bytes.
     * @return false when it was neither handed on nor refused to the client by {@link
     * RequestHandler#onRefused}: count it.
     */
    public boolean onMessage(final DirectBuffer buffer, final int offset, final int length)
    {
        final MessageCheck.Verdict verdict = check.check(buffer, offset, length);
        if (MessageCheck.Verdict.VALID == verdict)
        {
            return dispatch(buffer, offset);
        }
        if (MessageCheck.Verdict.OTHER_VERSION == verdict && check.opensSession(buffer, offset, length))
        {
            // Alike in all versions up to the channel.
            openSession.wrapAndApplyHeader(buffer, offset, check.header());
            handler.onOtherVersion(openSession.correlationId(), openSession.responseChannel(),
                openSession.responseStreamId(), check.header().version());
            return true;
        }
        if (!check.namesCommand(length))
        {
            return false;
        }
        final CommandHeader ids = commands.ids(buffer, offset);
        handler.onRefused(ids.sessionId(), ids.correlationId(),
            MessageCheck.Verdict.UNKNOWN == verdict ? Code.UNKNOWN_COMMAND : Code.MALFORMED);
        return true;
    }

    /** Of all messages that are read. */
    MessageCheck check()
    {
        return check;
    }

    private boolean dispatch(final DirectBuffer buffer, final int offset)
    {
        final MessageHeaderDecoder header = check.header();
        switch (header.templateId())
        {
            case OpenSessionDecoder.TEMPLATE_ID:
                return onOpenSession();

            case ProveIdentityDecoder.TEMPLATE_ID:
                return onProveIdentity();

            case CloseSessionDecoder.TEMPLATE_ID:
                handler.onCloseSession(closeSession.sessionId());
                return true;

            case KeepAliveDecoder.TEMPLATE_ID:
                handler.onKeepAlive(keepAlive.sessionId());
                return true;

            default:
                final Command command = commands.read(header.templateId());
                if (null == command)
                {
                    return false;
                }
                handler.onCommand(commands.ids(buffer, offset), command);
                return true;
        }
    }

    private boolean onOpenSession()
    {
        // Texts are read in their order; an older client ends before the last.
        final String responseChannel = openSession.responseChannel();
        final String clientName = openSession.clientName();
        final String keyName = openSession.keyName();
        final String dataPlane = openSession.dataPlane();
        final byte[] publicKey = new byte[openSession.publicKeyLength()];
        openSession.getPublicKey(publicKey, 0, publicKey.length);
        if (!KeyAgreementPair.isPublicKey(publicKey))
        {
            return false;
        }
        handler.onOpenSession(openSession.correlationId(), new SessionRequest(openSession.role(), responseChannel,
            openSession.responseStreamId(), clientName, keyName, dataPlane,
            0 == publicKey.length ? SessionRequest.NO_KEY : publicKey));
        return true;
    }

    private boolean onProveIdentity()
    {
        if (SessionProof.NONCE_LENGTH != proveIdentity.nonceLength())
        {
            return false;
        }
        final byte[] nonce = new byte[SessionProof.NONCE_LENGTH];
        proveIdentity.getNonce(nonce, 0, nonce.length);
        final byte[] proof = new byte[proveIdentity.proofLength()];
        proveIdentity.getProof(proof, 0, proof.length);
        handler.onProveIdentity(proveIdentity.correlationId(), proveIdentity.sessionId(), nonce, proof);
        return true;
    }
}
