package io.millrace.bindings.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.generated.spdk.millrace_spdk_message;
import io.millrace.bindings.generated.spdk.millrace_spdk_queue;
import io.millrace.bindings.generated.spdk.millrace_spdk_queues;
import io.millrace.bindings.generated.spdk.spdk_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SpdkQueuesTest
{
    private static final int PLACES = spdk_h.MILLRACE_SPDK_PLACES();
    private static final SpdkQueues.Listener NOBODY = (type, slot, length, word0, word1) ->
    {
        throw new AssertionError("no message was expected");
    };

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(millrace_spdk_queues.layout());
    private final SpdkQueues queues = new SpdkQueues(memory.address());
    private final MemorySegment toNative = millrace_spdk_queues.to_native(memory);
    private final MemorySegment toJava = millrace_spdk_queues.to_java(memory);

    @AfterEach
    void after()
    {
        arena.close();
    }

    @Test
    void shouldAddEachFieldOfAMessage()
    {
        assertFalse(queues.hasMessages());
        assertTrue(queues.add(1, 2, 3, 4, 5, 6));
        assertTrue(queues.add(11, 12, 13, 14, 15, 16));
        assertTrue(queues.hasMessages());
        assertEquals(0, millrace_spdk_queue.head(toNative));
        assertEquals(2, millrace_spdk_queue.tail(toNative));
        final MemorySegment second = place(toNative, 1);
        assertEquals(11, millrace_spdk_message.type(second));
        assertEquals(12, millrace_spdk_message.slot(second));
        assertEquals(13, millrace_spdk_message.address(second));
        assertEquals(14, millrace_spdk_message.length(second));
        assertEquals(15, millrace_spdk_message.word0(second));
        assertEquals(16, millrace_spdk_message.word1(second));
        assertEquals(1, millrace_spdk_message.type(place(toNative, 0)));
    }

    @Test
    void shouldRefuseAMessageWithoutAPlaceAndUseThoseThatWereTaken()
    {
        for (int i = 0; i < PLACES; i++)
        {
            assertTrue(queues.add(i, 0, 0, 0, 0, 0));
        }
        assertFalse(queues.add(-1, 0, 0, 0, 0, 0));
        assertEquals(PLACES, millrace_spdk_queue.tail(toNative));
        millrace_spdk_queue.head(toNative, 1);
        assertTrue(queues.add(77, 0, 0, 0, 0, 0));
        assertEquals(77, millrace_spdk_message.type(place(toNative, 0)));
        assertEquals(1, millrace_spdk_message.type(place(toNative, 1)));
        assertFalse(queues.add(-1, 0, 0, 0, 0, 0));
    }

    @Test
    void shouldDeliverEachMessageOnceInOrderAndBeginAgainAtTheFirstPlace()
    {
        assertEquals(0, queues.deliver(NOBODY));
        assertFalse(queues.hasAnswers());
        millrace_spdk_queue.head(toJava, PLACES - 1);
        millrace_spdk_queue.tail(toJava, PLACES - 1);
        answer(1);
        answer(2);
        assertTrue(queues.hasAnswers());
        final List<String> seen = new ArrayList<>();
        assertEquals(2, queues.deliver((type, slot, length, word0, word1) ->
            seen.add(type + " " + slot + " " + length + " " + word0 + " " + word1)));
        assertEquals(List.of("1 11 21 31 41", "2 12 22 32 42"), seen);
        assertEquals(0, millrace_spdk_queue.head(toJava));
        assertEquals(0, millrace_spdk_queue.tail(toJava));
        assertEquals(0, queues.deliver(NOBODY));
    }

    @Test
    void shouldLeaveWhatComesWhileItDeliversForTheNextTime()
    {
        answer(1);
        final List<Integer> seen = new ArrayList<>();
        final SpdkQueues.Listener listener = (type, slot, length, word0, word1) ->
        {
            seen.add(type);
            if (1 == type)
            {
                answer(2);
            }
        };
        assertEquals(1, queues.deliver(listener));
        assertEquals(List.of(1), seen);
        assertTrue(queues.hasAnswers());
        assertEquals(1, queues.deliver(listener));
        assertEquals(List.of(1, 2), seen);
    }

    @Test
    void shouldNotDeliverAMessageAgainThatTheListenerFailsOn()
    {
        answer(1);
        answer(2);
        assertThrows(IllegalStateException.class, () -> queues.deliver((type, slot, length, word0, word1) ->
        {
            throw new IllegalStateException();
        }));
        final List<Integer> seen = new ArrayList<>();
        assertEquals(1, queues.deliver((type, slot, length, word0, word1) -> seen.add(type)));
        assertEquals(List.of(2), seen);
    }

    private void answer(final int type)
    {
        final int tail = millrace_spdk_queue.tail(toJava);
        final MemorySegment message = place(toJava, tail);
        millrace_spdk_message.type(message, type);
        millrace_spdk_message.slot(message, 10 + type);
        millrace_spdk_message.length(message, 20 + type);
        millrace_spdk_message.word0(message, 30 + type);
        millrace_spdk_message.word1(message, 40 + type);
        millrace_spdk_queue.tail(toJava, tail + 1);
    }

    private static MemorySegment place(final MemorySegment queue, final int number)
    {
        final long offset = (number % PLACES) * millrace_spdk_message.sizeof();
        return millrace_spdk_queue.messages(queue).asSlice(offset, millrace_spdk_message.sizeof());
    }
}
