package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChannelQueueTest
{
    private final List<Long> taken = new ArrayList<>();
    private Predicate<BlockRequest> takes = (request) -> false;
    private final ChannelQueue strict = queue(false);
    private final ChannelQueue single = queue(true);

    private ChannelQueue queue(final boolean completesInline)
    {
        return new ChannelQueue(
            BlockGeometry.builder(512, 1 << 20).completesInline(completesInline).supportsCompare(true).build(),
            this::submit);
    }

    private boolean submit(final BlockRequest request)
    {
        if (!takes.test(request))
        {
            return false;
        }
        taken.add(request.lba());
        return true;
    }

    private static BlockRequest request(final BlockOperation operation, final long lba)
    {
        return new BlockRequest(null, (done) ->
        {
        }).reset(operation, lba, 1);
    }

    private static BlockRequest read(final long lba)
    {
        return request(BlockOperation.READ, lba);
    }

    private static BlockRequest write(final long lba)
    {
        return request(BlockOperation.WRITE, lba);
    }

    @Test
    void shouldSubmitAtOnceWhatIsTaken()
    {
        takes = (request) -> true;
        strict.submit(read(1));
        assertEquals(List.of(1L), taken);
        assertEquals(0, strict.size());
        assertFalse(strict.isBlocking());
    }

    @Test
    void shouldKeepTheOrderAndThePlaceOfARefusedRequest()
    {
        for (long lba = 1; lba <= 4; lba++)
        {
            strict.submit(0 == lba % 2 ? read(lba) : write(lba));
        }
        assertTrue(strict.isBlocking());
        assertEquals(4, strict.size());
        assertEquals(0, strict.poll());
        takes = (request) -> 3 != request.lba();
        assertEquals(2, strict.poll());
        assertEquals(List.of(1L, 2L), taken);
        takes = (request) -> true;
        assertEquals(2, strict.poll());
        assertEquals(List.of(1L, 2L, 3L, 4L), taken);
    }

    @Test
    void shouldTryEachByItselfWhereRequestsAreRefusedSinglyAndWritersFirst()
    {
        for (long lba = 1; lba <= 6; lba++)
        {
            single.submit(lba > 4 ? write(lba) : read(lba));
        }
        assertFalse(single.isBlocking());
        takes = (request) -> 2 != request.lba() && 5 != request.lba();
        assertEquals(4, single.poll());
        assertEquals(List.of(6L, 1L, 3L, 4L), taken);
        takes = (request) -> true;
        assertEquals(2, single.poll());
        assertEquals(List.of(6L, 1L, 3L, 4L, 5L, 2L), taken);
    }

    @Test
    void shouldTryNoRequestTwiceInAPoll()
    {
        final List<Long> tried = new ArrayList<>();
        single.add(read(1));
        single.add(read(2));
        single.add(read(3));
        takes = (request) ->
        {
            tried.add(request.lba());
            return 2 == request.lba();
        };
        single.poll();
        assertEquals(List.of(1L, 2L, 3L), tried);
    }

    @Test
    void shouldBoundTheWorkOfAPollAndReachEverybodyInTheEnd()
    {
        final Set<Long> tried = new HashSet<>();
        for (long lba = 0; lba < 200; lba++)
        {
            single.add(read(lba));
        }
        takes = (request) ->
        {
            tried.add(request.lba());
            return false;
        };
        single.poll();
        assertEquals(64, tried.size());
        for (int i = 0; i < 3; i++)
        {
            single.poll();
        }
        assertEquals(200, tried.size());
        assertEquals(200, single.size());
    }

    @Test
    void shouldRemoveWhatIsAbortedWhereverItIs()
    {
        final BlockRequest first = write(1);
        final BlockRequest middle = read(2);
        final BlockRequest last = read(3);
        for (final ChannelQueue queue : List.of(strict, single))
        {
            queue.add(first);
            queue.add(middle);
            queue.add(last);
            queue.remove(middle);
            queue.remove(first);
            queue.remove(last);
            assertEquals(0, queue.size());
            queue.add(middle);
            queue.addFirst(last);
            assertEquals(last, queue.removeFirst());
            assertEquals(middle, queue.removeFirst());
            assertNull(queue.removeFirst());
        }
    }

    @Test
    void shouldQueueWhatACompletionSubmitsAndTakeItInTheSamePoll()
    {
        final int[] depth = {0};
        takes = (request) ->
        {
            depth[0]++;
            assertEquals(1, depth[0]);
            if (request.lba() < 40)
            {
                strict.submit(read(request.lba() + 1));
            }
            depth[0]--;
            return true;
        };
        strict.submit(read(1));
        assertEquals(40, taken.size());
        assertEquals(0, strict.size());
    }

    @Test
    void shouldPutBackOnceWhatItsSubmissionRemovedOthersAround()
    {
        final BlockRequest other = read(2);
        strict.add(read(1));
        strict.add(other);
        takes = (request) ->
        {
            if (1 == request.lba() && strict.size() > 0)
            {
                strict.remove(other);
            }
            return false;
        };
        assertEquals(0, strict.poll());
        assertEquals(1, strict.size());
        assertEquals(1, strict.removeFirst().lba());
    }

    /** Against a plain list: everything is taken once, and in order where refusals mean a full channel. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldNeitherLoseNorRepeatNorReorder(final long seed)
    {
        final Random random = TestSeeds.random(seed);
        for (final ChannelQueue queue : List.of(strict, single))
        {
            taken.clear();
            final List<BlockRequest> waiting = new ArrayList<>();
            final List<Long> expected = new ArrayList<>();
            takes = (request) ->
            {
                final boolean isTaken = random.nextInt(3) > 0;
                if (isTaken)
                {
                    assertTrue(waiting.remove(request));
                    expected.add(request.lba());
                }
                return isTaken;
            };
            for (long lba = 1; lba < 2000; lba++)
            {
                final BlockRequest request = random.nextBoolean() ? read(lba) : write(lba);
                switch (random.nextInt(4))
                {
                    case 0, 1 ->
                    {
                        waiting.add(request);
                        queue.submit(request);
                    }
                    case 2 -> queue.poll();
                    default ->
                    {
                        if (!waiting.isEmpty())
                        {
                            queue.remove(waiting.remove(random.nextInt(waiting.size())));
                        }
                    }
                }
                assertEquals(waiting.size(), queue.size());
            }
            assertEquals(expected, taken);
            if (queue == strict)
            {
                assertEquals(taken.stream().sorted().toList(), taken);
            }
            takes = (request) -> waiting.remove(request);
            while (queue.size() > 0)
            {
                assertTrue(queue.poll() > 0);
            }
            assertEquals(0, waiting.size());
        }
    }
}
