package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Mappings;
import io.millrace.memory.ModelListener.Call;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class MemoryRegistryTest
{
    private static final long PAGE = 2L << 20;

    private final MemoryRegistry registry = new MemoryRegistry();
    private final List<String> calls = new ArrayList<>();
    private final ModelListener first = new ModelListener("first", calls);
    private final ModelListener second = new ModelListener("second", calls);

    private DmaMemory mapped(final MemoryRole role)
    {
        final DmaMemory memory = DmaMemory.mapGrowable(PAGE, 8 * PAGE);
        registry.add(memory, role);
        return memory;
    }

    @Test
    void shouldNotifyOfMappingGrowthAndEnd()
    {
        registry.addListener(first);
        final DmaMemory memory = mapped(MemoryRole.LENT);
        final MemoryRegion region = registry.regions().getFirst();
        assertEquals(memory.address(), region.address());
        assertEquals(8 * PAGE, region.reservedBytes());
        assertEquals(MemoryRole.LENT, region.role());
        assertSame(MemoryDomain.HOST, region.domain());
        assertTrue(region.isHostAddressable());
        assertTrue(memory.grow(3 * PAGE));
        assertEquals(3 * PAGE, region.lengthBytes());
        assertTrue(memory.grow(2 * PAGE), "never smaller, so nothing to announce");
        memory.close();
        memory.close();
        assertEquals(List.of("MAPPED " + PAGE, "GROWN " + 2 * PAGE, "UNMAPPED " + 3 * PAGE), first.calls);
        assertEquals(List.of(), registry.regions());
    }

    @Test
    void shouldNotifyALateListenerOfWhatIsThereAndOneThatIsRemovedOfItsEnd()
    {
        try (DmaMemory one = mapped(MemoryRole.BUFFERS); DmaMemory two = mapped(MemoryRole.LENT))
        {
            assertTrue(one.grow(2 * PAGE));
            registry.addListener(first);
            assertEquals(List.of("MAPPED " + 2 * PAGE, "MAPPED " + PAGE), first.calls);
            assertTrue(two.grow(2 * PAGE));
            registry.removeListener(first);
            assertEquals(
                List.of("GROWN " + PAGE, "UNMAPPED " + 2 * PAGE, "UNMAPPED " + 2 * PAGE), first.calls.subList(2, 5));
            assertTrue(one.grow(3 * PAGE));
            registry.removeListener(first);
            assertEquals(5, first.calls.size());
            registry.addListener(first);
            assertEquals(5 * PAGE, first.heldBytes());
            registry.removeListener(first);
        }
    }

    @Test
    void shouldNotifyInTheOrderOfListenersAndOfTheEndInTheOpposite()
    {
        registry.addListener(first);
        registry.addListener(second);
        final DmaMemory memory = mapped(MemoryRole.BUFFERS);
        memory.grow(2 * PAGE);
        memory.close();
        assertEquals(List.of("first MAPPED", "second MAPPED", "first GROWN", "second GROWN", "second UNMAPPED",
            "first UNMAPPED"), calls);
    }

    @Test
    void shouldLetGoOfARegionThatAListenerRefuses()
    {
        registry.addListener(first);
        registry.addListener(second);
        second.refuseNext(Call.MAPPED);
        final DmaMemory memory = DmaMemory.map(PAGE);
        final MemoryException refused =
            assertThrows(MemoryException.class, () -> registry.add(memory, MemoryRole.BUFFERS));
        assertTrue(refused.getMessage().matches(
            PAGE + " bytes of host memory at 0x\\w+ refused by second: no more of " + PAGE + " bytes"),
            refused.getMessage());
        assertEquals(List.of("first MAPPED", "second MAPPED", "first UNMAPPED"), calls);
        assertEquals(List.of(), registry.regions());
        // It was as if nothing had been.
        registry.add(memory, MemoryRole.BUFFERS);
        assertEquals(PAGE, first.heldBytes());
        assertEquals(PAGE, second.heldBytes());
        memory.close();
        assertEquals(Map.of(), first.held);
    }

    @Test
    void shouldGiveBackAGrowthThatAListenerRefuses()
    {
        registry.addListener(first);
        registry.addListener(second);
        try (DmaMemory memory = mapped(MemoryRole.BUFFERS))
        {
            final long before = DmaMemory.mappedBytes();
            second.refuseNext(Call.GROWN);
            final MemoryException refused = assertThrows(MemoryException.class, () -> memory.grow(2 * PAGE));
            assertTrue(refused.getMessage().contains("refused by second"), refused.getMessage());
            assertEquals(PAGE, memory.lengthBytes());
            assertEquals(before, DmaMemory.mappedBytes());
            assertEquals(PAGE, first.heldBytes());
            // The listeners have written there; what comes again is zero.
            assertTrue(memory.grow(2 * PAGE));
            assertEquals(List.of("first GROWN", "second GROWN", "first REVOKED", "first GROWN", "second GROWN"),
                calls.subList(2, 7));
            assertEquals(2 * PAGE, second.heldBytes());
        }
    }

    @Test
    void shouldGrowWithZeroesAfterARefusedGrowth()
    {
        final DmaMemory memory = mapped(MemoryRole.BUFFERS);
        registry.addListener(first);
        first.refuseNext(Call.GROWN);
        assertThrows(MemoryException.class, () -> memory.grow(2 * PAGE));
        registry.removeListener(first);
        assertTrue(memory.grow(2 * PAGE));
        assertEquals(0, NativeMemory.getByte(memory.address() + PAGE));
        memory.close();
    }

    @Test
    void shouldNeverGrowAgainWhenARevokedGrowthIsStillHeld()
    {
        registry.addListener(first);
        registry.addListener(second);
        final DmaMemory memory = mapped(MemoryRole.BUFFERS);
        first.refuseNext(Call.REVOKED);
        second.refuseNext(Call.GROWN);
        final MemoryException refused = assertThrows(MemoryException.class, () -> memory.grow(2 * PAGE));
        assertEquals(1, refused.getSuppressed().length);
        assertEquals(7, putAndGet(memory.address() + PAGE, 7), "somebody holds it, so it has to be there");
        assertTrue(assertThrows(MemoryException.class, () -> memory.grow(2 * PAGE)).getMessage()
            .contains("cannot grow: it is FROZEN"));
        assertEquals(1, registry.regions().size());
        memory.close();
        assertEquals(Map.of(), first.held);
    }

    private static long putAndGet(final long address, final long value)
    {
        NativeMemory.putLong(address, value);
        return NativeMemory.getLong(address);
    }

    @Test
    void shouldKeepMemoryMappedUntilEveryListenerHasLetGo()
    {
        registry.addListener(first);
        registry.addListener(second);
        final DmaMemory memory = mapped(MemoryRole.LENT);
        second.refuseNext(Call.UNMAPPED);
        final MemoryException held = assertThrows(MemoryException.class, memory::close);
        assertTrue(held.getMessage().contains("stays mapped, since second did not let go of it"), held.getMessage());
        assertEquals(7, putAndGet(memory.address(), 7));
        assertFalse(first.held.containsKey(second.held.keySet().iterator().next()));
        assertEquals(List.of(), registry.regions(), "nobody gets it any more");
        final ModelListener late = new ModelListener("late");
        registry.addListener(late);
        assertEquals(Map.of(), late.held);
        assertThrows(MemoryException.class, () -> memory.grow(2 * PAGE));
        final List<String> before = List.copyOf(first.calls);
        memory.close();
        assertEquals(before, first.calls, "only those that hold it are asked again");
        assertEquals(Map.of(), second.held);
    }

    @Test
    void shouldHoldMemoryForARemovedListenerThatDidNotLetGo()
    {
        registry.addListener(first);
        final DmaMemory memory = mapped(MemoryRole.BUFFERS);
        first.refuseNext(Call.UNMAPPED);
        first.refuseNext(Call.UNMAPPED);
        assertThrows(MemoryException.class, () -> registry.removeListener(first));
        assertThrows(IllegalStateException.class, () -> registry.addListener(first));
        assertThrows(MemoryException.class, memory::close);
        registry.removeListener(first);
        assertEquals(Map.of(), first.held);
        memory.close();
    }

    @Test
    void shouldNotAddAListenerThatRefusesWhatIsThere()
    {
        try (DmaMemory one = mapped(MemoryRole.BUFFERS); DmaMemory two = mapped(MemoryRole.BUFFERS))
        {
            first.onCall(() -> first.refuseNext(2 == first.calls.size() ? Call.MAPPED : Call.GROWN));
            final IllegalStateException refused =
                assertThrows(IllegalStateException.class, () -> registry.addListener(first));
            assertEquals("no more of " + PAGE + " bytes", refused.getMessage());
            assertEquals(Map.of(), first.held);
            assertTrue(one.grow(2 * PAGE));
            assertTrue(two.grow(2 * PAGE));
            assertEquals(3, first.calls.size());
        }
    }

    @Test
    void shouldAnnounceImportedMemoryAndNeverUnmapIt()
    {
        final long address = Mappings.mmap(0, PAGE, Mappings.PROT_READ | Mappings.PROT_WRITE,
            Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS, -1, 0);
        final MemoryRegion region =
            MemoryRegion.imported(MemoryRole.BUFFERS, MemoryDomain.HOST, address, PAGE, 4096);
        registry.addListener(first);
        registry.add(region);
        assertEquals(List.of(region), registry.regions());
        assertTrue(region.hasStablePages());
        assertThrows(IllegalStateException.class, () -> registry.add(region));
        assertThrows(IllegalArgumentException.class, () -> registry.add(
            MemoryRegion.imported(MemoryRole.BUFFERS, MemoryDomain.HOST, address + 4096, 4096, 4096)));
        registry.remove(region);
        assertEquals(Map.of(), first.held);
        assertEquals(7, putAndGet(address, 7));
        assertEquals(0, Mappings.munmap(address, PAGE));
    }

    @Test
    void shouldAnnounceDeviceMemoryWithoutAnAddress()
    {
        final MemoryDomain gpu = MemoryDomain.ofDevice("gpu of a test");
        final MemoryRegion hidden = MemoryRegion.importedDmaBuf(
            MemoryRole.BUFFERS, gpu, 77, PAGE, 3 * PAGE, PAGE, MemoryRegion.NO_ADDRESS);
        final MemoryRegion shown = MemoryRegion.imported(MemoryRole.BUFFERS, gpu, 5 * PAGE, PAGE, PAGE);
        registry.addListener(first);
        registry.add(hidden);
        registry.add(shown);
        assertFalse(hidden.isHostAddressable());
        assertFalse(shown.isHostAddressable());
        assertEquals(77, hidden.dmaBufFd());
        assertEquals(PAGE, hidden.dmaBufOffsetBytes());
        assertEquals(4 * PAGE, first.heldBytes());
        // Addresses of the host and of a device may be the same numbers.
        registry.add(MemoryRegion.imported(
            MemoryRole.LENT, MemoryDomain.ofDevice("other gpu of a test"), 5 * PAGE, PAGE, PAGE));
        registry.regions().forEach(registry::remove);
        assertEquals(Map.of(), first.held);
    }

    @Test
    void shouldRefuseRangesThatAreNoWholePages()
    {
        for (final long[] range : new long[][]{
            {4096, 4095, 4096}, {4097, 4096, 4096}, {4096, 0, 4096}, {4096, -4096, 4096}, {0, 4096, 4096},
            {4096, 4096, 2048}, {8192, 8192, 6144}, {Long.MAX_VALUE - 4095, 4096, 4096}})
        {
            assertThrows(IllegalArgumentException.class, () -> MemoryRegion.imported(
                MemoryRole.BUFFERS, MemoryDomain.HOST, range[0], range[1], range[2]), () -> List.of(range).toString());
        }
        assertThrows(IllegalArgumentException.class, () -> MemoryRegion.importedDmaBuf(
            MemoryRole.BUFFERS, MemoryDomain.HOST, -1, 0, 4096, 4096, MemoryRegion.NO_ADDRESS));
        assertThrows(IllegalArgumentException.class, () -> MemoryRegion.importedDmaBuf(
            MemoryRole.BUFFERS, MemoryDomain.HOST, 3, 1, 4096, 4096, MemoryRegion.NO_ADDRESS));
        assertThrows(IllegalArgumentException.class, () -> MemoryRegion.importedDmaBuf(
            MemoryRole.BUFFERS, MemoryDomain.HOST, 3, 0, 4096, 4096, 17));
    }

    @Test
    void shouldTakeImportedMemoryFromItsOwnerOnly()
    {
        try (DmaMemory memory = mapped(MemoryRole.BUFFERS))
        {
            final MemoryRegion region = registry.regions().getFirst();
            assertEquals(memory.address(), region.address());
            assertThrows(IllegalArgumentException.class, () -> registry.remove(region));
            assertThrows(IllegalArgumentException.class, () -> registry.add(region));
        }
    }

    @Test
    void shouldAnnounceMemoryOnceAndInOneRegistry()
    {
        registry.addListener(first);
        try (DmaMemory memory = mapped(MemoryRole.LENT))
        {
            registry.add(memory, MemoryRole.LENT);
            assertEquals(1, first.calls.size());
            assertThrows(IllegalStateException.class, () -> registry.add(memory, MemoryRole.BUFFERS));
            assertThrows(IllegalStateException.class, () -> new MemoryRegistry().add(memory, MemoryRole.LENT));
        }
        assertThrows(IllegalStateException.class, () -> registry.addListener(first));
    }

    @Test
    void shouldKeepThePagesOfAnnouncedBuffers()
    {
        try (DmaMemory lent = mapped(MemoryRole.LENT); DmaMemory buffers = mapped(MemoryRole.BUFFERS))
        {
            final boolean isOrdinary = DmaMemory.Backing.TRANSPARENT_HUGEPAGES == lent.backing();
            NativeMemory.putLong(lent.address(), 7);
            assertEquals(isOrdinary, lent.canDropPages());
            assertEquals(isOrdinary, lent.dropPages(lent.address(), PAGE));
            assertEquals(isOrdinary ? 0 : 7, NativeMemory.getLong(lent.address()));
            assertEquals(!isOrdinary, registry.regions().getFirst().hasStablePages());
            NativeMemory.putLong(buffers.address(), 7);
            assertFalse(buffers.dropPages(buffers.address(), PAGE));
            assertEquals(7, NativeMemory.getLong(buffers.address()));
            assertTrue(registry.regions().getLast().hasStablePages());
        }
    }

    @Test
    void shouldRefuseReactorsAndListenersThatCallBack() throws Exception
    {
        try (DmaMemory memory = mapped(MemoryRole.BUFFERS))
        {
            first.onCall(() -> assertThrows(IllegalStateException.class, () -> memory.grow(2 * PAGE)));
            registry.addListener(first);
            registry.removeListener(first);
            assertEquals(PAGE, memory.lengthBytes());
        }
        try (Reactor reactor = new Reactor(ReactorConfig.of("memory", -1)))
        {
            reactor.start();
            assertThrows(CompletionException.class, () -> reactor.call(registry::regions).join());
        }
    }

    @Test
    void shouldMakeChangesOfManyThreadsOneAfterTheOther() throws InterruptedException
    {
        final List<Thread> threads = new ArrayList<>();
        final List<Throwable> failures = new ArrayList<>();
        final CountDownLatch begin = new CountDownLatch(1);
        registry.addListener(first);
        for (int i = 0; i < 4; i++)
        {
            final int number = i;
            threads.add(Thread.ofPlatform().start(() ->
            {
                try
                {
                    begin.await();
                    change(number);
                }
                catch (final Throwable t)
                {
                    synchronized (failures)
                    {
                        failures.add(t);
                    }
                }
            }));
        }
        begin.countDown();
        for (final Thread thread : threads)
        {
            thread.join();
        }
        assertEquals(List.of(), failures);
        assertEquals(Map.of(), first.held);
        assertEquals(List.of(), registry.regions());
    }

    private void change(final int number)
    {
        final ModelListener own = new ModelListener("own " + number);
        for (int i = 0; i < 50; i++)
        {
            final DmaMemory memory = mapped(MemoryRole.LENT);
            registry.addListener(own);
            memory.grow(2 * PAGE);
            registry.removeListener(own);
            memory.close();
            assertEquals(Map.of(), own.held);
        }
    }
}
