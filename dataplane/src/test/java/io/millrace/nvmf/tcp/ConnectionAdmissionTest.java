package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.CapacityLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConnectionAdmissionTest
{
    private static final String A = "192.0.2.1";
    private static final String B = "192.0.2.2";
    private static final String C = "192.0.2.3";

    private final TcpCounters counters = new TcpCounters();
    private final List<String> warnings = new ArrayList<>();
    private final ConnectionAdmission admission =
        new ConnectionAdmission(new CapacityLimits(64, 3, 2, 4, 2), counters, warnings::add);

    @Test
    void shouldBoundPendingConnectionsInAllAndOfAnAddress()
    {
        assertTrue(admission.begin(A, 0));
        assertTrue(admission.begin(A, 0));
        assertFalse(admission.begin(A, 0));
        assertTrue(admission.begin(B, 0));
        assertTrue(admission.begin(B, 0));
        assertFalse(admission.begin(C, 0));
        assertEquals(4, admission.pending());
        assertEquals(2, counters.refusedPending());
        assertEquals(2, counters.refused());
        assertEquals(4, counters.pending());
        admission.end(B, false);
        assertTrue(admission.begin(C, 0));
        assertEquals(java.util.Map.of(A, 1L, C, 1L), admission.refused());
    }

    @Test
    void shouldBoundQueuesInAllAndOfAnAddress()
    {
        for (final String address : new String[]{A, A, B, B})
        {
            assertTrue(admission.begin(address, 0));
        }
        assertTrue(admission.admit(A, 0));
        assertTrue(admission.admit(A, 0));
        assertTrue(admission.begin(A, 0));
        assertFalse(admission.admit(A, 0), "two of an address");
        assertTrue(admission.admit(B, 0));
        assertFalse(admission.admit(B, 0), "three in all");
        assertEquals(2, counters.refusedConnects());
        assertEquals(0, counters.refused());
        admission.dismiss(A);
        assertTrue(admission.admit(B, 0));
        assertEquals(3, admission.admitted());
        admission.end(B, true);
        assertTrue(admission.admit(A, 0));
        assertEquals(3, admission.admitted());
        assertEquals(admission.pending(), counters.pending());
    }

    @Test
    void shouldSayOnceAMinuteWhatIsRefused()
    {
        assertTrue(admission.begin(A, 0));
        assertTrue(admission.begin(A, 0));
        for (int i = 0; i < 100; i++)
        {
            assertFalse(admission.begin(A, TimeUnit.SECONDS.toNanos(i)));
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
            assertTrue(admission.begin(i < 2 ? A : B, 0));
        }
        for (int i = 0; i < 1000; i++)
        {
            assertFalse(admission.begin("198.51.100." + i, 0));
        }
        assertEquals(ConnectionAdmission.REFUSED_ADDRESSES_MAX, admission.refused().size());
        assertTrue(admission.refused().containsKey("198.51.100.999"));
        assertEquals(1000, counters.refusedPending());
    }
}
