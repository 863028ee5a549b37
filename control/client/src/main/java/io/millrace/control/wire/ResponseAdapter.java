package io.millrace.control.wire;

import io.millrace.control.codec.AliveDecoder;
import io.millrace.control.codec.AnswerDecoder;
import io.millrace.control.codec.ChallengeDecoder;
import io.millrace.control.codec.EventDecoder;
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.SessionOpenedDecoder;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.session.KeyAgreementPair;
import io.millrace.control.session.SessionProof;
import java.util.UUID;
import org.agrona.DirectBuffer;

/**
 * Reads what a data plane sends: checks a message as a whole, then hands it on as values. Any bytes may come; none
 * make it throw, unless the handler does. A sealed message has to be opened first. Belongs to one thread.
 */
public final class ResponseAdapter
{
    private final ResponseHandler handler;
    private final ResourceReader resources = new ResourceReader();
    private final MessageCheck check = resources.check();
    private final ChallengeDecoder challenge = check.add(new ChallengeDecoder(), "BB");
    private final SessionOpenedDecoder sessionOpened = check.add(new SessionOpenedDecoder(), "TBTT");
    private final AnswerDecoder answer = check.add(new AnswerDecoder(), "T");
    private final AliveDecoder alive = check.add(new AliveDecoder(), "");
    private final EventDecoder event = check.add(new EventDecoder(), "TT");

    /**
     * Makes an adapter.
     *
     * @param handler that is told.
     */
    public ResponseAdapter(final ResponseHandler handler)
    {
        this.handler = handler;
    }

    /**
     * Reads a message.
     *
     * @param buffer it is in.
     * @param offset of its header.
     * @param length of it, in bytes.
     * @return false when it is malformed, or nothing that this version knows: count it.
     */
    public boolean onMessage(final DirectBuffer buffer, final int offset, final int length)
    {
        final MessageCheck.Verdict verdict = check.check(buffer, offset, length);
        if (MessageCheck.Verdict.OTHER_VERSION == verdict)
        {
            handler.onOtherVersion(check.header().version());
            return true;
        }
        if (MessageCheck.Verdict.VALID != verdict)
        {
            return false;
        }
        final MessageHeaderDecoder header = check.header();
        switch (header.templateId())
        {
            case ChallengeDecoder.TEMPLATE_ID:
                return onChallenge();

            case SessionOpenedDecoder.TEMPLATE_ID:
                onSessionOpened();
                return true;

            case AnswerDecoder.TEMPLATE_ID:
                handler.onAnswer(
                    answer.sessionId(), answer.correlationId(), answer.code(), answer.value(), answer.text());
                return true;

            case AliveDecoder.TEMPLATE_ID:
                handler.onAlive(alive.sessionId(), alive.eventSequence());
                return true;

            case EventDecoder.TEMPLATE_ID:
                handler.onEvent(new ControlEvent(
                    event.sequence(), event.epochNs(), event.kind(), event.change(), event.name(), event.text()));
                return true;

            default:
                final Resource resource = resources.read(header.templateId());
                if (null == resource)
                {
                    return false;
                }
                handler.onResource(resources.correlationId(), resource);
                return true;
        }
    }

    /** Of all messages that are read. */
    MessageCheck check()
    {
        return check;
    }

    private boolean onChallenge()
    {
        if (SessionProof.NONCE_LENGTH != challenge.nonceLength())
        {
            return false;
        }
        final byte[] nonce = new byte[SessionProof.NONCE_LENGTH];
        challenge.getNonce(nonce, 0, nonce.length);
        final byte[] publicKey = new byte[challenge.publicKeyLength()];
        challenge.getPublicKey(publicKey, 0, publicKey.length);
        if (!KeyAgreementPair.isPublicKey(publicKey))
        {
            return false;
        }
        handler.onChallenge(challenge.correlationId(), challenge.sessionId(), nonce, publicKey);
        return true;
    }

    private void onSessionOpened()
    {
        final String name = sessionOpened.dataPlaneName();
        final byte[] proof = new byte[sessionOpened.proofLength()];
        sessionOpened.getProof(proof, 0, proof.length);
        final PeerInfo peer = PeerInfoCodec.peer(sessionOpened);
        handler.onSessionOpened(
            sessionOpened.correlationId(),
            new SessionInfo(
                sessionOpened.sessionId(), sessionOpened.role(), sessionOpened.timeoutMs(), sessionOpened.term(),
                new UUID(sessionOpened.dataPlaneId().high(), sessionOpened.dataPlaneId().low()),
                sessionOpened.commandsMax(), name, peer),
            proof);
    }
}
