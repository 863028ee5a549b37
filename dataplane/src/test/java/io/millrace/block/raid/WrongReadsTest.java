package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WrongReadsTest
{
    private static final int ANNOUNCED = 16;

    private final AtomicInteger wakes = new AtomicInteger();
    private final WrongReads reads = new WrongReads(wakes::incrementAndGet);

    /** Whoever announces them sleeps. */
    @Test
    void shouldWakeForTheFirstOfAMemberAndCountAll()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final BlockDevice device = fixture.memoryMembers(1, 1 << 20, 4096).getFirst();
            final RaidMember member = new RaidMember(0, device, UUID.randomUUID(), 0);
            for (int i = 0; i < 2 * ANNOUNCED; i++)
            {
                reads.add(member, 3, 4096L * i, 1);
            }
            assertEquals(ANNOUNCED, wakes.get());
            assertEquals(2 * ANNOUNCED, member.wrongBlocks());
            for (int i = 0; i < ANNOUNCED; i++)
            {
                final String each = reads.next();
                assertTrue(each.startsWith("blocks at byte " + 4096 * i + " of the data of m0 (slot 3)"), each);
            }
            assertNull(reads.next());
            assertTrue(reads.isEmpty());
        }
    }
}
