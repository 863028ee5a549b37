package io.millrace.reactor;

import static io.millrace.reactor.ReactorTesting.await;
import static io.millrace.reactor.ReactorTesting.drain;
import static io.millrace.reactor.ReactorTesting.eventDescriptor;
import static io.millrace.reactor.ReactorTesting.makeReady;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Files;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReactorReadinessTest
{
    private final ReactorTesting.Errors errors = new ReactorTesting.Errors();
    private Reactor reactor;

    @BeforeEach
    void start()
    {
        reactor = ReactorTesting.started(ReactorConfig.of("ready", -1), errors);
    }

    @AfterEach
    void close()
    {
        reactor.close();
        assertEquals(null, errors.broken);
        assertTrue(errors.ofCommands.isEmpty(), errors.ofCommands::toString);
    }

    @Test
    void shouldTellTheListenerWhileADescriptorIsReady()
    {
        final int fd = eventDescriptor(false);
        final AtomicInteger told = new AtomicInteger();
        reactor.execute(() -> reactor.register(fd, Epoll.EPOLLIN, (events) ->
        {
            assertEquals(Epoll.EPOLLIN, events);
            if (3 == told.incrementAndGet())
            {
                drain(fd);
            }
        }));
        ReactorTesting.awaitSleep(reactor);
        assertEquals(0, told.get());
        makeReady(fd);
        await("told three times", () -> 3 == told.get());
        ReactorTesting.awaitSleep(reactor);
        assertEquals(3, told.get());
        makeReady(fd);
        await("told again", () -> told.get() > 3);
        end(fd);
    }

    @Test
    void shouldPauseAndResume()
    {
        final int fd = eventDescriptor(true);
        final AtomicInteger told = new AtomicInteger();
        reactor.execute(() -> reactor.register(fd, 0, (events) ->
        {
            told.incrementAndGet();
            reactor.modify(fd, 0);
        }));
        ReactorTesting.awaitSleep(reactor);
        assertEquals(0, told.get());
        reactor.execute(() -> reactor.modify(fd, Epoll.EPOLLIN));
        await("told", () -> 1 == told.get());
        ReactorTesting.awaitSleep(reactor);
        assertEquals(1, told.get());
        end(fd);
    }

    @Test
    void shouldNotTellAListenerThatLeftInTheSameBatch()
    {
        final int[] fds = {eventDescriptor(true), eventDescriptor(true)};
        final AtomicInteger told = new AtomicInteger();
        reactor.execute(() ->
        {
            for (int i = 0; i < 2; i++)
            {
                reactor.register(fds[i], Epoll.EPOLLIN, (events) ->
                {
                    told.incrementAndGet();
                    reactor.deregister(fds[0]);
                    reactor.deregister(fds[1]);
                });
            }
        });
        await("first is told", () -> told.get() > 0);
        ReactorTesting.awaitSleep(reactor);
        assertEquals(1, told.get());
        end(fds[0]);
        end(fds[1]);
    }

    @Test
    void shouldNotTakeAnEventOfAClosedDescriptorForOneOfItsNumber()
    {
        final AtomicInteger reused = new AtomicInteger();
        final AtomicInteger toldWrongly = new AtomicInteger();
        // The number is free for any thread of the process for a moment, so the case is made more than once.
        for (int round = 0; round < 20 && 0 == reused.get(); round++)
        {
            final int first = eventDescriptor(true);
            final int second = eventDescriptor(true);
            final int[] fresh = {-1};
            final ReadinessListener replacing = (events) ->
            {
                reactor.deregister(first);
                reactor.deregister(second);
                Files.close(second);
                fresh[0] = eventDescriptor(false);
                reused.addAndGet(fresh[0] == second ? 1 : 0);
                reactor.register(fresh[0], Epoll.EPOLLIN, (stale) -> toldWrongly.incrementAndGet());
            };
            reactor.call(() ->
            {
                reactor.register(first, Epoll.EPOLLIN, replacing);
                reactor.register(second, Epoll.EPOLLIN, (events) -> {});
                return null;
            }).join();
            await("replaced", () -> reactor.call(() -> fresh[0] >= 0).join());
            end(fresh[0]);
            Files.close(first);
        }
        assertTrue(reused.get() > 0, "no descriptor number came again in 20 rounds");
        assertEquals(0, toldWrongly.get());
    }

    @Test
    void shouldSayWhichDescriptorIsRefused()
    {
        final String message = reactor.call(() -> assertThrows(NativeException.class,
            () -> reactor.register(12_345, Epoll.EPOLLIN, (events) -> {})).getMessage()).join();
        assertTrue(message.contains("12345"), message);
        final String unknown = reactor.call(() -> assertThrows(IllegalStateException.class,
            () -> reactor.modify(7_777, Epoll.EPOLLIN)).getMessage()).join();
        assertTrue(unknown.contains("7777"), unknown);
    }

    @Test
    void shouldTellManyInTurn()
    {
        final int[] fds = new int[600];
        final int[] told = new int[fds.length];
        reactor.call(() ->
        {
            for (int i = 0; i < fds.length; i++)
            {
                final int index = i;
                fds[i] = eventDescriptor(true);
                reactor.register(fds[i], Epoll.EPOLLIN, (events) -> told[index]++);
            }
            return null;
        }).join();
        // More are ready than one batch takes, all the time: none may wait forever.
        await("all are told", () -> reactor.call(() -> java.util.Arrays.stream(told).allMatch((n) -> n >= 3)).join());
        for (final int fd : fds)
        {
            end(fd);
        }
    }

    private void end(final int fd)
    {
        reactor.call(() ->
        {
            reactor.deregister(fd);
            return Files.close(fd);
        }).join();
    }
}
