package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MemoryDomainTest
{
    @Test
    void shouldHaveOneObjectForEachDeviceAndABitOfItsOwn()
    {
        final MemoryDomain first = MemoryDomain.ofDevice("test 0");
        final MemoryDomain second = MemoryDomain.ofDevice("test 1");
        assertSame(first, MemoryDomain.ofDevice("test 0"));
        assertNotSame(first, second);
        assertEquals(MemoryKind.DEVICE, first.kind());
        assertEquals(MemoryKind.HOST, MemoryDomain.HOST.kind());
        assertEquals(1, MemoryDomain.HOST.bit());
        final int both = MemoryDomain.HOST.bit() | second.bit();
        assertTrue(second.isIn(both));
        assertTrue(MemoryDomain.HOST.isIn(both));
        assertFalse(first.isIn(both));
    }

    @Test
    void shouldRefuseMoreDomainsThanASetHasBits()
    {
        final MemoryDomain[] table = new MemoryDomain[MemoryDomain.COUNT_MAX];
        int set = MemoryDomain.HOST.bit();
        for (int id = 1; id < MemoryDomain.COUNT_MAX; id++)
        {
            final MemoryDomain domain = MemoryDomain.ofDevice("gpu " + id, table);
            assertEquals(id, domain.id());
            assertFalse(domain.isIn(set));
            set |= domain.bit();
        }
        assertEquals(-1, set);
        assertEquals(31, MemoryDomain.ofDevice("gpu 31", table).id());
        final IllegalStateException refused =
            assertThrows(IllegalStateException.class, () -> MemoryDomain.ofDevice("gpu 32", table));
        assertEquals("memory domain gpu 32: 31 devices have memory of their own, as many as a process may have: " +
            "use fewer devices", refused.getMessage());
    }
}
