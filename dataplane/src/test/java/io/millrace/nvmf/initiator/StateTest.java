package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StateTest
{
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
