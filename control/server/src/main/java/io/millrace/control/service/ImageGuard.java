package io.millrace.control.service;

import io.aeron.driver.Configuration;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.agrona.BitUtil;
import org.agrona.collections.Hashing;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Admission control for senders on a UDP port of the media driver, before resources are allocated: an image costs three
 * terms of memory, counters and driver time, and senders of frames are not authenticated yet. Bounds the term length,
 * the number of senders in total and per address, and the rate of new ones; frames of a sender that is not
 * authenticated within {@link #UNPROVEN_MAX_NS} are dropped, and its image ends. Frames of a session from another
 * address than its first are dropped. Confined to the driver's thread.
 */
final class ImageGuard
{
    /** Decision about a frame. */
    enum Verdict
    {
        ACCEPTED("accepted"),
        TERM_TOO_LONG("terms above " + (ImageGuard.TERM_LENGTH_MAX_BYTES >> 10) + " KiB"),
        INVALID_SETUP("an invalid term, offset or MTU"),
        WRONG_ADDRESS("a session of another address"),
        UNPROVEN("no session was opened in time"),
        TOO_FAST("above " + ImageGuard.SENDERS_PER_SECOND + " new senders a second"),
        ADDRESS_FULL(ImageGuard.SENDERS_PER_ADDRESS_MAX + " senders of this address"),
        FULL(ImageGuard.SENDERS_MAX + " senders"),
        STORAGE_FULL("not enough space for the control directory");

        private final String reason;

        Verdict(final String reason)
        {
            this.reason = reason;
        }

        String reason()
        {
            return reason;
        }
    }

    /** Longest term that a sender may choose; three of them are mapped for each. */
    static final int TERM_LENGTH_MAX_BYTES = 256 * 1024;
    /** Senders at once. */
    static final int SENDERS_MAX = 128;
    /** Senders of one address. */
    static final int SENDERS_PER_ADDRESS_MAX = 32;
    static final int SENDERS_PER_SECOND = 32;
    /** Without a packet for so long an image ends; of Aeron's driver. */
    static final long LIVENESS_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    /** Time within which a client has to authenticate. */
    static final long UNPROVEN_MAX_NS = TimeUnit.SECONDS.toNanos(10);
    /** Free space that is reserved in the file system of the control directory. */
    static final long STORAGE_RESERVE_BYTES = 16L << 20;

    private static final long MARGIN_NS = TimeUnit.SECONDS.toNanos(1);
    /** An image that ended is kept for a liveness time-out. */
    private static final long ENDED_NS = LIVENESS_TIMEOUT_NS + MARGIN_NS;
    private static final long SILENT_NS = 2 * LIVENESS_TIMEOUT_NS + MARGIN_NS;
    private static final long SWEEP_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long IMAGE_BYTES = 3L * TERM_LENGTH_MAX_BYTES + 4096;

    private static final class Sender
    {
        private final InetSocketAddress address;
        private final long admittedNs;
        private long lastReceivedNs;
        private boolean isEnded;

        Sender(final InetSocketAddress address, final long nowNs)
        {
            this.address = address;
            admittedNs = nowNs;
            lastReceivedNs = nowNs;
        }
    }

    private final Long2ObjectHashMap<Sender> senders = new Long2ObjectHashMap<>();
    private final IntPredicate isProven;
    private final LongSupplier storageBytes;
    private final TokenBucket rate;
    private long sweptNs;

    /**
     * @param isProven     whether an Aeron session is authenticated.
     * @param storageBytes left in the file system of the control directory.
     * @param nowNs        the present time.
     */
    ImageGuard(final IntPredicate isProven, final LongSupplier storageBytes, final long nowNs)
    {
        this.isProven = isProven;
        this.storageBytes = storageBytes;
        rate = new TokenBucket(SENDERS_PER_SECOND, SENDERS_PER_SECOND, nowNs);
        sweptNs = nowNs;
    }

    /**
     * Whether the setup frame is valid: images of invalid ones would fail when they are used.
     */
    static boolean isValidSetup(
        final int termLengthBytes,
        final int termOffset,
        final int mtuBytes,
        final int initialTermId,
        final int activeTermId)
    {
        return termLengthBytes >= LogBufferDescriptor.TERM_MIN_LENGTH && BitUtil.isPowerOfTwo(termLengthBytes) &&
            termOffset >= 0 && termOffset < termLengthBytes &&
            0 == (termOffset & FrameDescriptor.FRAME_ALIGNMENT - 1) &&
            mtuBytes > DataHeaderFlyweight.HEADER_LENGTH && mtuBytes <= Configuration.MAX_UDP_PAYLOAD_LENGTH &&
            0 == (mtuBytes & FrameDescriptor.FRAME_ALIGNMENT - 1) &&
            // They wrap around.
            activeTermId - initialTermId >= 0;
    }

    /** A sender requests an image, or repeats the request. */
    Verdict onSetup(
        final int streamId,
        final int sessionId,
        final int termLengthBytes,
        final InetSocketAddress source,
        final long nowNs)
    {
        return termLengthBytes > TERM_LENGTH_MAX_BYTES ? Verdict.TERM_TOO_LONG :
            onFrame(streamId, sessionId, false, source, nowNs);
    }

    /** Handles a frame; of a sender without an image it counts as a request for one. */
    Verdict onFrame(
        final int streamId,
        final int sessionId,
        final boolean isLast,
        final InetSocketAddress source,
        final long nowNs)
    {
        final long key = Hashing.compoundKey(streamId, sessionId);
        final Sender sender = senders.get(key);
        if (null == sender)
        {
            return admit(key, source, nowNs);
        }
        if (!sender.address.equals(source))
        {
            return Verdict.WRONG_ADDRESS;
        }
        if (nowNs - sender.admittedNs >= UNPROVEN_MAX_NS && !isProven.test(sessionId))
        {
            // Dropped: without frames the driver releases the image.
            sweep(nowNs);
            return Verdict.UNPROVEN;
        }
        sender.lastReceivedNs = nowNs;
        sender.isEnded = isLast;
        return Verdict.ACCEPTED;
    }

    private Verdict admit(final long key, final InetSocketAddress source, final long nowNs)
    {
        sweep(nowNs);
        if (senders.size() >= SENDERS_MAX)
        {
            return Verdict.FULL;
        }
        if (countOf(source.getAddress()) >= SENDERS_PER_ADDRESS_MAX)
        {
            return Verdict.ADDRESS_FULL;
        }
        if (!rate.take(nowNs))
        {
            return Verdict.TOO_FAST;
        }
        // Counts existing images as unused, to be on the safe side.
        if (storageBytes.getAsLong() < (senders.size() + 1) * IMAGE_BYTES + STORAGE_RESERVE_BYTES)
        {
            return Verdict.STORAGE_FULL;
        }
        senders.put(key, new Sender(source, nowNs));
        return Verdict.ACCEPTED;
    }

    private int countOf(final InetAddress address)
    {
        int count = 0;
        for (final Sender each : senders.values())
        {
            if (each.address.getAddress().equals(address))
            {
                count++;
            }
        }
        return count;
    }

    private void sweep(final long nowNs)
    {
        if (nowNs - sweptNs < SWEEP_NS)
        {
            return;
        }
        sweptNs = nowNs;
        final Iterator<Sender> each = senders.values().iterator();
        while (each.hasNext())
        {
            final Sender sender = each.next();
            if (nowNs - sender.lastReceivedNs >= (sender.isEnded ? ENDED_NS : SILENT_NS))
            {
                each.remove();
            }
        }
    }

    /** Number of senders with an image, or with one that ended recently. */
    int senderCount()
    {
        return senders.size();
    }
}
