package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class QueuePairOwnerTest
{
    private final ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();
    private final CountDownLatch done = new CountDownLatch(1);

    private void ran(final String what)
    {
        ran.add(what + " on " + Thread.currentThread().getName());
    }

    private void task()
    {
        ran("task");
        done.countDown();
    }

    @Test
    void shouldSendOnWhatWasMeantForItsFormerReactor() throws InterruptedException
    {
        try (TestTarget target = new TestTarget(3))
        {
            final PollGroup first = target.reactor(0).pollGroup();
            final PollGroup second = target.reactor(1).pollGroup();
            final PollGroup third = target.reactor(2).pollGroup();
            final QueuePairOwner owner = new QueuePairOwner(first);
            final String name = target.reactor(2).call(() -> Thread.currentThread().getName());
            final String between = target.reactor(1).call(() -> Thread.currentThread().getName());
            target.reactor(0).run(() ->
            {
                // Stands in the line of the first while the queue pair goes to the second and from there to the third.
                owner.execute(this::task);
                second.reactor().execute(() ->
                {
                    ran("adoption");
                    owner.set(second);
                    third.reactor().execute(() ->
                    {
                        ran("adoption");
                        owner.set(third);
                    });
                    owner.handOver(second, third);
                });
                owner.handOver(first, second);
            });
            assertEquals(true, done.await(10, TimeUnit.SECONDS));
            assertEquals(List.of("adoption on " + between, "adoption on " + name, "task on " + name),
                List.copyOf(ran));
            assertSame(third, owner.get());
        }
    }

    @Test
    void shouldNotFallBackWhenItWasSentOnBeforeItsFormerReactorSaidSo()
    {
        try (TestTarget target = new TestTarget(3))
        {
            final PollGroup first = target.reactor(0).pollGroup();
            final PollGroup second = target.reactor(1).pollGroup();
            final PollGroup third = target.reactor(2).pollGroup();
            final QueuePairOwner owner = new QueuePairOwner(first);
            owner.set(second);
            owner.handOver(second, third);
            owner.handOver(first, second);
            assertSame(third, owner.get());
        }
    }
}
