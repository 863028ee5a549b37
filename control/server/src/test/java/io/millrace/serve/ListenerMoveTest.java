package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.CommandException;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.state.DesiredState;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ListenerMoveTest
{
    private static DesiredState kept(final ListenerSpec... listeners)
    {
        DesiredState state = DesiredState.EMPTY;
        for (final ListenerSpec each : listeners)
        {
            state = state.with(new Command.AddListener(each));
        }
        return state;
    }

    private static ListenerSpec listener(final int port, final boolean isDiscovery)
    {
        return new ListenerSpec(Transport.TCP, "127.0.0.1", port, isDiscovery);
    }

    private static void moves(
        final DesiredState kept, final Integer port, final Integer discoveryPort, final String... names)
    {
        assertEquals(Set.of(names), ListenerMove.of(kept, port, discoveryPort).applyTo(kept).listeners().keySet());
    }

    @Test
    void shouldMoveTheOnlyListenerOfEachKind()
    {
        final DesiredState kept = kept(listener(4420, false), listener(8009, true));
        assertTrue(ListenerMove.of(kept, null, null).isNone());
        assertTrue(ListenerMove.of(kept, 4420, 0).isNone());
        moves(kept, 4500, null, "127.0.0.1:4500", "127.0.0.1:8009");
        moves(kept, null, 8010, "127.0.0.1:4420", "127.0.0.1:8010");
        moves(kept, 8009, 4420, "127.0.0.1:4420", "127.0.0.1:8009");
        assertEquals("'millrace listener add 127.0.0.1:8010 --discovery-only' and " +
            "'millrace listener remove 127.0.0.1:8009'", ListenerMove.of(kept, null, 8010).commands());
    }

    @Test
    void shouldKeepTheTransportOfAListenerThatMoves()
    {
        final DesiredState kept = kept(new ListenerSpec(Transport.RDMA, "127.0.0.1", 4420, false));
        moves(kept, 4500, null, "rdma://127.0.0.1:4500");
        assertEquals("'millrace listener add rdma://127.0.0.1:4500' and 'millrace listener remove " +
            "rdma://127.0.0.1:4420'", ListenerMove.of(kept, 4500, null).commands());
    }

    @Test
    void shouldAddAListenerWhereThereIsNone()
    {
        moves(DesiredState.EMPTY, 4500, 8010, "127.0.0.1:4500", "127.0.0.1:8010");
        assertEquals("'millrace listener add 127.0.0.1:4500'",
            ListenerMove.of(DesiredState.EMPTY, 4500, null).commands());
    }

    @Test
    void shouldRefuseToChooseAmongSeveral()
    {
        final DesiredState kept = kept(listener(4420, false), listener(4421, false));
        assertTrue(ListenerMove.of(kept, 4421, null).isNone());
        assertEquals("--port 4500: the kept state has 2 such listeners, 127.0.0.1:4420 and 127.0.0.1:4421, and it is " +
            "not clear which one to move; leave out --port, or serve the volume alone with 'millrace quickstart " +
            "--no-manager --port 4500'",
            assertThrows(CommandException.class, () -> ListenerMove.of(kept, 4500, null)).getMessage());
    }

    @Test
    void shouldRefuseAnAddressOfAnotherListener()
    {
        final DesiredState kept = kept(listener(4420, false), listener(8009, true));
        assertEquals("--port 8009: another listener of the kept state has 127.0.0.1:8009; choose another port",
            assertThrows(CommandException.class, () -> ListenerMove.of(kept, 8009, null)).getMessage());
        assertEquals("--port 4500: another listener of the kept state has 127.0.0.1:4500; choose another port",
            assertThrows(CommandException.class, () -> ListenerMove.of(kept, 4500, 4500)).getMessage());
    }
}
