package io.millrace.reactor;

import io.millrace.bindings.NativeMemory;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Where things are in the memory of a {@link NativeRing}; {@code native/ring/millrace_ring.h} says the same to C, and a
 * test compares both.
 * <pre>
 *      0  magic, version, sizes, places of both queues, the reactor's flag, event descriptors
 *    128  how many pieces of native code are attached, and whether they are to detach
 *    256  sleeping flag of native code
 *    384  queue to native code: records, then the trailer of Agrona's ring buffers
 *         queue to Java: the same, aligned to 128
 * </pre>
 * Stateless.
 */
final class NativeRingLayout
{
    /** {@code MILLRING} as it lies in memory. */
    static final long MAGIC = 0x474e49524c4c494dL;
    static final int VERSION = 1;
    static final int LINE_BYTES = 128;
    static final int HEADER_BYTES = 384;
    static final int PLACES_MIN = 16;
    static final int PLACES_MAX = 1 << 20;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = 8;
    static final int HEADER_BYTES_OFFSET = 12;
    static final int RECORD_BYTES_OFFSET = 16;
    static final int TRAILER_BYTES_OFFSET = 20;
    static final int TOTAL_BYTES_OFFSET = 24;
    static final int TO_NATIVE_OFFSET_OFFSET = 32;
    static final int TO_NATIVE_CAPACITY_OFFSET = 40;
    static final int TO_JAVA_OFFSET_OFFSET = 48;
    static final int TO_JAVA_CAPACITY_OFFSET = 56;
    static final int JAVA_SLEEPING_OFFSET = 64;
    static final int JAVA_EVENT_OFFSET = 72;
    static final int NATIVE_EVENT_OFFSET = 76;
    static final int TO_JAVA_PRODUCERS_OFFSET = 80;
    static final int ATTACHMENTS_OFFSET = 128;
    static final int NATIVE_SLEEPING_OFFSET = 256;

    static final int ONE_PRODUCER = 1;
    static final int MANY_PRODUCERS = 2;
    /** The bit of the attachments that asks native code to detach; the others count. */
    static final int CLOSED = Integer.MIN_VALUE;

    private NativeRingLayout()
    {
    }

    /**
     * {@return bytes of one queue, records and trailer}
     *
     * @param places of records.
     */
    static int queueBytes(final int places)
    {
        return places * DescriptorRecord.RECORD_BYTES + RingBufferDescriptor.TRAILER_LENGTH;
    }

    static int toNativeOffset()
    {
        return HEADER_BYTES;
    }

    static int toJavaOffset(final int places)
    {
        return HEADER_BYTES + queueBytes(places);
    }

    /**
     * {@return bytes of all}
     *
     * @param places of records in each queue.
     */
    static long totalBytes(final int places)
    {
        return HEADER_BYTES + 2L * queueBytes(places);
    }

    /**
     * Writes the header. What it does not name has to be zero.
     *
     * @param address       of {@link #totalBytes} zeroed bytes, aligned to {@link #LINE_BYTES}.
     * @param places        of records in each queue; a power of two.
     * @param producers     {@link #ONE_PRODUCER} or {@link #MANY_PRODUCERS}.
     * @param javaSleeping  address of the reactor's sleeping flag.
     * @param javaEventFd   wakes the reactor.
     * @param nativeEventFd wakes native code.
     */
    static void format(
        final long address,
        final int places,
        final int producers,
        final long javaSleeping,
        final int javaEventFd,
        final int nativeEventFd)
    {
        final long capacity = (long)places * DescriptorRecord.RECORD_BYTES;
        NativeMemory.putInt(address + VERSION_OFFSET, VERSION);
        NativeMemory.putInt(address + HEADER_BYTES_OFFSET, HEADER_BYTES);
        NativeMemory.putInt(address + RECORD_BYTES_OFFSET, DescriptorRecord.RECORD_BYTES);
        NativeMemory.putInt(address + TRAILER_BYTES_OFFSET, RingBufferDescriptor.TRAILER_LENGTH);
        NativeMemory.putLong(address + TOTAL_BYTES_OFFSET, totalBytes(places));
        NativeMemory.putLong(address + TO_NATIVE_OFFSET_OFFSET, toNativeOffset());
        NativeMemory.putLong(address + TO_NATIVE_CAPACITY_OFFSET, capacity);
        NativeMemory.putLong(address + TO_JAVA_OFFSET_OFFSET, toJavaOffset(places));
        NativeMemory.putLong(address + TO_JAVA_CAPACITY_OFFSET, capacity);
        NativeMemory.putLong(address + JAVA_SLEEPING_OFFSET, javaSleeping);
        NativeMemory.putInt(address + JAVA_EVENT_OFFSET, javaEventFd);
        NativeMemory.putInt(address + NATIVE_EVENT_OFFSET, nativeEventFd);
        NativeMemory.putInt(address + TO_JAVA_PRODUCERS_OFFSET, producers);
        NativeMemory.putLongRelease(address + MAGIC_OFFSET, MAGIC);
    }
}
