package io.millrace.nvmf.ana;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.AnaState;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

public class AnaTableTest
{
    private static final AnaState[] STATES = AnaState.values();
    private static final int GROUPS = 4;
    /** What states are set for; the first stands for all. */
    private static final TransportAddress[] LISTENERS = {
        null, tcp("10.0.0.1", 4420), tcp("10.0.0.2", 4420), tcp("0.0.0.0", 4420), tcp("fe80::1", 4420),
        tcp("::", 4420), tcp("10.0.0.1", 4421)};
    /** Where hosts come in. */
    private static final TransportAddress[] LOCALS = {
        tcp("10.0.0.1", 4420), tcp("10.0.0.2", 4420), tcp("10.0.0.3", 4420), tcp("fe80::1", 4420),
        tcp("fe80::2", 4420), tcp("10.0.0.1", 4421), tcp("10.0.0.3", 4422)};

    /** The state of each group at each of {@link #LOCALS}, told one by one. */
    private static final class Model
    {
        final AnaState[][] states = new AnaState[LOCALS.length][GROUPS + 1];
        final long[][] changes = new long[LOCALS.length][GROUPS + 1];
        final long[][] versions = new long[LOCALS.length][GROUPS + 1];

        Model()
        {
            for (final AnaState[] each : states)
            {
                Arrays.fill(each, AnaState.OPTIMIZED);
            }
        }

        void set(final TransportAddress listener, final int group, final AnaState state, final long version)
        {
            for (int at = 0; at < LOCALS.length; at++)
            {
                if (covers(listener, LOCALS[at]))
                {
                    for (int each = 1; each <= GROUPS; each++)
                    {
                        if (0 == group || each == group)
                        {
                            become(at, each, state, version);
                        }
                    }
                }
            }
        }

        void endTransitions(final long former, final long version)
        {
            for (int at = 0; at < LOCALS.length; at++)
            {
                for (int group = 1; group <= GROUPS; group++)
                {
                    if (AnaState.CHANGE == states[at][group] && versions[at][group] <= former)
                    {
                        become(at, group, AnaState.INACCESSIBLE, version);
                    }
                }
            }
        }

        private void become(final int at, final int group, final AnaState state, final long version)
        {
            if (state != states[at][group])
            {
                states[at][group] = state;
                changes[at][group]++;
                versions[at][group] = version;
            }
        }

        private static boolean covers(final TransportAddress listener, final TransportAddress local)
        {
            return null == listener || listener.serviceId().equals(local.serviceId()) && switch (listener.address())
            {
                case "0.0.0.0" -> local.address().indexOf(':') < 0;
                case "::" -> true;
                default -> listener.address().equals(local.address());
            };
        }
    }

    private static TransportAddress tcp(final String address, final int port)
    {
        return TransportAddress.tcp(address, port);
    }

    @Property(tries = 1000)
    void shouldHoldForWhatItCoversUntilAnotherIsSet(
        @ForAll @Size(max = 40) final List<@IntRange(min = 0, max = 1 << 20) Integer> history)
    {
        final Model model = new Model();
        AnaTable table = AnaTable.OPTIMIZED;
        for (final int step : history)
        {
            final AnaTable before = table;
            if (0 == step % 7)
            {
                final long former = (step >>> 3) % (table.version() + 1);
                table = table.withoutTransitions(former);
                model.endTransitions(former, table.version());
            }
            else
            {
                final TransportAddress listener = LISTENERS[(step >>> 3) % LISTENERS.length];
                final int group = (step >>> 7) % (GROUPS + 1);
                final AnaState state = STATES[(step >>> 11) % STATES.length];
                table = table.with(listener, group, state);
                model.set(listener, group, state, table.version());
                assertSame(table, table.with(listener, group, state), "set again");
            }
            assertEquals(before == table ? before.version() : before.version() + 1, table.version());
            compare(model, table);
        }
    }

    private static void compare(final Model model, final AnaTable table)
    {
        for (int at = 0; at < LOCALS.length; at++)
        {
            final AnaPath path = table.path(LOCALS[at]);
            for (int group = 1; group <= GROUPS; group++)
            {
                final String where = LOCALS[at] + " group " + group;
                assertEquals(model.states[at][group], path.state(group), where);
                assertEquals(model.states[at][group].status(), path.refusal(group), where);
                assertEquals(model.changes[at][group], path.changes(group), where);
            }
        }
    }

    @Test
    void shouldSetEveryGroupWhenAllAreMeant()
    {
        final AnaTable table = AnaTable.OPTIMIZED.with(null, AnaTable.GROUPS_ALL, AnaState.NON_OPTIMIZED)
            .with(LISTENERS[1], AnaTable.GROUPS_MAX, AnaState.INACCESSIBLE);
        for (int group = 1; group <= AnaTable.GROUPS_MAX; group++)
        {
            assertEquals(AnaState.NON_OPTIMIZED, table.path(LOCALS[1]).state(group));
            assertEquals(AnaTable.GROUPS_MAX == group ? AnaState.INACCESSIBLE : AnaState.NON_OPTIMIZED,
                table.path(LOCALS[0]).state(group));
        }
    }

    @Test
    void shouldBoundListenersWithStatesOfTheirOwn()
    {
        AnaTable table = AnaTable.OPTIMIZED;
        for (int i = 0; i < AnaTable.LISTENERS_MAX; i++)
        {
            table = table.with(tcp("10.1.0." + i, 4420), 1, AnaState.INACCESSIBLE);
        }
        final AnaTable full = table;
        final TransportAddress next = tcp("10.2.0.1", 4420);
        assertTrue(assertThrows(IllegalArgumentException.class, () -> full.with(next, 1, AnaState.INACCESSIBLE))
            .getMessage().startsWith("more than 256 listeners"));
        assertSame(full, full.with(next, 1, AnaState.OPTIMIZED));
        assertEquals(AnaState.NON_OPTIMIZED, full.with(tcp("10.1.0.7", 4420), 2, AnaState.NON_OPTIMIZED)
            .path(tcp("10.1.0.7", 4420)).state(2));
        // One that is normally be without states of its own makes room.
        final AnaTable roomy = full.with(tcp("10.1.0.7", 4420), 1, AnaState.OPTIMIZED)
            .with(next, 1, AnaState.INACCESSIBLE);
        assertEquals(AnaTable.LISTENERS_MAX, roomy.paths().size());
        assertEquals(AnaState.OPTIMIZED, roomy.path(tcp("10.1.0.7", 4420)).state(1));
        assertEquals(AnaState.INACCESSIBLE, roomy.path(next).state(1));
        assertEquals(AnaState.INACCESSIBLE, roomy.path(tcp("10.1.0.8", 4420)).state(1));
    }

    @Test
    void shouldKnowStatesByTheirCodes()
    {
        assertEquals(AnaState.OPTIMIZED, AnaState.of(1));
        assertEquals(AnaState.NON_OPTIMIZED, AnaState.of(2));
        assertEquals(AnaState.INACCESSIBLE, AnaState.of(3));
        assertEquals(AnaState.PERSISTENT_LOSS, AnaState.of(4));
        assertEquals(AnaState.CHANGE, AnaState.of(15));
        for (final int none : new int[]{-1, 0, 5, 14, 16, 255})
        {
            assertEquals(null, AnaState.of(none));
        }
    }
}
