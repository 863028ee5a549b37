package io.millrace.nvmf.ana;

import io.millrace.nvme.AnaState;
import io.millrace.nvmf.transport.TransportAddress;

/**
 * ANA state of a group at a listener as it was a moment ago. Immutable.
 *
 * @param subsystemNqn of the subsystem.
 * @param listener     address; null for any that has no states of its own and is not there.
 * @param group        id, from 1.
 * @param state        of it there.
 * @param changes      how often the state was changed since the subsystem was made.
 * @param namespaces   in the group.
 */
public record AnaSnapshot(
    String subsystemNqn,
    TransportAddress listener,
    int group,
    AnaState state,
    long changes,
    int namespaces)
{
}
