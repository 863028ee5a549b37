package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.raid.layout.ArrayLayout;
import org.junit.jupiter.api.Test;

class CopyLengthTest
{
    private static final long NS = 1_000_000;

    private final CopyLength length = new CopyLength();

    @Test
    void shouldBeShortWhileMembersReachTheLeastRate()
    {
        assertEquals(32 << 10, length.bytes());
        length.onEnded(1, NS);
        assertEquals(32 << 10, length.bytes());
    }

    @Test
    void shouldDoubleUntilMembersReachTheLeastRate()
    {
        length.onEnded(NS + 1, NS);
        length.onEnded(NS + 1, NS);
        assertEquals(128 << 10, length.bytes());
        length.onEnded(NS, NS);
        length.onEnded(NS / 2, NS);
        assertEquals(128 << 10, length.bytes());
        for (int i = 0; i < 10; i++)
        {
            length.onEnded(NS + 1, NS);
        }
        assertEquals(ArrayLayout.STRIP_BYTES_MAX, length.bytes());
    }

    @Test
    void shouldHalveWhereMoreThanHalfOfTheTimeIsLeft()
    {
        length.onEnded(NS + 1, NS);
        length.onEnded(NS + 1, NS);
        length.onEnded(NS / 2 - 1, NS);
        assertEquals(64 << 10, length.bytes());
        length.onEnded(1, NS);
        length.onEnded(1, NS);
        assertEquals(32 << 10, length.bytes());
    }
}
