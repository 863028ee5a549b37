package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.format.BitmapPage;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The bitmap in memory while members become larger, and regions of the page with them. */
class WriteIntentTest
{
    private static final UUID ARRAY = new UUID(1, 2);
    private static final long REGION = BitmapPage.REGION_BYTES_MIN;
    /** As many regions as a page has. */
    private static final long FULL = BitmapPage.BITS_MAX * REGION;

    private final BitmapPage page = new BitmapPage().wrap(new UnsafeBuffer(new byte[BitmapPage.BYTES]), 0);
    private final WriteIntent intent = new WriteIntent(FULL, () ->
    {
    });

    private void fill(final long memberBytes)
    {
        intent.fill(page, ARRAY, memberBytes);
    }

    private void enter(final int region)
    {
        if (!intent.enter(region))
        {
            intent.collectWanted(page);
            intent.onStable(page);
            assertTrue(intent.enter(region));
        }
    }

    private void clear()
    {
        intent.clearUnused(page);
        intent.clearUnused(page);
        intent.onCleared();
    }

    @Test
    void shouldHaveEachRegionInThePageOfLargerRegions()
    {
        fill(FULL);
        enter(5);
        assertTrue(page.isSet(5));
        assertFalse(intent.enter(30_001), "it waits for a page");
        fill(2 * FULL);
        assertTrue(page.isSet(2));
        assertTrue(page.isSet(15_000), "what waits is in the page, too");
        assertFalse(page.isSet(5));
        intent.grow(2 * FULL);
        assertFalse(intent.enter(30_001), "the page is not known to be stable");
        assertEquals(2 * BitmapPage.BITS_MAX, intent.regionCount());
        intent.leave(5);
        enter(2 * BitmapPage.BITS_MAX - 1);
        assertTrue(page.isSet(BitmapPage.BITS_MAX - 1));
        assertEquals(3, intent.dirtyCount());
    }

    @Test
    void shouldClearARegionOfThePageWhenAllOfItsRegionsAreClean()
    {
        fill(FULL);
        fill(4 * FULL);
        intent.grow(4 * FULL);
        enter(8);
        enter(11);
        intent.leave(8);
        clear();
        assertFalse(intent.isMarked(8));
        assertTrue(intent.isMarked(11));
        assertTrue(page.isSet(2));
        assertFalse(intent.enter(9));
        intent.leave(11);
        clear();
        assertTrue(page.isSet(2), "a write waits for it");
        intent.onStable(page);
        assertTrue(intent.enter(9));
        intent.leave(9);
        clear();
        assertFalse(page.isSet(2));
        assertTrue(intent.isClosed());
    }

    @Test
    void shouldSetAgainWhatWasNotCleared()
    {
        fill(2 * FULL);
        intent.grow(2 * FULL);
        enter(40_001);
        intent.leave(40_001);
        intent.clearUnused(page);
        assertEquals(1, intent.clearUnused(page));
        assertFalse(page.isSet(20_000));
        intent.restoreCleared(page);
        assertTrue(page.isSet(20_000));
        assertTrue(intent.isMarked(40_001));
    }

    @Test
    void shouldKeepItsWordsWhenMembersBecomeLargerAndDoNot()
    {
        fill(FULL);
        enter(1025);
        fill(2 * FULL);
        fill(FULL);
        assertTrue(page.isSet(1025));
        assertFalse(page.isSet(512));
        intent.leave(1025);
        clear();
        assertTrue(intent.isClosed());
        assertEquals(BitmapPage.BITS_MAX, intent.regionCount());
    }
}
