package io.millrace.control.message;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Transport;
import java.util.Objects;

/**
 * How the namespaces of an ANA group are reached through a listener. A list has, for each listener that is there or for
 * which states were set, the groups that have namespaces and those that are not optimized somewhere; and for any other
 * listener, under no address, the groups that are not optimized. What is not listed is optimized.
 *
 * @param nqn        of the subsystem.
 * @param transport  of the listener.
 * @param address    of the listener, numeric; empty for any that is not listed.
 * @param port       of the listener; 0 for any that is not listed.
 * @param group      from 1.
 * @param state      now.
 * @param changes    how often the state was changed since the subsystem was made.
 * @param namespaces in the group.
 */
public record AnaInfo(
    String nqn,
    Transport transport,
    String address,
    int port,
    int group,
    AnaState state,
    long changes,
    int namespaces)
    implements Resource
{
    /**
     * Rejects null.
     */
    public AnaInfo
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(state, "state");
    }
}
