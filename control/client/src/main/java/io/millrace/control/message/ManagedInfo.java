package io.millrace.control.message;

import io.millrace.control.codec.Health;
import java.util.Objects;

/**
 * A data plane as its manager sees it.
 *
 * @param name           of the data plane.
 * @param isConnected    whether the manager has a session with it.
 * @param health         of it.
 * @param seenEpochNs    when it was heard last, since 1970, by the clock of the manager; 0: never.
 * @param term           of the manager for it; 0: none yet.
 * @param desiredVersion what it should be; 0: not known, since it was never seen.
 * @param appliedVersion what it was last found to be; 0: none.
 * @param differences    steps that are missing between the two, as last compared.
 * @param address        where it is reached: directory or channel.
 * @param refusal        what it refused last of what it should be; empty: nothing since it last was as it should be.
 * @param text           one sentence about its health, or empty.
 */
public record ManagedInfo(
    String name,
    boolean isConnected,
    Health health,
    long seenEpochNs,
    long term,
    long desiredVersion,
    long appliedVersion,
    int differences,
    String address,
    String refusal,
    String text)
    implements Resource
{
    /**
     * Refuses null.
     */
    public ManagedInfo
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(health, "health");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(refusal, "refusal");
        Objects.requireNonNull(text, "text");
    }
}
