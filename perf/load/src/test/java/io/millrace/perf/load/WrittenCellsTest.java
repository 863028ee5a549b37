package io.millrace.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WrittenCellsTest
{
    private final WrittenCells cells = new WrittenCells(3);

    @Test
    void shouldLeaveBusyCellsAlone()
    {
        cells.begin(1);
        assertTrue(cells.isBusy(1));
        assertEquals(2, cells.findIdle(1));
        cells.begin(2);
        assertEquals(0, cells.findIdle(1));
        cells.begin(0);
        assertEquals(-1, cells.findIdle(0));
        cells.endRead(1);
        assertEquals(1, cells.findIdle(0));
    }

    @Test
    void shouldCountGenerationsRoundAndRoundWithoutComingToNone()
    {
        for (int i = 0; i < 1000; i++)
        {
            final int next = cells.nextGeneration(0);
            assertTrue(next >= 1 && next <= 127);
            assertTrue(next != cells.generation(0));
            cells.begin(0);
            assertTrue(cells.isBusy(0));
            cells.endWrite(0, next);
            assertFalse(cells.isBusy(0));
            assertEquals(next, cells.generation(0));
        }
    }

    @Test
    void shouldNotKnowWhatACellHoldsWhenAWriteFailed()
    {
        cells.begin(0);
        cells.endWrite(0, 5);
        cells.begin(0);
        cells.endWrite(0, 0);
        assertEquals(0, cells.generation(0));
    }
}
