package io.millrace.control.wire;

import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;

/**
 * What a client is told by a data plane, called by {@link ResponseAdapter} on its thread.
 */
public interface ResponseHandler
{
    /**
     * The data plane wants proof.
     *
     * @param correlationId of OpenSession.
     * @param sessionId     of the session that is to be.
     * @param nonce         of the data plane; of {@code SessionProof.NONCE_LENGTH}.
     * @param publicKey     of the data plane; empty: the session is not encrypted.
     */
    void onChallenge(long correlationId, long sessionId, byte[] nonce, byte[] publicKey);

    /**
     * The session is open.
     *
     * @param correlationId of OpenSession or ProveIdentity.
     * @param session       as opened.
     * @param proof         of the data plane; of any length.
     */
    void onSessionOpened(long correlationId, SessionInfo session, byte[] proof);

    /**
     * The peer is of a version of the schema that is not read any more.
     *
     * @param schemaVersion of the peer.
     */
    void onOtherVersion(int schemaVersion);

    /**
     * A command is done.
     *
     * @param sessionId     of the session; 0: none.
     * @param correlationId of the command.
     * @param code          how it went, or {@link Code#SBE_UNKNOWN}, {@link Code#NULL_VAL}.
     * @param value         number of records, or port.
     * @param text          one sentence, or empty.
     */
    void onAnswer(long sessionId, long correlationId, Code code, long value, String text);

    /**
     * The data plane is there.
     *
     * @param sessionId     of the session.
     * @param eventSequence of the last event sent in it; 0: none.
     */
    void onAlive(long sessionId, long eventSequence);

    /**
     * One of what List asked for.
     *
     * @param correlationId of List.
     * @param resource      that was listed.
     */
    void onResource(long correlationId, Resource resource);

    /**
     * Something happened.
     *
     * @param event that is told.
     */
    void onEvent(ControlEvent event);
}
