package io.millrace.control.wire;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.SessionRequest;

/**
 * What a data plane is told by clients, called by {@link RequestAdapter} on its thread. Texts are checked; whether
 * values make sense, whether the session exists, has proven itself and may do this, is for the handler.
 */
public interface RequestHandler
{
    /**
     * A client wants a session.
     *
     * @param correlationId comes back in the answer.
     * @param request       what it wants; its role may be {@link Role#SBE_UNKNOWN} or {@link Role#NULL_VAL}.
     */
    void onOpenSession(long correlationId, SessionRequest request);

    /**
     * A client of a version of the schema that is not read any more wants a session; to be answered with both versions.
     *
     * @param correlationId    comes back in the answer.
     * @param responseChannel  Aeron channel of the answers.
     * @param responseStreamId of the answers.
     * @param schemaVersion    of the client.
     */
    void onOtherVersion(long correlationId, String responseChannel, int responseStreamId, int schemaVersion);

    /**
     * A client proves itself.
     *
     * @param correlationId comes back in the answer.
     * @param sessionId     of the challenge.
     * @param nonce         of the client; of {@code SessionProof.NONCE_LENGTH}.
     * @param proof         of any length.
     */
    void onProveIdentity(long correlationId, long sessionId, byte[] nonce, byte[] proof);

    /**
     * A client leaves.
     *
     * @param sessionId of the session.
     */
    void onCloseSession(long sessionId);

    /**
     * A client is there; to be answered by Alive.
     *
     * @param sessionId of the session.
     */
    void onKeepAlive(long sessionId);

    /**
     * A command; to be answered by its records, if any, and one Answer.
     *
     * @param header  its ids.
     * @param command to carry out. Its enum values may be {@code SBE_UNKNOWN} or {@code NULL_VAL}.
     */
    void onCommand(CommandHeader header, Command command);

    /**
     * A command that cannot be read; to be answered with the code, if the session exists.
     *
     * @param sessionId     of the session, as the message claims.
     * @param correlationId of the command, as the message claims.
     * @param code          {@link Code#MALFORMED} or {@link Code#UNKNOWN_COMMAND}.
     */
    void onRefused(long sessionId, long correlationId, Code code);
}
