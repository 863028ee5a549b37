package io.millrace.control.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.service.ImageGuard.Verdict;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ImageGuardTest
{
    private static final int STREAM = 4420;
    private static final int TERM = 64 * 1024;
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final Set<Integer> proven = new HashSet<>();
    private long storageBytes = 1L << 40;
    private long nowNs = 5;
    private final ImageGuard guard = new ImageGuard(proven::contains, () -> storageBytes, nowNs);

    private static InetSocketAddress address(final int host, final int port)
    {
        return new InetSocketAddress("10.0.0." + host, port);
    }

    private Verdict setup(final int session, final int host)
    {
        return guard.onSetup(STREAM, session, TERM, address(host, 1000), nowNs);
    }

    private Verdict frame(final int session, final int host)
    {
        return guard.onFrame(STREAM, session, false, address(host, 1000), nowNs);
    }

    /** One after the other, as fast as it is allowed. */
    private Verdict setupInTime(final int session, final int host)
    {
        nowNs += SECOND_NS / ImageGuard.SENDERS_PER_SECOND;
        return setup(session, host);
    }

    @Test
    void shouldRefuseLongTerms()
    {
        for (final int length : new int[]{ImageGuard.TERM_LENGTH_MAX_BYTES + 1, 1 << 30})
        {
            assertEquals(Verdict.TERM_TOO_LONG, guard.onSetup(STREAM, 1, length, address(1, 1), nowNs));
        }
        assertEquals(0, guard.senderCount());
        assertEquals(Verdict.ACCEPTED,
            guard.onSetup(STREAM, 1, ImageGuard.TERM_LENGTH_MAX_BYTES, address(1, 1), nowNs));
        // Nor does one who already exists get another.
        assertEquals(Verdict.TERM_TOO_LONG, guard.onSetup(STREAM, 1, 1 << 30, address(1, 1), nowNs));
    }

    @Test
    void shouldTellWhatNoSenderAsksFor()
    {
        assertTrue(ImageGuard.isValidSetup(TERM, 0, 1408, 5, 5));
        assertTrue(ImageGuard.isValidSetup(TERM, TERM - 32, 1408, Integer.MAX_VALUE, Integer.MIN_VALUE));
        assertTrue(ImageGuard.isValidSetup(1 << 30, 32, 65504, -7, 100));
        for (final int offset : new int[]{TERM, TERM - 1, 31, -32, 1 << 30, Integer.MIN_VALUE})
        {
            assertFalse(ImageGuard.isValidSetup(TERM, offset, 1408, 0, 0), "offset " + offset);
        }
        for (final int mtu : new int[]{0, -32, 32, 1407, 65536, Integer.MIN_VALUE})
        {
            assertFalse(ImageGuard.isValidSetup(TERM, 0, mtu, 0, 0), "MTU " + mtu);
        }
        for (final int length : new int[]{0, -1, 32768, TERM + 32, 3 * TERM, Integer.MIN_VALUE})
        {
            assertFalse(ImageGuard.isValidSetup(length, 0, 1408, 0, 0), "term of " + length);
        }
        assertFalse(ImageGuard.isValidSetup(TERM, 0, 1408, 0, -5));
    }

    @Test
    void shouldBoundTheSendersOfAnAddress()
    {
        for (int i = 0; i < ImageGuard.SENDERS_PER_ADDRESS_MAX; i++)
        {
            assertEquals(Verdict.ACCEPTED, setupInTime(i, 1));
        }
        assertEquals(Verdict.ADDRESS_FULL, setupInTime(1000, 1));
        assertEquals(Verdict.ADDRESS_FULL, guard.onFrame(STREAM, 1000, false, address(1, 77), nowNs));
        assertEquals(Verdict.ACCEPTED, setupInTime(1000, 2));
        assertEquals(Verdict.ACCEPTED, setup(0, 1));
    }

    @Test
    void shouldBoundAllSenders()
    {
        for (int i = 0; i < ImageGuard.SENDERS_MAX; i++)
        {
            assertEquals(Verdict.ACCEPTED, setupInTime(i, 1 + i / ImageGuard.SENDERS_PER_ADDRESS_MAX), "sender " + i);
            proven.add(i);
            for (int before = 0; before < i; before++)
            {
                frame(before, 1 + before / ImageGuard.SENDERS_PER_ADDRESS_MAX);
            }
        }
        assertEquals(Verdict.FULL, setupInTime(1000, 99));
        assertEquals(ImageGuard.SENDERS_MAX, guard.senderCount());
        assertEquals(Verdict.ACCEPTED, frame(7, 1));
    }

    @Test
    void shouldBoundHowFastNewOnesCome()
    {
        for (int i = 0; i < ImageGuard.SENDERS_PER_SECOND; i++)
        {
            assertEquals(Verdict.ACCEPTED, setup(i, 1 + i % 2));
        }
        assertEquals(Verdict.TOO_FAST, setup(1000, 3));
        assertEquals(Verdict.TOO_FAST, frame(1001, 3));
        assertEquals(Verdict.ACCEPTED, frame(3, 2));
        nowNs += SECOND_NS / ImageGuard.SENDERS_PER_SECOND;
        assertEquals(Verdict.ACCEPTED, setup(1000, 3));
        assertEquals(Verdict.TOO_FAST, setup(1001, 3));
    }

    @Test
    void shouldBindASessionToItsAddress()
    {
        assertEquals(Verdict.ACCEPTED, setup(1, 1));
        assertEquals(Verdict.WRONG_ADDRESS, setup(1, 2));
        assertEquals(Verdict.WRONG_ADDRESS, guard.onFrame(STREAM, 1, true, address(1, 1001), nowNs));
        assertEquals(Verdict.ACCEPTED, frame(1, 1));
    }

    @Test
    void shouldStopListeningToWhoProvesNothing()
    {
        setup(1, 1);
        setup(2, 1);
        proven.add(2);
        for (int i = 1; i < 10; i++)
        {
            nowNs += SECOND_NS;
            assertEquals(Verdict.ACCEPTED, frame(1, 1));
            assertEquals(Verdict.ACCEPTED, frame(2, 1));
        }
        nowNs += SECOND_NS;
        assertEquals(Verdict.UNPROVEN, frame(1, 1));
        assertEquals(Verdict.UNPROVEN, setup(1, 1));
        assertEquals(Verdict.ACCEPTED, frame(2, 1));
        // Its image ends without frames, and what it held is there for others, whatever it goes on to send.
        for (int i = 0; i < 11; i++)
        {
            nowNs += SECOND_NS - 1_000_000;
            frame(1, 1);
            frame(2, 1);
        }
        assertEquals(1, guard.senderCount());
    }

    @Test
    void shouldForgetWhoIsGone()
    {
        setup(1, 1);
        setup(2, 1);
        guard.onFrame(STREAM, 2, true, address(1, 1000), nowNs);
        nowNs += ImageGuard.LIVENESS_TIMEOUT_NS + SECOND_NS;
        setup(3, 1);
        assertEquals(2, guard.senderCount());
        nowNs += ImageGuard.LIVENESS_TIMEOUT_NS;
        setup(4, 1);
        assertEquals(2, guard.senderCount());
    }

    @Test
    void shouldLeaveSpaceForOthers()
    {
        storageBytes = ImageGuard.STORAGE_RESERVE_BYTES + 2 * (3L * ImageGuard.TERM_LENGTH_MAX_BYTES + 4096);
        assertEquals(Verdict.ACCEPTED, setup(1, 1));
        assertEquals(Verdict.ACCEPTED, setup(2, 1));
        assertEquals(Verdict.STORAGE_FULL, setup(3, 1));
    }
}
