package io.millrace.reactor;

import io.millrace.reactor.NativeRing.NativeProducers;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

/**
 * Native code's end of a ring, played by Agrona's own rings over the same memory.
 */
final class NativePeer
{
    private final OneToOneRingBuffer toNative;
    private final RingBuffer toJava;
    private final UnsafeBuffer toJavaBuffer;
    private LinkListener listener;
    private final MessageHandler handler =
        (type, source, index, length) -> DescriptorRecord.deliver(listener, type, source, index);

    NativePeer(final NativeRing ring, final NativeProducers producers)
    {
        final int queueBytes = (int)(ring.lengthBytes() - NativeRingLayout.HEADER_BYTES) / 2;
        toNative = new OneToOneRingBuffer(
            new UnsafeBuffer(ring.address() + NativeRingLayout.HEADER_BYTES, queueBytes));
        toJavaBuffer = new UnsafeBuffer(ring.address() + NativeRingLayout.HEADER_BYTES + queueBytes, queueBytes);
        toJava = NativeProducers.ONE == producers ?
            new OneToOneRingBuffer(toJavaBuffer) : new ManyToOneRingBuffer(toJavaBuffer);
    }

    RingBuffer toJava()
    {
        return toJava;
    }

    int read(final LinkListener taker, final int limit)
    {
        listener = taker;
        return toNative.read(handler, limit);
    }

    boolean write(
        final int type, final int slot, final long address, final int lengthBytes, final long word0, final long word1)
    {
        final int index = toJava.tryClaim(type, DescriptorRecord.BODY_BYTES);
        if (index < 0)
        {
            return false;
        }
        DescriptorRecord.write(toJavaBuffer, index, slot, address, lengthBytes, word0, word1);
        toJava.commit(index);
        return true;
    }
}
