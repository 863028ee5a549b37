package io.millrace.reactor;

import static io.millrace.reactor.ReactorTesting.eventDescriptor;
import static io.millrace.reactor.ReactorTesting.makeReady;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Files;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How often a reactor that does not sleep asks the kernel which descriptors are ready. */
class ReadinessIntervalTest
{
    private static final int CYCLES = 100;
    private static final long CYCLE_NS = 1_000;

    private final Kernel kernel = (Kernel)Proxy.newProxyInstance(
        Kernel.class.getClassLoader(), new Class<?>[]{Kernel.class}, (_, method, arguments) ->
            "nanoTime".equals(method.getName()) ? now() : counted(method.getName(),
                method.invoke(LinuxKernel.INSTANCE, arguments)));
    private SimulatedReactor simulated;
    private int fd;
    private long nowNs;
    private int calls;
    private int work;
    private int workEachCycles;
    private int cycle;
    private boolean oneEvent;
    private int events;

    private Object now()
    {
        return nowNs;
    }

    private Object counted(final String method, final Object result)
    {
        calls += "epollPoll".equals(method) ? 1 : 0;
        return result;
    }

    private void run(final Runnable test)
    {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        SimulatedReactor.thread(() ->
        {
            fd = eventDescriptor(false);
            try (SimulatedReactor made = new SimulatedReactor("interval", TimeUnit.HOURS.toNanos(1), kernel))
            {
                simulated = made;
                made.run(() ->
                {
                    made.reactor().register(fd, Epoll.EPOLLIN, (_) -> onEvent());
                    made.reactor().addPoller(this::poll);
                });
                calls();
                test.run();
                made.run(() -> made.reactor().deregister(fd));
                done.complete(null);
            }
            catch (final Throwable t)
            {
                done.completeExceptionally(t);
            }
            Files.close(fd);
        }, "interval").start();
        done.join();
    }

    private void onEvent()
    {
        events++;
        if (oneEvent)
        {
            simulated.reactor().modify(fd, 0);
        }
    }

    private int poll()
    {
        cycle++;
        return 0 != workEachCycles && 0 == cycle % workEachCycles ? 1 : work;
    }

    /** Of cycles that take a microsecond each. */
    private int calls()
    {
        calls = 0;
        events = 0;
        for (int i = 0; i < CYCLES; i++)
        {
            nowNs += CYCLE_NS;
            simulated.turn();
        }
        return calls;
    }

    @Test
    void shouldAskEveryOtherMicrosecondWithoutWork()
    {
        run(() -> assertEquals(CYCLES / 2, calls()));
    }

    @Test
    void shouldAskEveryTwentyMicrosecondsWithWork()
    {
        run(() ->
        {
            work = 1;
            calls();
            assertEquals(CYCLES / 20, calls());
            work = 0;
            calls();
            assertEquals(CYCLES / 2, calls(), "work has ended");
        });
    }

    @Test
    void shouldAskEveryTwentyMicrosecondsBetweenPiecesOfWork()
    {
        run(() ->
        {
            workEachCycles = 10;
            calls();
            assertEquals(CYCLES / 20, calls());
        });
    }

    @Test
    void shouldNotAskMoreOftenAfterAPieceOfWorkThatTookLong()
    {
        run(() ->
        {
            work = 1;
            calls();
            nowNs += CYCLES * CYCLE_NS;
            assertEquals(CYCLES / 20, calls());
        });
    }

    @Test
    void shouldAskSoonAgainAfterADescriptorWasReady()
    {
        run(() ->
        {
            work = 1;
            calls();
            makeReady(fd);
            oneEvent = true;
            // In some cycle of the first 20; then in the next one, and 2, 4, 8, 16 and 20 µs later each.
            calls();
            assertEquals(1, events);
            assertEquals(1 + CYCLES / 20 + 3, calls, 1);
        });
    }

    @Test
    void shouldAskInEachCycleWhileADescriptorIsReady()
    {
        run(() ->
        {
            work = 1;
            makeReady(fd);
            calls();
            assertEquals(CYCLES, calls());
            assertEquals(CYCLES, events);
        });
    }
}
