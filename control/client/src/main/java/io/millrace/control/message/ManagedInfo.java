package io.millrace.control.message;

import io.millrace.control.codec.Health;
import java.util.Objects;

/**
 * A managed data plane.
 *
 * @param name           of the data plane.
 * @param isConnected    whether the manager has a session with it.
 * @param health         of it.
 * @param seenEpochNs    when it was heard last, since 1970, by the clock of the manager; 0: never.
 * @param term           of the manager for it; 0: none yet.
 * @param desiredVersion version of the desired state; 0: unknown, as it was never connected.
 * @param appliedVersion version that it was last in sync with; 0: none.
 * @param driftSteps     differences of the last comparison, in steps.
 * @param address        where it is reached: directory or channel.
 * @param refusal        last refused step; empty: none since it was in sync.
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
    int driftSteps,
    String address,
    String refusal,
    String text)
    implements Resource
{
    /**
     * Rejects null.
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
