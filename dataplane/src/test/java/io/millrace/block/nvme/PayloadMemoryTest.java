package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.nvme.queue.PayloadMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryException;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.pci.PciException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PayloadMemoryTest
{
    private static final long PAGE = 2L << 20;

    private final ModelDma dma = new ModelDma();
    private final List<String> notes = new ArrayList<>();
    private final MemoryRegistry registry = new MemoryRegistry();
    private final PayloadMemory payload =
        new PayloadMemory("drive", dma, notes::add);
    private final DmaMemory memory = DmaMemory.mapGrowable(PAGE, 8 * PAGE);

    @AfterEach
    void close()
    {
        registry.removeListener(payload);
        memory.close();
        assertEquals(0, dma.mapped());
    }

    private void assertMapped(final long address, final long lengthBytes)
    {
        assertEquals(address, dma.address(payload.iova(address, lengthBytes), lengthBytes));
    }

    private void assertNotMapped(final long address)
    {
        assertEquals(PayloadMemory.NOT_MAPPED, payload.iova(address, 1));
    }

    /** Memory of a device that lends it, which keeps its pages. */
    private MemoryRegion lent()
    {
        return MemoryRegion.imported(
            MemoryRole.LENT, MemoryDomain.HOST, memory.address(), memory.lengthBytes(), PAGE);
    }

    @Test
    void shouldMapWhatIsAnnouncedAndWhatItGrowsByAndUnmapItAtTheEnd()
    {
        registry.add(memory, MemoryRole.BUFFERS);
        registry.addListener(payload);
        assertMapped(memory.address() + 4096, PAGE - 4096);
        assertNotMapped(memory.address() + PAGE);
        assertTrue(memory.grow(3 * PAGE));
        assertMapped(memory.address() + PAGE, 2 * PAGE);
        assertMapped(memory.address(), PAGE);
        assertEquals(PayloadMemory.NOT_MAPPED, payload.iova(memory.address() + PAGE - 1, 2), "two mappings");
        assertEquals(2, dma.mapped());
        memory.close();
        assertNotMapped(memory.address());
        assertEquals(0, dma.mapped());
    }

    @Test
    void shouldRefuseBuffersThatCannotBeMappedAndHoldNoneOfTheirPieces()
    {
        registry.addListener(payload);
        dma.rangeBytesMax(PAGE);
        assertTrue(memory.grow(3 * PAGE));
        dma.mappedMax(2);
        final MemoryException refused =
            assertThrows(MemoryException.class, () -> registry.add(memory, MemoryRole.BUFFERS));
        assertTrue(refused.getMessage().contains(
            "refused by drive: cannot map " + PAGE + " bytes: 2 ranges are mapped"), refused.getMessage());
        assertEquals(0, dma.mapped());
        assertNotMapped(memory.address());
        dma.mappedMax(4);
        registry.add(memory, MemoryRole.BUFFERS);
        assertTrue(memory.grow(4 * PAGE));
        assertThrows(MemoryException.class, () -> memory.grow(6 * PAGE));
        assertEquals(4, dma.mapped());
        assertMapped(memory.address() + 3 * PAGE, PAGE);
    }

    @Test
    void shouldNotStartWithBuffersThatCannotBeMapped()
    {
        registry.add(memory, MemoryRole.BUFFERS);
        dma.mappedMax(0);
        assertThrows(PciException.class, () -> registry.addListener(payload));
    }

    @Test
    void shouldDoWithoutLentMemoryThatCannotBeMappedAndSaySoOnce()
    {
        registry.addListener(payload);
        final MemoryRegion first = lent();
        registry.add(first);
        assertMapped(memory.address(), PAGE);
        registry.remove(first);
        dma.mappedMax(0);
        final MemoryRegion second = lent();
        registry.add(second);
        registry.remove(second);
        registry.add(lent());
        assertNotMapped(memory.address());
        assertEquals(List.of("cannot access memory that another device lends, so that commands with payload " +
            "in it fail: cannot map " + PAGE + " bytes: 0 ranges are mapped"), notes);
        dma.mappedMax(9);
    }

    @Test
    void shouldNotMapMemoryWhosePagesMayGoNorThatOfDevices()
    {
        registry.addListener(payload);
        registry.add(MemoryRegion.imported(
            MemoryRole.BUFFERS, MemoryDomain.ofDevice("gpu of a test"), PAGE, PAGE, PAGE));
        registry.add(memory, MemoryRole.LENT);
        assertEquals(DmaMemory.Backing.HUGEPAGES == memory.backing() ? 1 : 0, dma.mapped());
        assertNotMapped(PAGE);
    }

    @Test
    void shouldHoldMemoryWhileTheControllerCouldNotBeStopped()
    {
        registry.add(memory, MemoryRole.BUFFERS);
        registry.addListener(payload);
        payload.abandon();
        final MemoryException held = assertThrows(MemoryException.class, memory::close);
        assertTrue(held.getMessage().contains("drive did not let go of it (the controller could not be stopped"),
            held.getMessage());
        assertMapped(memory.address(), PAGE);
        payload.close();
        // As when the function is given back.
        dma.unmapAll();
        memory.close();
        assertNotMapped(memory.address());
    }

    @Test
    void shouldNotUnmapWhatWentWithTheFunction()
    {
        registry.add(memory, MemoryRole.BUFFERS);
        registry.addListener(payload);
        payload.close();
        registry.removeListener(payload);
        assertEquals(1, dma.mapped());
        dma.unmapAll();
    }
}
