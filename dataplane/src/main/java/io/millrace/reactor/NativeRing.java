package io.millrace.reactor;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

/**
 * A way between a reactor and native code, in both directions: two queues of the descriptors of {@link ReactorLink} in
 * native memory, whose address is handed to C ({@code native/ring/millrace_ring.h}). Neither side calls the other;
 * either one sleeps and is woken like a reactor, by a flag that is a word in native memory and an event descriptor.
 * What C signals is the reactor's own event descriptor under another number, so a ring adds none to its epoll.
 * <p>
 * Descriptors of one producer arrive in the order in which it wrote them. A full queue is an answer, never a wait. What
 * is on the reactor's thread only is said at each method; there nothing is allocated.
 * <p>
 * Memory that native code may still use is never freed: {@link #requestDetach} asks it to let go, {@link #isDetached}
 * says whether it has, and {@link #close} refuses before.
 */
public final class NativeRing implements AutoCloseable
{
    /** How many threads of native code write. */
    public enum NativeProducers
    {
        /** One at a time. */
        ONE(NativeRingLayout.ONE_PRODUCER),
        /** Any number. */
        MANY(NativeRingLayout.MANY_PRODUCERS);

        private final int code;

        NativeProducers(final int code)
        {
            this.code = code;
        }
    }

    private final Reactor reactor;
    private final Arena arena = Arena.ofShared();
    private final long address;
    private final int places;
    private final int javaEventFd;
    private final int nativeEventFd;
    private final UnsafeBuffer toNativeBuffer;
    private final OneToOneRingBuffer toNative;
    private final RingBuffer toJava;
    private final SleepingFlag nativeSleeping;
    private final NativeRingPoller poller;
    private volatile boolean closed;

    /**
     * Makes a ring and adds its taking side to the reactor's pollers. Any thread; set-up only.
     *
     * @param reactor   that takes and offers; not ended.
     * @param places    of each queue, a power of two from 16 to 2^20; one of those to native code always stays free.
     * @param producers how many threads of native code write.
     * @param listener  notified of each descriptor that native code wrote, on the reactor's thread.
     * @throws IllegalArgumentException   when the places are out of bounds.
     * @throws NativeException            when the kernel gives no descriptors.
     * @throws RejectedExecutionException when the reactor has ended.
     */
    public NativeRing(
        final Reactor reactor, final int places, final NativeProducers producers, final LinkListener listener)
    {
        if (places < NativeRingLayout.PLACES_MIN || places > NativeRingLayout.PLACES_MAX ||
            1 != Integer.bitCount(places))
        {
            throw new IllegalArgumentException("native ring of reactor " + reactor.config().name() + ": " + places +
                " places is not a power of two from " + NativeRingLayout.PLACES_MIN + " to " +
                NativeRingLayout.PLACES_MAX);
        }
        if (reactor.hasEnded())
        {
            throw new RejectedExecutionException("reactor " + reactor.config().name() + " has ended");
        }
        this.reactor = reactor;
        this.places = places;
        javaEventFd = checkDescriptor("duplicate of an event descriptor", reactor.wakeSignal().duplicate(), -1);
        nativeEventFd =
            checkDescriptor("eventfd", Files.eventfd(0, Files.EFD_CLOEXEC | Files.EFD_NONBLOCK), javaEventFd);
        address = arena.allocate(NativeRingLayout.totalBytes(places), NativeRingLayout.LINE_BYTES).address();
        NativeRingLayout.format(
            address, places, producers.code, reactor.wakeSignal().flag().address(), javaEventFd, nativeEventFd);
        nativeSleeping = new SleepingFlag(address + NativeRingLayout.NATIVE_SLEEPING_OFFSET);
        final int queueBytes = NativeRingLayout.queueBytes(places);
        toNativeBuffer = new UnsafeBuffer(address + NativeRingLayout.toNativeOffset(), queueBytes);
        toNative = new OneToOneRingBuffer(toNativeBuffer);
        final UnsafeBuffer toJavaBuffer = new UnsafeBuffer(address + NativeRingLayout.toJavaOffset(places), queueBytes);
        toJava = NativeProducers.ONE == producers ?
            new OneToOneRingBuffer(toJavaBuffer) : new ManyToOneRingBuffer(toJavaBuffer);
        poller = new NativeRingPoller(toJava, listener);
        start();
    }

    /**
     * {@return where the memory is, for native code to attach to}
     */
    public long address()
    {
        return address;
    }

    /**
     * {@return how much memory it is}
     */
    public long lengthBytes()
    {
        return NativeRingLayout.totalBytes(places);
    }

    /**
     * {@return how many descriptors fit on the way to native code}
     */
    public int capacity()
    {
        return places - 1;
    }

    /**
     * Hands a descriptor to native code and wakes it when it sleeps. The reactor's thread only.
     *
     * @param type        positive.
     * @param slot        index of a request or another preallocated thing.
     * @param payload     address of the payload, which belongs to native code from now on, or 0.
     * @param lengthBytes of the payload.
     * @param word0       for the type's own use.
     * @param word1       for the type's own use.
     * @return false when the queue is full now or the ring is closed: nothing was handed over.
     */
    public boolean offer(
        final int type, final int slot, final long payload, final int lengthBytes, final long word0, final long word1)
    {
        final boolean taken = write(type, slot, payload, lengthBytes, word0, word1);
        if (taken)
        {
            wake();
        }
        return taken;
    }

    /**
     * As {@link #offer} for one of several: native code is woken by the {@link #wake} that has to follow the last. The
     * reactor's thread only.
     *
     * @param type        positive.
     * @param slot        index of a request or another preallocated thing.
     * @param payload     address of the payload, which belongs to native code from now on, or 0.
     * @param lengthBytes of the payload.
     * @param word0       for the type's own use.
     * @param word1       for the type's own use.
     * @return false when the queue is full now or the ring is closed: nothing was handed over.
     */
    public boolean write(
        final int type, final int slot, final long payload, final int lengthBytes, final long word0, final long word1)
    {
        if (closed)
        {
            return false;
        }
        final int index = toNative.tryClaim(type, DescriptorRecord.BODY_BYTES);
        if (index < 0)
        {
            return false;
        }
        DescriptorRecord.write(toNativeBuffer, index, slot, payload, lengthBytes, word0, word1);
        toNative.commit(index);
        return true;
    }

    /**
     * Wakes native code when it sleeps; costs a fence and a read when it does not. After what it is to find is on the
     * queue. The reactor's thread only.
     */
    public void wake()
    {
        VarHandle.fullFence();
        if (!closed && nativeSleeping.isUp() && nativeSleeping.tryLower())
        {
            EventSignal.send(nativeEventFd);
        }
    }

    /**
     * Delivers what native code has written, as a cycle of the reactor does: for who has just called native code that
     * writes before it returns. The reactor's thread only, and not by the listener.
     *
     * @return how many descriptors.
     */
    public int deliver()
    {
        return poller.poll();
    }

    /**
     * Asks native code to stop and to detach, and wakes it; none can attach from now on. What it has yet to take or has
     * written is still there for it and for the listener. Any thread; a second call does nothing.
     */
    public synchronized void requestDetach()
    {
        if (!closed)
        {
            final long word = address + NativeRingLayout.ATTACHMENTS_OFFSET;
            int present;
            do
            {
                present = NativeMemory.getIntAcquire(word);
            }
            while (!NativeMemory.compareAndSetInt(word, present, present | NativeRingLayout.CLOSED));
            wake();
        }
    }

    /**
     * {@return whether no native code is attached; only after {@link #requestDetach} does it stay so. Any thread}
     */
    public synchronized boolean isDetached()
    {
        return closed || 0 == (NativeMemory.getIntAcquire(address + NativeRingLayout.ATTACHMENTS_OFFSET) &
            ~NativeRingLayout.CLOSED);
    }

    /**
     * Has what native code wrote delivered, takes the poller out and frees the memory: at once on the reactor's thread
     * or when it has ended, else by its next command; called by the listener, behind what is being delivered. A second
     * call does nothing.
     *
     * @throws IllegalStateException when native code is attached. It has been asked to detach; try again when it has.
     */
    @Override
    public void close()
    {
        synchronized (this)
        {
            requestDetach();
            if (!isDetached())
            {
                throw new IllegalStateException("native ring of reactor " + reactor.config().name() +
                    ": native code is attached and was asked to detach, close again when it has");
            }
            if (closed)
            {
                return;
            }
            closed = true;
        }
        if (reactor.isOnThread())
        {
            poller.runOutsidePoll(this::release);
            return;
        }
        try
        {
            reactor.execute(this::release);
        }
        catch (final RejectedExecutionException ending)
        {
            // Its last commands may still use the ring.
            Reactor.checkMayBlock("the end of a reactor");
            while (!reactor.hasEnded())
            {
                Thread.onSpinWait();
            }
            free();
        }
    }

    int waitingForNative()
    {
        return toNative.size() / DescriptorRecord.RECORD_BYTES;
    }

    int waitingForJava()
    {
        return toJava.size() / DescriptorRecord.RECORD_BYTES;
    }

    boolean isNativeSleeping()
    {
        return nativeSleeping.isUp();
    }

    private void start()
    {
        try
        {
            if (reactor.isOnThread())
            {
                reactor.addPoller(poller);
            }
            else
            {
                reactor.execute(this::addPoller);
            }
        }
        catch (final RejectedExecutionException ended)
        {
            closed = true;
            free();
            throw ended;
        }
    }

    private void addPoller()
    {
        if (!closed)
        {
            reactor.addPoller(poller);
        }
    }

    private void release()
    {
        reactor.removePoller(poller);
        free();
    }

    private void free()
    {
        try
        {
            deliverRest();
        }
        finally
        {
            Files.close(javaEventFd);
            Files.close(nativeEventFd);
            arena.close();
        }
    }

    /** Nobody writes any more, so it ends. A place that was claimed and never committed ends it, too. */
    private void deliverRest()
    {
        long before;
        do
        {
            before = toJava.consumerPosition();
            poller.poll();
        }
        while (before != toJava.consumerPosition());
    }

    private int checkDescriptor(final String call, final int fd, final int opened)
    {
        if (fd < 0)
        {
            if (opened >= 0)
            {
                Files.close(opened);
            }
            arena.close();
            throw new NativeException(call, -fd);
        }
        return fd;
    }
}
