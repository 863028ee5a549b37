package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies that end in any order. */
class CopyWindowTest
{
    private int ended;
    private final CopyWindow window = new CopyWindow(() -> ended++);

    private List<WorkListener> add(final int count)
    {
        final List<WorkListener> copies = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            copies.add(window.add(100L * i, i));
        }
        return copies;
    }

    @Test
    void shouldEndAtTheFirstThatHasNotEnded()
    {
        final List<WorkListener> copies = add(4);
        copies.get(1).onDone(BlockStatus.SUCCESS);
        copies.get(3).onDone(BlockStatus.SUCCESS);
        window.removeCopied();
        assertEquals(0, window.firstOffset());
        copies.get(0).onDone(BlockStatus.SUCCESS);
        window.removeCopied();
        assertEquals(200, window.firstOffset());
        assertEquals(2, window.firstSlot());
        assertTrue(window.isBusy());
        copies.get(2).onDone(BlockStatus.SUCCESS);
        window.removeCopied();
        assertTrue(window.isEmpty());
        assertFalse(window.isBusy());
        assertEquals(4, ended);
    }

    @Test
    void shouldHaveRoomForWhatIsUnderWayAndALittleBehind()
    {
        final List<WorkListener> copies = add(CopyWindow.COPIES_MAX);
        assertFalse(window.hasRoom(CopyWindow.COPIES_MAX));
        int count = CopyWindow.COPIES_MAX;
        for (int i = 1; i < copies.size(); i++)
        {
            copies.get(i).onDone(BlockStatus.SUCCESS);
            assertTrue(window.hasRoom(CopyWindow.COPIES_MAX));
            assertFalse(window.hasRoom(1));
            window.add(count, 0).onDone(BlockStatus.SUCCESS);
            count++;
        }
        while (window.hasRoom(CopyWindow.COPIES_MAX))
        {
            window.add(count, 0).onDone(BlockStatus.SUCCESS);
            count++;
        }
        // Ended, but for the first.
        assertEquals(2 * CopyWindow.COPIES_MAX, count);
        window.removeCopied();
        assertEquals(0, window.firstOffset());
        copies.getFirst().onDone(BlockStatus.SUCCESS);
        window.removeCopied();
        assertTrue(window.isEmpty());
        assertTrue(window.hasRoom(1));
    }

    @Test
    void shouldStopAtWhatHasFailed()
    {
        final List<WorkListener> copies = add(5);
        copies.get(3).onDone(BlockStatus.MEDIA_ERROR);
        copies.get(2).onDone(BlockStatus.DEVICE_ERROR);
        assertTrue(window.hasFailed());
        assertThrows(IllegalStateException.class, window::clear);
        copies.get(0).onDone(BlockStatus.SUCCESS);
        copies.get(1).onDone(BlockStatus.SUCCESS);
        copies.get(4).onDone(BlockStatus.SUCCESS);
        window.removeCopied();
        assertEquals(200, window.firstOffset());
        // A resync goes on block by block then, whatever else has happened.
        assertEquals(BlockStatus.MEDIA_ERROR, window.worst());
        window.clear();
        assertTrue(window.isEmpty());
        assertFalse(window.hasFailed());
        window.add(7, 1);
        assertEquals(7, window.firstOffset());
        assertEquals(1, window.firstSlot());
    }
}
