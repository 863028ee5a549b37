package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CommandTableTest
{
    private final CommandTable table = new CommandTable(4);

    private static HostRequest request()
    {
        return new HostRequest(null, (done) ->
        {
        });
    }

    @Test
    void shouldHoldAsManyCommandsAsTheControllerAllows()
    {
        table.reset(3);
        for (int i = 0; i < 3; i++)
        {
            assertFalse(table.isFull());
            table.add(request().flush(1), 0);
        }
        assertTrue(table.isFull());
        assertEquals(3, table.inFlight());
        table.reset(100);
        assertEquals(4, table.limit());
    }

    @Test
    void shouldNotFindACommandByTheIdentifierOfAnEarlierOne()
    {
        table.reset(1);
        final HostRequest first = request().flush(1);
        table.add(first, 0);
        final int firstId = first.commandId;
        assertSame(first, table.find(firstId));
        table.remove(first);
        first.complete(0, 0);
        final HostRequest second = request().flush(1);
        table.add(second, 0);
        assertNotEquals(firstId, second.commandId);
        assertNull(table.find(firstId));
        assertNull(table.find(second.commandId ^ 0xF000));
        assertNull(table.find(0xFFF));
        assertSame(second, table.find(second.commandId));
    }

    @Test
    void shouldKeepIdentifiersWithinSixteenBitsWhenSlotsAreUsedAgainAndAgain()
    {
        table.reset(2);
        final HostRequest request = request().flush(1);
        for (int i = 0; i < 1000; i++)
        {
            table.add(request, 0);
            assertEquals(request.commandId, request.commandId & 0xFFFF);
            assertSame(request, table.find(request.commandId));
            table.remove(request);
            request.complete(0, 0);
        }
    }

    @Test
    void shouldKeepTheSlotOfAnAnsweredCommandButFindItNoMore()
    {
        table.reset(2);
        final HostRequest first = request().flush(1);
        final HostRequest second = request().flush(1);
        table.add(first, 0);
        table.add(second, 0);
        table.answered(first);
        assertNull(table.find(first.commandId));
        assertTrue(table.isAnswered(first.commandId));
        assertFalse(table.isAnswered(second.commandId));
        assertTrue(table.isFull());
        assertThrows(IllegalStateException.class, () -> table.answered(first));
        assertSame(first, table.takeAnswered());
        assertFalse(table.hasAnswered());
        table.remove(first);
        assertFalse(table.isFull());
        assertSame(second, table.find(second.commandId));
    }

    @Test
    void shouldExpectNoAnswerOfParkedCommandsAndNeverFindThemOverdue()
    {
        table.reset(4);
        final HostRequest parked = request().flush(1);
        parked.parked = true;
        table.add(parked, 0);
        assertEquals(0, table.expected());
        assertNull(table.findOverdue(Long.MAX_VALUE / 2, 1));
        final HostRequest other = request().flush(1);
        table.add(other, 100);
        assertEquals(1, table.expected());
        assertNull(table.findOverdue(150, 50));
        assertSame(other, table.findOverdue(151, 50));
    }

    @Test
    void shouldHandBackEveryCommandWhenEmptied()
    {
        table.reset(4);
        for (int i = 0; i < 3; i++)
        {
            table.add(request().read(1, 0, 8, 1, CommandTable.LARGE_BYTES), 0);
        }
        assertTrue(table.hasLargeReads());
        int count = 0;
        for (HostRequest lost = table.removeAll(); null != lost; lost = lost.next)
        {
            count++;
        }
        assertEquals(3, count);
        assertEquals(0, table.inFlight());
        assertFalse(table.hasLargeReads());
        assertNull(table.removeAll());
    }
}
