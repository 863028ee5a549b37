package io.millrace.manager.change;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.control.codec.Code;
import io.millrace.control.message.CommandId;
import io.millrace.control.service.Reply;
import io.millrace.manager.store.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusalsTest
{
    private final Refusals refusals = new Refusals();

    private void add(final int from, final int to)
    {
        for (int i = from; i < to; i++)
        {
            refusals.add(new CommandId(1, i), Reply.refused(Code.INVALID, "no " + i));
        }
    }

    @Test
    void shouldKeepTheLastOfThoseThatCanBeRepeated()
    {
        refusals.add(CommandId.NONE, Reply.refused(Code.INVALID, "no"));
        assertEquals(List.of(), refusals.take());
        add(0, 3);
        assertEquals(List.of(
            new Refusal(new CommandId(1, 0), Code.INVALID, "no 0"),
            new Refusal(new CommandId(1, 1), Code.INVALID, "no 1"),
            new Refusal(new CommandId(1, 2), Code.INVALID, "no 2")), refusals.take());
        assertEquals(List.of(), refusals.take());
    }

    @Test
    void shouldKeepNoMoreWhenTheyCannotBeWritten()
    {
        for (int round = 0; round < 3; round++)
        {
            // As when the disk is full: what was taken goes back in front of what came meanwhile.
            final List<Refusal> taken = refusals.take();
            add(round * Refusals.MAX, (round + 1) * Refusals.MAX);
            final List<Refusal> later = refusals.take();
            taken.forEach(refusals::add);
            later.forEach(refusals::add);
        }
        final List<Refusal> last = refusals.take();
        assertEquals(Refusals.MAX, last.size());
        assertEquals(new CommandId(1, 2 * Refusals.MAX), last.getFirst().id());
        assertEquals(new CommandId(1, 3 * Refusals.MAX - 1), last.getLast().id());
    }
}
