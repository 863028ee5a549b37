package io.millrace.reactor;

import static io.millrace.reactor.ReactorTesting.await;
import static io.millrace.reactor.ReactorTesting.awaitSleep;
import static io.millrace.reactor.ReactorTesting.awaitWoken;
import static io.millrace.reactor.ReactorTesting.started;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import io.millrace.reactor.NativeRing.NativeProducers;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rings with Java at both ends: what native code does is done over the memory that it gets.
 */
class NativeRingTest
{
    private static final int PLACES = 16;
    private static final LinkListener NONE = (type, slot, address, length, word0, word1) -> {};

    @ParameterizedTest
    @EnumSource
    void shouldCarryEveryFieldBothWays(final NativeProducers producers)
    {
        try (Reactor reactor = started("fields"))
        {
            final List<List<Long>> seen = new ArrayList<>();
            final NativeRing ring = new NativeRing(reactor, PLACES, producers, recordTo(seen));
            final NativePeer peer = new NativePeer(ring, producers);
            final List<List<Long>> sent = List.of(
                List.of(7L, -2L, 0x7fff_1234_5678L, (long)Integer.MAX_VALUE, Long.MIN_VALUE, -1L),
                List.of(1L, 0L, 0L, 0L, 0L, 0L));

            assertTrue(reactor.call(() -> ring.offer(7, -2, 0x7fff_1234_5678L, Integer.MAX_VALUE, Long.MIN_VALUE, -1) &&
                ring.offer(1, 0, 0, 0, 0, 0)).join());
            final List<List<Long>> atPeer = new ArrayList<>();
            assertEquals(2, peer.read(recordTo(atPeer), 10));
            assertEquals(sent, atPeer);

            assertTrue(peer.write(7, -2, 0x7fff_1234_5678L, Integer.MAX_VALUE, Long.MIN_VALUE, -1));
            assertTrue(peer.write(1, 0, 0, 0, 0, 0));
            reactor.wake();
            await("both arrive", () -> 2 == reactor.call(seen::size).join());
            assertEquals(sent, seen);
            ring.close();
        }
    }

    @Test
    void shouldAnswerFalseWhenFullAndTakeAgainWhenThereIsRoom()
    {
        try (Reactor reactor = started("full"))
        {
            final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.ONE, NONE);
            final NativePeer peer = new NativePeer(ring, NativeProducers.ONE);
            final AtomicInteger next = new AtomicInteger();
            // Many rounds of odd lengths, so that the end of the memory comes at each part of a batch.
            for (int round = 0; round < 100; round++)
            {
                final int taken = reactor.call(() ->
                {
                    int count = 0;
                    while (ring.offer(1, next.get(), 0, 0, 0, 0))
                    {
                        next.incrementAndGet();
                        count++;
                    }
                    return count;
                }).join();
                assertEquals(0 == round ? ring.capacity() : 7, taken);
                final int first = next.get() - ring.capacity();
                final List<Integer> slots = new ArrayList<>();
                while (slots.size() < 7)
                {
                    peer.read((type, slot, address, length, word0, word1) -> slots.add(slot), 7 - slots.size());
                }
                assertEquals(List.of(first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6), slots);
            }
            ring.close();
        }
    }

    @Test
    void shouldSignalNativeCodeOnceAndOnlyWhenItSleeps()
    {
        try (Reactor reactor = started("signals"); Arena arena = Arena.ofConfined())
        {
            final long counter = arena.allocate(Long.BYTES, Long.BYTES).address();
            final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.ONE, NONE);
            final int event = NativeMemory.getInt(ring.address() + NativeRingLayout.NATIVE_EVENT_OFFSET);
            assertTrue(reactor.call(() -> ring.offer(1, 0, 0, 0, 0, 0)).join());
            assertTrue(Files.read(event, counter, Long.BYTES) < 0, "awake, and signalled");

            NativeMemory.putIntRelease(ring.address() + NativeRingLayout.NATIVE_SLEEPING_OFFSET, 1);
            assertTrue(reactor.call(() -> ring.write(1, 0, 0, 0, 0, 0) && ring.write(1, 0, 0, 0, 0, 0)).join());
            assertTrue(Files.read(event, counter, Long.BYTES) < 0, "a batch is signalled before its end");
            reactor.call(() ->
            {
                ring.wake();
                ring.wake();
                return ring.offer(1, 0, 0, 0, 0, 0);
            }).join();
            assertEquals(Long.BYTES, Files.read(event, counter, Long.BYTES));
            assertEquals(1, NativeMemory.getLong(counter));
            ring.close();
        }
    }

    @Test
    void shouldWakeTheReactorByTheWordAndTheDescriptorThatNativeCodeHas()
    {
        try (Reactor reactor = started("woken"))
        {
            final AtomicInteger arrived = new AtomicInteger();
            final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.ONE,
                (type, slot, address, length, word0, word1) -> arrived.incrementAndGet());
            final NativePeer peer = new NativePeer(ring, NativeProducers.ONE);
            final long flag = NativeMemory.getLong(ring.address() + NativeRingLayout.JAVA_SLEEPING_OFFSET);
            final int event = NativeMemory.getInt(ring.address() + NativeRingLayout.JAVA_EVENT_OFFSET);
            int woken = 0;
            for (int i = 0; i < 50; i++)
            {
                awaitSleep(reactor);
                assertTrue(peer.write(1, i, 0, 0, 0, 0));
                // A reactor that is about to sleep looks at the ring once more, and takes the word back.
                if (NativeMemory.compareAndSetInt(flag, 1, 0))
                {
                    woken++;
                    EventSignal.send(event);
                }
                final int sent = i + 1;
                awaitWoken(reactor, () -> sent == arrived.get());
            }
            assertTrue(woken > 0, "it never slept");
            ring.close();
        }
    }

    @Test
    void shouldTakeABoundedBatchATurn()
    {
        try (Reactor reactor = started("bounded"))
        {
            final NativeRing ring = new NativeRing(reactor, 1024, NativeProducers.MANY, NONE);
            final NativePeer peer = new NativePeer(ring, NativeProducers.MANY);
            final List<Integer> work = reactor.call(() ->
            {
                for (int i = 0; i < 1024; i++)
                {
                    assertTrue(peer.write(1, i, 0, 0, 0, 0));
                }
                assertFalse(peer.write(1, 0, 0, 0, 0, 0));
                final List<Integer> turns = new ArrayList<>();
                final NativeRingPoller poller = new NativeRingPoller(peer.toJava(), NONE);
                assertFalse(poller.canSleep());
                for (int taken = poller.poll(); taken > 0; taken = poller.poll())
                {
                    turns.add(taken);
                }
                assertTrue(poller.canSleep());
                return turns;
            }).join();
            assertEquals(1024 / NativeRingPoller.MESSAGES_PER_POLL, work.size());
            assertTrue(work.stream().allMatch((turn) -> NativeRingPoller.MESSAGES_PER_POLL == turn), work::toString);
            ring.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 63, 72, 4096, Integer.MAX_VALUE})
    void shouldCallARecordThatCannotBeABrokenInvariant(final int length)
    {
        final ReactorTesting.Errors errors = new ReactorTesting.Errors();
        try (Reactor reactor = started(ReactorConfig.of("corrupt", -1), errors))
        {
            final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.ONE, NONE);
            final long record = ring.address() + NativeRingLayout.toJavaOffset(PLACES);
            NativeMemory.putInt(record + 4, 1);
            NativeMemory.putIntRelease(record, length);
            reactor.wake();
            await("reported", () -> null != errors.broken);
            assertInstanceOf(IllegalStateException.class, errors.broken);
            assertInstanceOf(NativeRingPoller.class, errors.brokenSource);
            assertTrue(errors.broken.getMessage().contains("native ring: record"), errors.broken.getMessage());
        }
    }

    @Test
    void shouldNotFreeMemoryThatNativeCodeIsAttachedTo()
    {
        try (Reactor reactor = started("attached"))
        {
            final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.ONE, NONE);
            final long attachments = ring.address() + NativeRingLayout.ATTACHMENTS_OFFSET;
            assertTrue(ring.isDetached());
            NativeMemory.putIntRelease(attachments, 2);
            assertThrows(IllegalStateException.class, ring::close);
            assertEquals(2 | Integer.MIN_VALUE, NativeMemory.getIntAcquire(attachments));
            assertFalse(ring.isDetached());
            assertTrue(reactor.call(() -> ring.offer(1, 0, 0, 0, 0, 0)).join());
            NativeMemory.putIntRelease(attachments, 1 | Integer.MIN_VALUE);
            assertThrows(IllegalStateException.class, ring::close);
            NativeMemory.putIntRelease(attachments, Integer.MIN_VALUE);
            assertTrue(ring.isDetached());
            ring.close();
            ring.close();
            ring.requestDetach();
            assertTrue(ring.isDetached());
            assertFalse(reactor.call(() -> ring.offer(1, 0, 0, 0, 0, 0)).join());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldDeliverWhatNativeCodeWroteWhenClosed(final NativeProducers producers)
    {
        final Reactor reactor = started("closing");
        final List<Integer> slots = new ArrayList<>();
        final LinkListener listener = (type, slot, address, length, word0, word1) -> slots.add(slot);
        final NativeRing onThread = new NativeRing(reactor, 256, producers, listener);
        reactor.call(() ->
        {
            final NativePeer peer = new NativePeer(onThread, producers);
            for (int i = 0; i < 200; i++)
            {
                assertTrue(peer.write(1, i, 0, 0, 0, 0));
            }
            onThread.close();
            return null;
        }).join();
        assertEquals(200, slots.size());

        final NativeRing left = new NativeRing(reactor, 256, producers, listener);
        reactor.call(() -> null).join();
        reactor.close();
        final NativePeer late = new NativePeer(left, producers);
        for (int i = 200; i < 300; i++)
        {
            assertTrue(late.write(1, i, 0, 0, 0, 0));
        }
        left.close();
        assertEquals(300, slots.size());
        assertEquals(299, slots.getLast());
        assertThrows(RejectedExecutionException.class, () -> new NativeRing(reactor, 256, producers, listener));
    }

    @ParameterizedTest
    @ValueSource(ints = {-16, 0, 8, 24, 1 << 21})
    void shouldRefusePlacesOutOfBounds(final int places)
    {
        try (Reactor reactor = new Reactor(ReactorConfig.of("idle", -1)))
        {
            assertThrows(IllegalArgumentException.class,
                () -> new NativeRing(reactor, places, NativeProducers.ONE, NONE));
        }
    }

    private static LinkListener recordTo(final List<List<Long>> seen)
    {
        return (type, slot, address, length, word0, word1) ->
            seen.add(List.of((long)type, (long)slot, address, (long)length, word0, word1));
    }
}
