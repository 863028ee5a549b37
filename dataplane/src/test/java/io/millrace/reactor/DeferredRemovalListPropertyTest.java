package io.millrace.reactor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class DeferredRemovalListPropertyTest
{
    @Property(tries = 500)
    void shouldVisitWhatIsThereWhateverTheBodyDoes(@ForAll final long seed, @ForAll @IntRange(max = 20) final int count)
    {
        final Random random = TestSeeds.fixed(seed);
        final DeferredRemovalList<Object> list = new DeferredRemovalList<>();
        final List<Object> model = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            add(list, model);
        }
        for (int pass = 0; pass < 5; pass++)
        {
            final Set<Object> visited = new HashSet<>();
            for (int i = 0; i < list.limit(); i++)
            {
                final Object element = list.get(i);
                if (null == element)
                {
                    continue;
                }
                assertTrue(model.contains(element), "was removed");
                assertTrue(visited.add(element), "had its turn");
                final int removals = random.nextInt(4);
                for (int j = 0; j < removals && !model.isEmpty(); j++)
                {
                    assertTrue(list.remove(model.remove(random.nextInt(model.size()))));
                }
                if (0 == random.nextInt(6))
                {
                    add(list, model);
                }
            }
            assertTrue(visited.containsAll(model), "had no turn");
            assertEquals(model.size(), list.size());
            list.compact();
            assertEquals(model.size(), list.limit());
            for (int i = 0; i < model.size(); i++)
            {
                assertEquals(model.get(i), list.get(i));
            }
            assertFalse(list.remove(new Object()));
        }
    }

    private static void add(final DeferredRemovalList<Object> list, final List<Object> model)
    {
        final Object element = new Object();
        list.add(element);
        model.add(element);
    }
}
