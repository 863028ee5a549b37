package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class LostBlockChangesTest
{
    private static final int SHIFT = 12;
    private static final int BLOCK = 1 << SHIFT;

    private final LostBlockChanges changes = new LostBlockChanges(SHIFT, () ->
    {
    });
    private final RaidMember member = RaidMember.missing(new UUID(0, 1));
    private final RaidMember other = RaidMember.missing(new UUID(0, 2));

    /** A copy that is tried again meets the same ones. */
    @Test
    void shouldCountABlockOnce()
    {
        assertEquals(0, changes.newCount());
        assertTrue(changes.lose(member, 5L * BLOCK, BLOCK));
        assertTrue(changes.lose(member, 3L * BLOCK, BLOCK));
        assertTrue(changes.lose(other, 9L * BLOCK, BLOCK));
        assertTrue(changes.lose(member, 5L * BLOCK, BLOCK));
        assertEquals(3, changes.newCount());
        assertEquals(3L * BLOCK, changes.newOffset());
        changes.announced();
        assertEquals(0, changes.newCount());
        assertTrue(changes.lose(member, 3L * BLOCK, BLOCK));
        assertEquals(0, changes.newCount());
        assertTrue(changes.lose(member, 8L * BLOCK, BLOCK));
        assertEquals(1, changes.newCount());
        assertEquals(8L * BLOCK, changes.newOffset());
    }

    @Test
    void shouldLoseOneBlockAtATime()
    {
        assertFalse(changes.lose(member, 0, 2 * BLOCK));
        assertEquals(0, changes.newCount());
        assertTrue(member.lostBlocks().isEmpty());
        assertTrue(changes.isEmpty());
    }
}
