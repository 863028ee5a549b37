package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Mappings;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.AddressRanges;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryException;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.memory.RefusingListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which memory is registered with rings. The kernel has pinned registered pages, so it moves payload there even when
 * the process cannot access them any more; other payload there fails. That shows which of the two was used.
 */
class RegisteredMemoryTest
{
    private static final int BLOCK = 4096;
    private static final long PAGE = 2L << 20;
    private static final long PATTERN = 0x1122334455667788L;

    private final MemoryRegistry registry = new MemoryRegistry();
    private final DmaMemory memory = DmaMemory.mapGrowable(PAGE, 8 * PAGE);
    private final List<Initiator> initiators = new ArrayList<>();
    private FileDevice device;

    @TempDir
    private Path directory;

    @BeforeEach
    void open()
    {
        device = FileDevice.open(
            FileDeviceConfig.of("f", directory.resolve("volume.img"), 1 << 20, BLOCK), registry);
        NativeMemory.putLong(memory.address(), PATTERN);
        final Initiator writer = initiator();
        assertEquals(BlockStatus.SUCCESS,
            writer.run(BlockOperation.WRITE, 0, 1, false, memory.address(), BLOCK));
        NativeMemory.putLong(memory.address(), 0);
    }

    @AfterEach
    void close()
    {
        initiators.reversed().forEach(Initiator::close);
        device.close();
        memory.close();
    }

    private Initiator initiator()
    {
        final Initiator made = new Initiator("registered" + initiators.size(), device);
        initiators.add(made);
        return made;
    }

    /** Whether every ring has a page of memory registered. */
    private boolean isRegistered(final long address)
    {
        int registered = 0;
        for (final Initiator each : initiators)
        {
            assertEquals(0, Mappings.mprotect(address, PAGE, 0));
            final BlockStatus status = each.run(BlockOperation.READ, 0, 1, false, address, BLOCK);
            assertEquals(0, Mappings.mprotect(address, PAGE, Mappings.PROT_READ | Mappings.PROT_WRITE));
            assertEquals(BlockStatus.SUCCESS == status ? PATTERN : 0, NativeMemory.getLong(address));
            NativeMemory.putLong(address, 0);
            registered += BlockStatus.SUCCESS == status ? 1 : 0;
        }
        assertTrue(0 == registered || initiators.size() == registered, "some rings have it");
        return 0 != registered;
    }

    @Test
    void shouldUseBuffersThatCameAfterTheRings()
    {
        initiator();
        assertFalse(isRegistered(memory.address()));
        registry.add(memory, MemoryRole.BUFFERS);
        assertTrue(isRegistered(memory.address()));
    }

    @Test
    void shouldUseWhatBuffersGrewByInRingsOfBeforeAndLater()
    {
        registry.add(memory, MemoryRole.BUFFERS);
        assertTrue(memory.grow(3 * PAGE));
        assertTrue(isRegistered(memory.address() + 2 * PAGE));
        initiator();
        assertTrue(isRegistered(memory.address() + PAGE));
        assertTrue(isRegistered(memory.address()));
        assertTrue(memory.grow(4 * PAGE));
        assertTrue(isRegistered(memory.address() + 3 * PAGE));
        assertEquals(List.of(), registrationNotes());
    }

    @Test
    void shouldLetGoOfBuffersThatGoAway()
    {
        initiator();
        for (int i = 0; i < 3; i++)
        {
            final MemoryRegion region = MemoryRegion.imported(
                MemoryRole.BUFFERS, MemoryDomain.HOST, memory.address(), PAGE, BLOCK);
            registry.add(region);
            assertTrue(isRegistered(memory.address()));
            registry.remove(region);
            assertFalse(isRegistered(memory.address()));
        }
    }

    @Test
    void shouldLetGoOfAGrowthThatSomebodyElseRefuses()
    {
        registry.add(memory, MemoryRole.BUFFERS);
        final RefusingListener refusing = new RefusingListener();
        registry.addListener(refusing);
        refusing.bytesMax(PAGE);
        assertThrows(MemoryException.class, () -> memory.grow(2 * PAGE));
        assertTrue(isRegistered(memory.address()));
        // The addition is not accessible, so that a registered one would show.
        assertEquals(BlockStatus.DEVICE_ERROR,
            initiators.getFirst().run(BlockOperation.READ, 0, 1, false, memory.address() + PAGE, BLOCK));
    }

    @Test
    void shouldNotRegisterLentAndDeviceMemory()
    {
        registry.add(memory, MemoryRole.LENT);
        registry.add(MemoryRegion.imported(
            MemoryRole.BUFFERS, MemoryDomain.ofDevice("gpu of a test"), PAGE, PAGE, PAGE));
        assertFalse(isRegistered(memory.address()));
        assertEquals(List.of(), registrationNotes());
    }

    @Test
    void shouldGoOnWithoutWhenTheTableIsFull()
    {
        final List<MemoryRegion> regions = new ArrayList<>();
        assertTrue(memory.grow(3 * PAGE));
        // Single pages, each of which is a buffer.
        for (int i = 0; i < RegisteredBuffers.PLACES; i++)
        {
            regions.add(MemoryRegion.imported(
                MemoryRole.BUFFERS, MemoryDomain.HOST, memory.address() + (long)i * BLOCK, BLOCK, BLOCK));
            registry.add(regions.getLast());
        }
        final long last = memory.address() + 2 * PAGE;
        final MemoryRegion more =
            MemoryRegion.imported(MemoryRole.BUFFERS, MemoryDomain.HOST, last, PAGE, BLOCK);
        registry.add(more);
        assertFalse(isRegistered(last));
        assertEquals(List.of("more than 1024 are not registered with io_uring: I/O works without"),
            registrationNotes());
        registry.remove(more);
        registry.remove(regions.getFirst());
        registry.add(MemoryRegion.imported(MemoryRole.BUFFERS, MemoryDomain.HOST, last, PAGE, BLOCK));
        assertTrue(isRegistered(last));
    }

    @Test
    void shouldNotWaitForRingsThatAreClosedAndReactorsThatHaveEnded()
    {
        final Initiator closed = initiator();
        closed.closeChannel();
        initiators.remove(closed);
        final Initiator ended = initiator();
        initiators.remove(ended);
        ended.close();
        registry.add(memory, MemoryRole.BUFFERS);
        assertTrue(isRegistered(memory.address()));
        closed.close();
    }

    @Test
    void shouldRegisterWithRingsThatAreMadeMeanwhile()
    {
        final Initiator some = initiators.getFirst();
        for (int i = 0; i < 30; i++)
        {
            final MemoryRegion region = MemoryRegion.imported(
                MemoryRole.BUFFERS, MemoryDomain.HOST, memory.address(), PAGE, BLOCK);
            final CompletableFuture<Initiator> made = CompletableFuture.supplyAsync(() -> some.beside(device));
            registry.add(region);
            initiators.add(some.get(made));
            assertTrue(isRegistered(memory.address()));
            initiators.removeLast().close();
            registry.remove(region);
        }
    }

    @Test
    void shouldRegisterOnceWithOlderKernels()
    {
        final AddressRanges first = AddressRanges.NONE.with(memory.address(), PAGE, 0);
        assertTrue(memory.grow(2 * PAGE));
        try (Ring ring = UringRing.open(4, false))
        {
            final RegisteredBuffers buffers = RegisteredBuffers.ofOlderKernel(ring);
            assertNull(buffers.add(first));
            assertEquals(0, buffers.find(memory.address() + BLOCK, BLOCK));
            assertEquals("memory that came later is not registered with io_uring, since this kernel is older than " +
                "5.19: I/O works without", buffers.add(AddressRanges.NONE.with(memory.address() + PAGE, PAGE, 0)));
            assertEquals(-1, buffers.find(memory.address() + PAGE, BLOCK));
            buffers.remove(memory.address(), PAGE);
            assertEquals(-1, buffers.find(memory.address(), BLOCK));
        }
    }

    private List<String> registrationNotes()
    {
        return device.notes().stream().filter((note) -> note.contains("registered with io_uring")).toList();
    }
}
