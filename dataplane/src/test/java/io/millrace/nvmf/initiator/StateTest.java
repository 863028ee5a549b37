package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StateTest
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

    @Test
    void shouldAllowTheRequestTransitionsOfTheDiagramAndNoOthers()
    {
        final Map<RequestState, Set<RequestState>> allowed = Map.of(
            RequestState.IDLE, EnumSet.of(RequestState.OUTSTANDING, RequestState.HELD),
            RequestState.OUTSTANDING, EnumSet.of(RequestState.IDLE, RequestState.ANSWERED, RequestState.HELD),
            RequestState.ANSWERED, EnumSet.of(RequestState.IDLE, RequestState.HELD),
            RequestState.HELD, EnumSet.of(RequestState.IDLE, RequestState.OUTSTANDING));
        for (final RequestState from : RequestState.values())
        {
            for (final RequestState to : RequestState.values())
            {
                assertEquals(allowed.get(from).contains(to), from.canBecome(to), from + " to " + to);
            }
        }
    }

    @Test
    void shouldAllowTheControllerTransitionsOfTheDiagramAndNoOthers()
    {
        final Map<ControllerState, Set<ControllerState>> allowed = Map.of(
            ControllerState.CONNECTING, EnumSet.of(ControllerState.LIVE, ControllerState.CLOSED),
            ControllerState.LIVE,
            EnumSet.of(ControllerState.RECONNECTING, ControllerState.LOST, ControllerState.CLOSED),
            ControllerState.RECONNECTING,
            EnumSet.of(ControllerState.LIVE, ControllerState.LOST, ControllerState.CLOSED),
            ControllerState.LOST, EnumSet.of(ControllerState.CLOSED),
            ControllerState.CLOSED, EnumSet.noneOf(ControllerState.class));
        for (final ControllerState from : ControllerState.values())
        {
            for (final ControllerState to : ControllerState.values())
            {
                assertEquals(allowed.get(from).contains(to), from.canBecome(to), from + " to " + to);
            }
        }
    }
}
