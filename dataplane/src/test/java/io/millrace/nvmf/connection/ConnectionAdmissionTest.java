package io.millrace.nvmf.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ConnectionAdmissionTest
{
    private static final String A = "192.0.2.1";
    private static final String B = "192.0.2.2";
    private static final String C = "192.0.2.3";

    private static final ConnectionPermit.Kind QUEUE = ConnectionPermit.Kind.QUEUE;
    private static final ConnectionPermit.Kind DISCOVERY = ConnectionPermit.Kind.DISCOVERY;

    private final ConnectionCounters counters = new ConnectionCounters();
    private final List<String> warnings = new ArrayList<>();
    private final List<String> evicted = new ArrayList<>();
    private final ConnectionAdmission admission =
        new ConnectionAdmission(new CapacityLimits(64, 3, 2, 4, 2, 3, 2), counters, warnings::add);

    private ConnectionPermit open(final ConnectionAdmission where, final String address)
    {
        final ConnectionPermit permit = where.begin(address, 0);
        assertNotNull(permit, address);
        where.occupy(permit, (_) -> evicted.add(address));
        return permit;
    }

    private ConnectionPermit open(final String address)
    {
        return open(admission, address);
    }

    @Test
    void shouldBoundPendingConnectionsInAllAndOfAnAddress()
    {
        open(A);
        open(A);
        assertNull(admission.begin(A, 0));
        open(B);
        final ConnectionPermit last = open(B);
        assertNull(admission.begin(B, 0), "two of an address");
        assertEquals(4, admission.pending());
        assertEquals(2, counters.refusedPending());
        assertEquals(2, counters.refused());
        assertEquals(4, counters.pending());
        admission.end(last);
        open(C);
        assertEquals(4, admission.pending());
        assertEquals(Map.of(A, 1L, B, 1L), admission.refused());
        assertEquals(List.of(), evicted);
    }

    @Test
    void shouldEndAPendingConnectionOfTheAddressThatHasMostForANewOne()
    {
        final List<ConnectionPermit> places = new ArrayList<>();
        for (final String address : new String[]{A, A, B, B})
        {
            places.add(open(address));
        }
        places.add(open(C));
        assertEquals(1, evicted.size());
        assertEquals(4, admission.pending());
        assertEquals(4, counters.pending());
        assertEquals(1, counters.refusedPending());
        assertTrue(warnings.get(0).contains("limits.pending-connections of 4 is reached"), warnings.get(0));
        places.add(open("192.0.2.4"));
        assertEquals(List.of(A, B), evicted.stream().sorted().toList());
        assertNull(admission.begin("192.0.2.5", 0), "all have one");
        for (final ConnectionPermit each : places)
        {
            final boolean isEvicted = ConnectionPermit.Kind.NONE == each.kind();
            assertEquals(!isEvicted && admission.queues() < 3, admission.admit(each, QUEUE, 0));
            admission.end(each);
        }
        assertEquals(0, admission.pending());
        assertEquals(0, admission.queues());
        assertEquals(0, counters.pending());
    }

    /** Memory of a transport that is short is made room in as places among the pending connections are. */
    @Test
    void shouldEndAPendingConnectionForMemoryThatANewOneNeeds()
    {
        open(A);
        assertFalse(admission.makeRoom(B, ConnectionAdmission.Limit.CAPSULES, 128, 0), "the other has one");
        open(A);
        assertFalse(admission.makeRoom(A, ConnectionAdmission.Limit.CAPSULES, 128, 0), "it has them itself");
        assertEquals(List.of(), evicted);
        assertTrue(admission.makeRoom(B, ConnectionAdmission.Limit.CAPSULES, 128, 0));
        assertEquals(List.of(A), evicted);
        assertEquals(1, admission.pending());
        assertEquals(3, counters.refused());
        assertEquals(0, counters.refusedPending());
        assertTrue(warnings.get(0).contains("rdma.capsules of 128 is reached") && warnings.get(0).contains("raise it"),
            warnings.get(0));
    }

    /** The target's log says why, as the host's log is told to look there. */
    @Test
    void shouldReportConnectionsBeyondThoseOfTheTransport()
    {
        admission.refuseBeyond(ConnectionAdmission.Limit.RDMA_CONNECTIONS, 7, A, 0);
        assertEquals(1, counters.refused());
        assertTrue(warnings.get(0).contains("rdma.connections of 7 is reached"), warnings.get(0));
    }

    /** Whoever has many connections that say nothing, at however many addresses, keeps nobody out. */
    @Property(tries = 200)
    void shouldLetOneConnectionOfAnAddressInWhoeverElseIsThere(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final int all = 64;
        final ConnectionAdmission busy =
            new ConnectionAdmission(
                new CapacityLimits(64, 8, 8, all, all / 2), new ConnectionCounters(), warnings::add);
        final List<ConnectionPermit> places = new ArrayList<>();
        final int addresses = 1 + random.nextInt(all / 3);
        for (int step = 0; step < 500; step++)
        {
            final String address = "198.51.100." + random.nextInt(addresses);
            final ConnectionPermit permit = busy.begin(address, 0);
            if (null != permit)
            {
                busy.occupy(permit, (_) -> {});
                places.add(permit);
            }
            if (0 == random.nextInt(4) && !places.isEmpty())
            {
                busy.end(places.remove(random.nextInt(places.size())));
            }
            assertTrue(busy.pending() <= all);
            assertEquals(busy.pending(),
                places.stream().filter((each) -> ConnectionPermit.Kind.PENDING == each.kind()).count());
            if (0 == step % 50)
            {
                busy.end(open(busy, C));
            }
        }
        places.forEach(busy::end);
        assertEquals(0, busy.pending());
    }

    @Test
    void shouldBoundQueuesInAllAndOfAnAddress()
    {
        final ConnectionPermit first = open(A);
        final ConnectionPermit second = open(A);
        final ConnectionPermit third = open(B);
        final ConnectionPermit fourth = open(B);
        assertTrue(admission.admit(first, QUEUE, 0));
        assertTrue(admission.admit(second, QUEUE, 0));
        final ConnectionPermit fifth = open(A);
        assertFalse(admission.admit(fifth, QUEUE, 0), "two of an address");
        assertTrue(admission.admit(third, QUEUE, 0));
        assertFalse(admission.admit(fourth, QUEUE, 0), "three in all");
        assertEquals(2, counters.refusedConnects());
        assertEquals(0, counters.refused());
        admission.dismiss(first);
        assertTrue(admission.admit(fourth, QUEUE, 0));
        assertEquals(3, admission.queues());
        admission.end(fourth);
        assertTrue(admission.admit(fifth, QUEUE, 0));
        assertEquals(3, admission.queues());
        assertEquals(1, admission.pending());
        assertEquals(admission.pending(), counters.pending());
    }

    /** However many addresses take what they can, the next one gets some queues. */
    @Property(tries = 50)
    void shouldLeaveQueuesToAddressesThatComeLater(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final int all = 1420;
        final int addresses = 2 + random.nextInt(60);
        final ConnectionAdmission busy = new ConnectionAdmission(
            new CapacityLimits(64, all, all / 2, all, all), new ConnectionCounters(), (warning) -> {});
        for (int i = 0; i < addresses * all; i++)
        {
            final ConnectionPermit permit = busy.begin("198.51.100." + i % addresses, 0);
            if (!busy.admit(permit, QUEUE, 0))
            {
                busy.end(permit);
            }
        }
        assertTrue(busy.queues() > all * 7 / 8, busy.queues() + " of " + all);
        int got = 0;
        while (busy.admit(busy.begin(A, 0), QUEUE, 0))
        {
            got++;
        }
        assertTrue(got >= 8, got + " beside " + addresses);
    }

    /** Many hosts have few discovery controllers: there is room, but not at an address that has most of its own. */
    @Test
    void shouldFindDiscoveryCrowdedAtAnAddressThatHasMoreThanHalfOfItsPlaces()
    {
        final ConnectionAdmission wide = new ConnectionAdmission(
            new CapacityLimits(64, 3, 2, 8, 4, 64, 3), counters, warnings::add);
        final ConnectionPermit first = open(wide, A);
        assertTrue(wide.admit(first, DISCOVERY, 0));
        assertFalse(wide.isDiscoveryCrowded(first));
        assertTrue(wide.admit(open(wide, A), DISCOVERY, 0));
        assertTrue(wide.isDiscoveryCrowded(first));
        final ConnectionPermit other = open(wide, B);
        assertTrue(wide.admit(other, DISCOVERY, 0));
        assertFalse(wide.isDiscoveryCrowded(other));
    }

    /** Anybody may come from any number of addresses. */
    @Test
    void shouldKeepNothingOfAnAddressThatHasNoConnections()
    {
        final ConnectionPermit queue = open(A);
        assertTrue(admission.admit(queue, QUEUE, 0));
        final ConnectionPermit pending = open(B);
        assertEquals(2, admission.addresses());
        admission.end(pending);
        assertEquals(1, admission.addresses());
        assertNotNull(admission.begin(A, 0));
        admission.end(queue);
        assertEquals(1, admission.addresses(), "one of it is pending");
        for (int i = 0; i < 100; i++)
        {
            admission.end(open("198.51.100." + i));
        }
        assertEquals(1, admission.addresses());
    }

    @Test
    void shouldCountDiscoveryControllersApart()
    {
        assertTrue(admission.admit(open(A), DISCOVERY, 0));
        assertFalse(admission.isDiscoveryCrowded(open(B)));
        final ConnectionPermit second = open(A);
        assertTrue(admission.admit(second, DISCOVERY, 0));
        assertTrue(admission.isDiscoveryCrowded(second));
        final ConnectionPermit refused = open(A);
        assertFalse(admission.admit(refused, DISCOVERY, 0), "two of an address");
        assertTrue(admission.admit(refused, QUEUE, 0), "queues have places of their own");
        assertTrue(admission.admit(open(B), DISCOVERY, 0));
        assertFalse(admission.admit(open(C), DISCOVERY, 0), "three in all");
        assertEquals(2, counters.refusedDiscovery());
        assertEquals(0, counters.refusedConnects());
        assertEquals(3, counters.discovery());
        assertEquals(3, admission.discovery());
        assertEquals(1, admission.queues());
        assertTrue(warnings.get(0).contains("limits.discovery-connections-per-address of 2"), warnings.get(0));
        assertTrue(warnings.get(1).contains("limits.discovery-connections of 3"), warnings.get(1));
        admission.end(second);
        assertEquals(2, counters.discovery());
    }

    @Test
    void shouldSayOnceAMinuteWhatIsRefused()
    {
        open(A);
        open(A);
        for (int i = 0; i < 100; i++)
        {
            assertNull(admission.begin(A, TimeUnit.SECONDS.toNanos(i)));
        }
        assertEquals(2, warnings.size(), warnings.toString());
        assertTrue(warnings.get(1).contains("60 refused for it since the last line, 61 of this address so far"),
            warnings.get(1));
        assertTrue(warnings.get(0).startsWith("connection of " + A +
            " refused: limits.pending-connections-per-address of 2 is reached"), warnings.get(0));
    }

    @Test
    void shouldKeepFewOfTheAddressesThatWereRefused()
    {
        for (int i = 0; i < 4; i++)
        {
            open("192.0.2." + i);
        }
        for (int i = 0; i < 1000; i++)
        {
            assertNull(admission.begin("198.51.100." + i, 0));
        }
        assertEquals(ConnectionAdmission.REFUSED_ADDRESSES_MAX, admission.refused().size());
        assertTrue(admission.refused().containsKey("198.51.100.999"));
        assertEquals(1000, counters.refusedPending());
    }
}
