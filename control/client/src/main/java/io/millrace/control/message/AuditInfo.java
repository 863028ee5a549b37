package io.millrace.control.message;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import java.util.Objects;

/**
 * An entry of a manager's audit log.
 *
 * @param sequence  of the entry, from 1.
 * @param epochNs   when it was answered, since 1970, by the clock of the manager.
 * @param version   that came of it; 0: none.
 * @param role      of the session.
 * @param code      how it went.
 * @param dataPlane that it was about; empty: none in particular.
 * @param client       asked: name of the client, and the key it proved.
 * @param command   in words.
 * @param text      one sentence of the answer, or empty.
 */
public record AuditInfo(
    long sequence,
    long epochNs,
    long version,
    Role role,
    Code code,
    String dataPlane,
    String client,
    String command,
    String text)
    implements Resource
{
    /**
     * Rejects null.
     */
    public AuditInfo
    {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(dataPlane, "dataPlane");
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(command, "command");
        Objects.requireNonNull(text, "text");
    }
}
