package io.millrace.nvmf.tcp;

import static io.millrace.nvmf.tcp.ConnectionState.AWAITING_ICREQ;
import static io.millrace.nvmf.tcp.ConnectionState.CLOSED;
import static io.millrace.nvmf.tcp.ConnectionState.DRAINING;
import static io.millrace.nvmf.tcp.ConnectionState.READY;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConnectionStateTest
{
    private static final Map<ConnectionState, Set<ConnectionState>> ALLOWED = Map.of(
        AWAITING_ICREQ, Set.of(READY, DRAINING, CLOSED),
        READY, Set.of(DRAINING, CLOSED),
        DRAINING, Set.of(CLOSED),
        CLOSED, Set.of());

    @Test
    void shouldAllowExactlyTheTransitionsOfTheDiagram()
    {
        for (final ConnectionState from : ConnectionState.values())
        {
            for (final ConnectionState to : ConnectionState.values())
            {
                assertEquals(ALLOWED.get(from).contains(to), from.mayBecome(to), from + " to " + to);
            }
        }
    }
}
