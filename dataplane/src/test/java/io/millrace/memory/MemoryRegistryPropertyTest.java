package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.memory.ModelListener.Call;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random histories of regions, growth, listeners and refusals: what a listener holds is what the registry has, and
 * nothing goes away that is held.
 */
class MemoryRegistryPropertyTest
{
    private static final long PAGE = 2L << 20;
    private static final int STEPS = 60;

    private final MemoryRegistry registry = new MemoryRegistry();
    private final List<ModelListener> all = new ArrayList<>();
    private final Set<ModelListener> listening = new HashSet<>();
    private final List<DmaMemory> memories = new ArrayList<>();

    @Property(tries = 150)
    void shouldNotifyEveryListenerOfWhatIsThere(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        all.clear();
        listening.clear();
        memories.clear();
        for (int i = 0; i < 3; i++)
        {
            all.add(new ModelListener("listener " + i));
        }
        for (int step = 0; step < STEPS; step++)
        {
            final ModelListener some = all.get(random.nextInt(all.size()));
            if (0 == random.nextInt(3))
            {
                some.refuseNext(Call.values()[random.nextInt(Call.values().length)]);
            }
            try
            {
                step(random, some);
            }
            catch (final IllegalStateException expected)
            {
                // Refused: the check below tells whether all of it was undone.
            }
            all.forEach(ModelListener::acceptAll);
            check();
        }
        all.forEach(registry::removeListener);
        memories.forEach(DmaMemory::close);
        memories.clear();
        assertEquals(List.of(), registry.regions());
        all.forEach((listener) -> assertEquals(Map.of(), listener.held));
    }

    private void step(final Random random, final ModelListener some)
    {
        switch (random.nextInt(memories.isEmpty() ? 3 : 6))
        {
            case 0, 1 ->
            {
                final DmaMemory memory = DmaMemory.mapGrowable(PAGE, 4 * PAGE);
                memories.add(memory);
                registry.add(memory, MemoryRole.values()[random.nextInt(2)]);
            }
            case 2 ->
            {
                if (random.nextBoolean())
                {
                    registry.addListener(some);
                    listening.add(some);
                }
                else
                {
                    // A listener that does not let go of all is not notified of more either.
                    listening.remove(some);
                    registry.removeListener(some);
                }
            }
            case 3, 4 ->
            {
                final DmaMemory memory = memories.get(random.nextInt(memories.size()));
                memory.grow(memory.lengthBytes() + PAGE);
            }
            default ->
            {
                final DmaMemory memory = memories.get(random.nextInt(memories.size()));
                memory.close();
                memories.remove(memory);
            }
        }
    }

    private void check()
    {
        final Map<Long, Long> there = new HashMap<>();
        for (final MemoryRegion region : registry.regions())
        {
            there.put(region.address(), region.lengthBytes());
        }
        for (final DmaMemory memory : memories)
        {
            if (there.containsKey(memory.address()))
            {
                assertEquals(memory.lengthBytes(), there.get(memory.address()));
            }
        }
        final Set<Long> open = new HashSet<>();
        memories.forEach((memory) -> open.add(memory.address()));
        assertEquals(Set.of(), minus(there.keySet(), open), "announced, and mapped no more");
        for (final ModelListener listener : all)
        {
            final Set<Long> has = new HashSet<>();
            for (final Map.Entry<MemoryRegion, Long> entry : listener.held.entrySet())
            {
                has.add(entry.getKey().address());
                // A growth that a listener still holds after it was revoked.
                final boolean isFrozen = MemoryRegion.State.FROZEN == registry.stateOf(entry.getKey());
                if (!isFrozen && there.containsKey(entry.getKey().address()))
                {
                    assertEquals(there.get(entry.getKey().address()), entry.getValue());
                }
            }
            assertEquals(Set.of(), minus(has, open), "held, and mapped no more");
            if (listening.contains(listener))
            {
                assertEquals(Set.of(), minus(there.keySet(), has), "announced, and not held");
            }
        }
    }

    private static Set<Long> minus(final Set<Long> from, final Set<Long> what)
    {
        final Set<Long> rest = new HashSet<>(from);
        rest.removeAll(what);
        return rest;
    }
}
