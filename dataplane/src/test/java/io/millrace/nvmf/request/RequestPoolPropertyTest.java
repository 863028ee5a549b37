package io.millrace.nvmf.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.seed.TestSeeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

public class RequestPoolPropertyTest
{
    private static final int SLOTS = 1000;
    private static final int CONNECTIONS = 90;
    private static final int SURE = SLOTS / 2 / 100;

    /** What a queue pair has. */
    private static final class Holder
    {
        private final ArrayDeque<Request> requests = new ArrayDeque<>();
        private final RequestShare share;

        private Holder(final RequestPool pool, final String address)
        {
            share = pool.join(address);
        }

        private boolean take(final RequestPool pool)
        {
            if (!pool.mayAcquire(requests.size(), share))
            {
                return false;
            }
            final Request request = pool.acquire(requests.size(), share);
            request.phase(RequestPhase.EXECUTING);
            requests.add(request);
            return true;
        }

        private void releaseLoan(final RequestPool pool)
        {
            final Request request = requests.remove();
            pool.release(request, requests.size(), share);
        }
    }

    private static RequestPool pool()
    {
        return new RequestPool((request) -> {}, new CapacityLimits(SLOTS, CONNECTIONS, CONNECTIONS, 5, 5, 5, 5));
    }

    @Property(tries = 100)
    void shouldHoldItsBoundsWhoeverTakes(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        try (RequestPool pool = pool())
        {
            final List<Holder> holders = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++)
            {
                holders.add(new Holder(pool, "192.0.2." + random.nextInt(3)));
            }
            for (int step = 0; step < 3000; step++)
            {
                final Holder holder = holders.get(random.nextInt(1 + random.nextInt(CONNECTIONS)));
                if (random.nextInt(4) < 3)
                {
                    final boolean isSure = holder.requests.size() < SURE;
                    assertTrue(holder.take(pool) || !isSure, "a few slots are sure");
                }
                else if (!holder.requests.isEmpty())
                {
                    holder.releaseLoan(pool);
                }
                assertTrue(pool.size() <= SLOTS);
                assertEquals(holders.stream().mapToInt((each) -> each.requests.size()).sum(), pool.used());
            }
            for (final Holder each : holders)
            {
                while (!each.requests.isEmpty())
                {
                    each.releaseLoan(pool);
                }
                pool.leave(each.share);
            }
            holders.forEach((each) -> assertEquals(0, each.share.used()));
            assertEquals(0, pool.used());
        }
    }

    @Example
    void shouldLeaveSlotsToThoseAtOtherAddresses()
    {
        try (RequestPool pool = pool())
        {
            for (int i = 0; i < CONNECTIONS - 1; i++)
            {
                final Holder greedy = new Holder(pool, "192.0.2.1");
                while (greedy.take(pool))
                {
                    assertTrue(greedy.requests.size() < SLOTS);
                }
            }
            final Holder other = new Holder(pool, "192.0.2.2");
            while (other.take(pool))
            {
                assertTrue(other.requests.size() < SLOTS);
            }
            assertTrue(other.requests.size() > SLOTS / 16, other.requests.size() + " slots for the other");
        }
    }

    /** Queue pairs end while devices have their commands, and others connect from the same address. */
    @Example
    void shouldCountForAnAddressWhatItsFormerQueuePairsHave()
    {
        try (RequestPool pool = pool())
        {
            final List<Holder> gone = new ArrayList<>();
            for (int i = 0; i < 50; i++)
            {
                final Holder greedy = new Holder(pool, "192.0.2.1");
                while (greedy.take(pool))
                {
                    assertTrue(greedy.requests.size() < SLOTS);
                }
                pool.leave(greedy.share);
                gone.add(greedy);
            }
            final int shared = gone.stream().mapToInt((each) -> Math.max(0, each.requests.size() - SURE)).sum();
            assertTrue(shared <= SLOTS / 4, shared + " of " + SLOTS / 2 + " shared slots for one address");
            for (final Holder each : gone)
            {
                while (!each.requests.isEmpty())
                {
                    each.releaseLoan(pool);
                }
            }
            // Nothing is kept of an address that has nothing: the next one begins again.
            final RequestShare next = pool.join("192.0.2.1");
            assertEquals(0, next.used());
            assertTrue(gone.stream().noneMatch((each) -> next == each.share));
        }
    }
}
