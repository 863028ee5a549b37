package io.millrace.nvmf.initiator.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConnectionStateTest
{
    @Test
    void shouldAllowTheConnectionTransitionsOfTheDiagramAndNoOthers()
    {
        final Map<ConnectionState, Set<ConnectionState>> allowed = Map.of(
            ConnectionState.CLOSED, EnumSet.of(ConnectionState.CONNECTING),
            ConnectionState.CONNECTING, EnumSet.of(ConnectionState.INITIALIZING, ConnectionState.CLOSING),
            ConnectionState.INITIALIZING, EnumSet.of(ConnectionState.ASSOCIATING, ConnectionState.CLOSING),
            ConnectionState.ASSOCIATING, EnumSet.of(ConnectionState.READY, ConnectionState.CLOSING),
            ConnectionState.READY, EnumSet.of(ConnectionState.CLOSING),
            ConnectionState.CLOSING, EnumSet.of(ConnectionState.CLOSED));
        for (final ConnectionState from : ConnectionState.values())
        {
            for (final ConnectionState to : ConnectionState.values())
            {
                assertEquals(allowed.get(from).contains(to), from.canBecome(to), from + " to " + to);
            }
        }
    }
}
