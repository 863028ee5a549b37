package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.state.AnaStates.Entry;
import io.millrace.control.state.AnaStates.Place;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnaStatesTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final Place ONE = new Place(Transport.TCP, "192.0.2.7", 4420);
    private static final Place ALL_4 = new Place(Transport.TCP, "0.0.0.0", 4420);
    private static final Place ALL_6 = new Place(Transport.TCP, "::", 4420);

    private static AnaStates of(final Entry... entries)
    {
        AnaStates states = AnaStates.OPTIMIZED;
        for (final Entry each : entries)
        {
            states = states.with(each.place(), each.group(), each.state());
        }
        return states;
    }

    @Test
    void shouldBeEqualWhateverLedThere()
    {
        final AnaStates direct = of(new Entry(ONE, 1, AnaState.INACCESSIBLE));
        assertEquals(direct, of(new Entry(ONE, 1, AnaState.NON_OPTIMIZED), new Entry(ONE, 2, AnaState.INACCESSIBLE),
            new Entry(ONE, 1, AnaState.INACCESSIBLE), new Entry(ONE, 2, AnaState.OPTIMIZED)));
        assertEquals(AnaStates.OPTIMIZED, direct.with(Place.ALL, 0, AnaState.OPTIMIZED));
        // What is the same as around it needs none of its own.
        assertEquals(of(new Entry(ALL_4, 1, AnaState.INACCESSIBLE)),
            of(new Entry(ALL_4, 1, AnaState.INACCESSIBLE), new Entry(ONE, 1, AnaState.INACCESSIBLE)));
    }

    @Test
    void shouldCoverWhatIsNarrower()
    {
        final AnaStates states = of(
            new Entry(ONE, 3, AnaState.INACCESSIBLE), new Entry(ALL_6, 3, AnaState.NON_OPTIMIZED));
        assertEquals(AnaState.NON_OPTIMIZED, states.state(ONE, 3));
        assertEquals(AnaState.NON_OPTIMIZED, states.state(new Place(Transport.TCP, "2001:db8::7", 4420), 3));
        assertEquals(AnaState.OPTIMIZED, states.state(new Place(Transport.TCP, "192.0.2.7", 4421), 3));
        assertEquals(AnaState.OPTIMIZED, states.state(ONE, 4));
        assertEquals(AnaState.OPTIMIZED, of(new Entry(ALL_4, 3, AnaState.INACCESSIBLE)).state(ALL_6, 3));
    }

    @Test
    void shouldCoverListenersOfItsTransportAlone()
    {
        final Place rdma = new Place(Transport.RDMA, "192.0.2.7", 4420);
        final AnaStates states = of(new Entry(ALL_6, 3, AnaState.INACCESSIBLE));
        assertEquals(AnaState.OPTIMIZED, states.state(rdma, 3));
        assertEquals(AnaState.NON_OPTIMIZED, of(
            new Entry(new Place(Transport.RDMA, "::", 4420), 3, AnaState.NON_OPTIMIZED)).state(rdma, 3));
        assertEquals(AnaState.INACCESSIBLE, of(new Entry(Place.ALL, 3, AnaState.INACCESSIBLE)).state(rdma, 3));
        assertEquals(states, states.with(rdma, 3, AnaState.INACCESSIBLE).without(Transport.RDMA::equals));
    }

    @Test
    void shouldBeWrittenInFewWords()
    {
        final Entry[] entries = {
            new Entry(Place.ALL, 0, AnaState.INACCESSIBLE), new Entry(Place.ALL, 7, AnaState.OPTIMIZED),
            new Entry(ONE, 1, AnaState.NON_OPTIMIZED)};
        assertEquals(List.of(entries), of(entries).entries());
        assertEquals(List.of(), AnaStates.OPTIMIZED.entries());
    }

    @Test
    void shouldPassThroughNoOtherStateWhereHostsAre()
    {
        final AnaStates before = of(new Entry(ONE, 0, AnaState.INACCESSIBLE), new Entry(ONE, 1, AnaState.OPTIMIZED));
        final AnaStates after = of(new Entry(ONE, 0, AnaState.NON_OPTIMIZED), new Entry(ONE, 1, AnaState.OPTIMIZED));
        final BitSet seen = new BitSet();
        seen.set(1);
        final List<Entry> steps = after.entriesFrom(before, seen);
        assertEquals(127, steps.size());
        assertTrue(steps.stream().noneMatch((each) -> 1 == each.group()));
        seen.clear();
        assertEquals(2, after.entriesFrom(before, seen).size());
        // All the same is one word, and nothing else on the way.
        assertEquals(List.of(new Entry(ONE, 0, AnaState.INACCESSIBLE)),
            of(new Entry(ONE, 0, AnaState.INACCESSIBLE)).entriesFrom(before.with(ONE, 3, AnaState.OPTIMIZED), seen));
    }

    @Test
    void shouldGiveAWayBeforeItTakesOne()
    {
        final AnaStates before = of(new Entry(ONE, 2, AnaState.INACCESSIBLE));
        assertEquals(List.of(new Entry(ONE, 2, AnaState.OPTIMIZED), new Entry(ONE, 1, AnaState.INACCESSIBLE)),
            of(new Entry(ONE, 1, AnaState.INACCESSIBLE)).entriesFrom(before, new BitSet()));
    }

    @Test
    void shouldBeReadFromWhatADataPlaneTells()
    {
        final SubsystemInfo subsystem = new SubsystemInfo(NQN, true, 0, 0, "S", "M");
        final DesiredState state = DesiredState.of(List.of(
            new AnaInfo(NQN, Transport.TCP, "2001:db8:0:0:0:0:0:7", 4420, 1, AnaState.CHANGE, 1, 0),
            new AnaInfo(NQN, Transport.TCP, "192.0.2.7", 4420, 1, AnaState.INACCESSIBLE, 1, 0),
            new AnaInfo(NQN, Transport.TCP, "0.0.0.0", 4420, 1, AnaState.INACCESSIBLE, 1, 0),
            new AnaInfo(NQN, Transport.TCP, "", 0, 2, AnaState.NON_OPTIMIZED, 1, 0),
            new AnaInfo("nqn.2026-11.io.millrace:gone", Transport.TCP, "", 0, 2, AnaState.NON_OPTIMIZED, 1, 0),
            subsystem));
        // Each listener is told with its states of all groups that are told at all.
        assertEquals(List.of(new Entry(Place.ALL, 2, AnaState.NON_OPTIMIZED),
            new Entry(ALL_4, 1, AnaState.INACCESSIBLE), new Entry(new Place(Transport.TCP, "2001:db8::7", 4420), 1,
            AnaState.INACCESSIBLE)), state.subsystems().get(NQN).ana().entries());
    }

    @Test
    void shouldRefuseMoreListenersThanADataPlaneTakes()
    {
        final StateEditor editor = DesiredState.EMPTY.edit();
        editor.apply(new Command.CreateSubsystem(new SubsystemSpec(NQN, true)));
        for (int i = 0; i < AnaStates.PLACES_MAX; i++)
        {
            editor.apply(new Command.SetAnaState(NQN, Transport.TCP, "10.0.0." + i, 4420, 1, AnaState.INACCESSIBLE));
        }
        final Command one = new Command.SetAnaState(NQN, Transport.TCP, "10.0.1.1", 4420, 1, AnaState.INACCESSIBLE);
        assertEquals(Code.INVALID, assertThrows(ControlException.class, () -> editor.apply(one)).code());
        editor.apply(new Command.SetAnaState(NQN, Transport.TCP, "", 0, 1, AnaState.OPTIMIZED));
        editor.apply(one);
    }
}
