package io.millrace.block.raid.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** Layouts of all levels and sizes: as md has them, and reversible. */
class ArrayLayoutPropertyTest
{
    private static final int SMALL_STRIPS_MAX = 40;
    /** 64 members with strips of 1 MiB have not yet {@link Long#MAX_VALUE} bytes. */
    private static final long STRIPS_MAX = 1L << 36;
    private static final int SECTOR = 512;

    @Provide
    Arbitrary<ArrayLayout> mirrors()
    {
        return layouts(false, Arbitraries.longs().between(1, STRIPS_MAX), RaidLevel.MEMBERS_MAX);
    }

    @Provide
    Arbitrary<ArrayLayout> smallMirrors()
    {
        return layouts(false, Arbitraries.longs().between(1, SMALL_STRIPS_MAX), 9);
    }

    @Provide
    Arbitrary<ArrayLayout> parities()
    {
        return layouts(true, Arbitraries.longs().between(1, STRIPS_MAX), RaidLevel.MEMBERS_MAX)
            .filter((layout) -> !layout.level().isErasureCode());
    }

    @Provide
    Arbitrary<ArrayLayout> erasureCodes()
    {
        return layouts(true, Arbitraries.longs().between(1, STRIPS_MAX), RaidLevel.MEMBERS_MAX)
            .filter((layout) -> layout.level().isErasureCode());
    }

    private static Arbitrary<ArrayLayout> layouts(
        final boolean hasParity, final Arbitrary<Long> strips, final int membersMax)
    {
        return Arbitraries.of(RaidLevel.values()).filter((level) -> level.parityCount() > 0 == hasParity)
            .flatMap((level) -> Combinators.combine(
                Arbitraries.integers().between(level.membersMin(), Math.min(level.membersMax(), membersMax)),
                Arbitraries.integers().between(12, 20), strips)
                .as((members, shift, count) -> ArrayLayout.of(level, members, 1 << shift, count << shift)));
    }

    private static MdLayout md(final ArrayLayout layout)
    {
        return new MdLayout(layout.level(), layout.memberCount(), layout.stripBytes());
    }

    @Property(tries = 300)
    void shouldPutEachCopyOfEachStripSomewhereElse(@ForAll("smallMirrors") final ArrayLayout layout)
    {
        final Map<List<Long>, Long> held = new HashMap<>();
        final long strips = layout.dataBytes() >>> layout.stripShift();
        for (long strip = 0; strip < strips; strip++)
        {
            final BitSet slots = new BitSet();
            for (int copy = 0; copy < layout.copyCount(); copy++)
            {
                final int slot = layout.slot(strip, copy);
                final long row = layout.memberStrip(strip, copy);
                assertTrue(slot >= 0 && slot < layout.memberCount() && row >= 0 && row < layout.stripes());
                slots.set(slot);
                held.put(List.of((long)slot, row), strip);
            }
            assertEquals(layout.copyCount(), slots.cardinality(), "slots of a strip");
        }
        assertEquals(strips * layout.copyCount(), held.size(), "strips of members that are in use");
        for (int slot = 0; slot < layout.memberCount(); slot++)
        {
            for (long row = 0; row < layout.stripes(); row++)
            {
                assertEquals(held.getOrDefault(List.of((long)slot, row), -1L), layout.strip(slot, row));
            }
            assertEquals(-1, layout.strip(slot, layout.stripes()));
        }
    }

    @Property(tries = 2000)
    void shouldPutCopiesWhereMdDoes(
        @ForAll("mirrors") final ArrayLayout layout, @ForAll @LongRange(min = 0) final long choice)
    {
        final long strips = layout.dataBytes() >>> layout.stripShift();
        compareCopies(layout, choice % strips);
        compareCopies(layout, strips - 1);
        compareCopies(layout, 0);
        // Where positions need a 32nd bit.
        final long border = (1L << 31) / layout.copyCount();
        for (long strip = border - 2; strip <= border + 2; strip++)
        {
            compareCopies(layout, Math.min(strip, strips - 1));
        }
    }

    private static void compareCopies(final ArrayLayout layout, final long strip)
    {
        final List<MdLayout.Place> places = md(layout).places((strip << layout.stripShift()) / SECTOR);
        assertEquals(layout.copyCount(), places.size());
        for (int copy = 0; copy < places.size(); copy++)
        {
            final MdLayout.Place place = places.get(copy);
            assertEquals(place.disk(), layout.slot(strip, copy));
            assertEquals(place.sector(), (layout.memberStrip(strip, copy) << layout.stripShift()) / SECTOR);
            assertEquals(strip, layout.strip(place.disk(), layout.memberStrip(strip, copy)));
            final long firstStrip = layout.memberStrip(strip, 0);
            final int firstSlot = layout.firstSlot(strip, firstStrip);
            assertEquals(place.disk(), layout.slotBehind(firstSlot, copy));
            assertEquals(layout.memberStrip(strip, copy), layout.memberStripBehind(firstSlot, firstStrip, copy));
        }
    }

    @Property(tries = 2000)
    void shouldPutDataAndParityWhereMdDoes(
        @ForAll("parities") final ArrayLayout layout, @ForAll @LongRange(min = 0) final long choice)
    {
        compareStripe(layout, choice % layout.stripes());
        compareStripe(layout, layout.stripes() - 1);
        final long border = Math.min(layout.stripes(), 1L << 31);
        compareStripe(layout, border - 1);
        compareStripe(layout, Math.min(border, layout.stripes() - 1));
        for (long stripe = 0; stripe < Math.min(layout.memberCount(), layout.stripes()); stripe++)
        {
            compareStripe(layout, stripe);
        }
    }

    @Property(tries = 2000)
    void shouldPutStripsOfAnErasureCodeWhereTheFormatSays(
        @ForAll("erasureCodes") final ArrayLayout layout, @ForAll @LongRange(min = 0) final long choice)
    {
        final int n = layout.memberCount();
        final int m = layout.parityCount();
        assertEquals(n - m, layout.dataCount());
        assertEquals(layout.dataCount() * layout.memberBytes(), layout.dataBytes());
        for (final long stripe : new long[]{choice % layout.stripes(), layout.stripes() - 1, 0})
        {
            final int p = n - 1 - (int)(stripe % n);
            for (int parity = 0; parity < m; parity++)
            {
                assertEquals((p + parity) % n, layout.paritySlot(stripe, parity));
                assertEquals(-1, layout.dataIndex(stripe, (p + parity) % n));
            }
            for (int index = 0; index < n - m; index++)
            {
                assertEquals((p + m + index) % n, layout.dataSlot(stripe, index));
                assertEquals(index, layout.dataIndex(stripe, (p + m + index) % n));
            }
            final long strip = stripe * layout.dataCount() + layout.dataCount() - 1;
            assertEquals(stripe, layout.stripeOf(strip << layout.stripShift()));
        }
    }

    private static void compareStripe(final ArrayLayout layout, final long stripe)
    {
        final MdLayout md = md(layout);
        assertEquals(md.dataDisks(), layout.dataCount());
        final boolean hasQ = 2 == layout.parityCount();
        assertEquals(layout.parityP(stripe), layout.paritySlot(stripe, 0));
        assertEquals(md.stripe(stripe),
            new MdLayout.Stripe(layout.parityP(stripe), hasQ ? layout.paritySlot(stripe, 1) : -1));
        final BitSet slots = new BitSet();
        slots.set(layout.parityP(stripe));
        if (hasQ)
        {
            slots.set(layout.paritySlot(stripe, 1));
            final int first = layout.firstOfQ(layout.parityP(stripe));
            assertEquals(md.syndromeDisks(stripe), IntStream.range(0, layout.dataCount())
                .map((place) -> layout.dataSlot(stripe, (first + place) % layout.dataCount())).boxed().toList());
        }
        for (int index = 0; index < layout.dataCount(); index++)
        {
            final long strip = stripe * layout.dataCount() + index;
            final int slot = layout.dataSlot(stripe, index);
            assertEquals(new MdLayout.Place(slot, (stripe << layout.stripShift()) / SECTOR),
                md.places((strip << layout.stripShift()) / SECTOR).getFirst());
            slots.set(slot);
        }
        for (int slot = 0; slot < layout.memberCount(); slot++)
        {
            assertTrue(slots.get(slot), "a slot of the stripe holds nothing");
            final int index = layout.dataIndex(stripe, slot);
            assertEquals(md.dataIndex(stripe, slot), index);
            assertTrue(index < 0 || layout.dataSlot(stripe, index) == slot);
        }
        assertEquals(layout.memberCount(), slots.cardinality());
    }
}
