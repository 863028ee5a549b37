package io.millrace.rdma.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Epoll;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.InterceptedCore;
import io.millrace.rdma.model.LinuxDescriptors;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Asynchronous events of a device that two reactors of a process use. */
class DeviceEventsTest extends RdmaEndpointFixture
{
    private static final int BACKLOG = 8;
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(30);

    private final RdmaModel model = new RdmaModel();
    /** Run once each, on the thread that makes the call. */
    private final Map<String, Runnable> beforeCall = new ConcurrentHashMap<>();
    private final Map<String, Runnable> afterCall = new ConcurrentHashMap<>();
    private final AtomicInteger asyncDescriptors = new AtomicInteger();
    private final RdmaCore core = watched(model.targetCore());
    private volatile boolean isHoldingEvents;
    private RdmaNode other;
    private InetSocketAddress otherListening;
    private RecordingPeer otherServer;

    private RdmaCore watched(final RdmaCore of)
    {
        return InterceptedCore.of(of, (method, _, call) ->
        {
            if (isHoldingEvents && "asyncEvent".equals(method))
            {
                return -Errno.EAGAIN;
            }
            if ("asyncDescriptor".equals(method))
            {
                asyncDescriptors.incrementAndGet();
            }
            run(beforeCall.remove(method));
            try
            {
                return call.proceed();
            }
            finally
            {
                run(afterCall.remove(method));
            }
        });
    }

    private static void run(final Runnable hook)
    {
        if (null != hook)
        {
            hook.run();
        }
    }

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    @Override
    RdmaCore targetCore()
    {
        return core;
    }

    /** Both reactors of the target's process listen, and neither has a connection. */
    private void listenOnBoth()
    {
        onServerQueuePair = (_) ->
        {
        };
        other = new RdmaNode("other", core);
        otherListening = other.call(() -> other.manager().listen(targetAddress(), BACKLOG, acceptor()));
    }

    private RecordingPeer begin(final InetSocketAddress address)
    {
        final RecordingPeer peer = new RecordingPeer((_) ->
        {
        });
        host.call(() -> host.manager().connect(address, SIZES, peer, "hello".getBytes(US_ASCII), CONNECT_NS));
        return peer;
    }

    private RecordingPeer establish(final InetSocketAddress address) throws InterruptedException
    {
        begin(address).expect("established");
        final RecordingPeer peer = accepted.poll(60, TimeUnit.SECONDS);
        peer.expect("established");
        return peer;
    }

    /** Both reactors of the target's process have a connection by its device. */
    private void openBoth() throws InterruptedException
    {
        listenOnBoth();
        server = establish(listening);
        otherServer = establish(otherListening);
    }

    private void destroyFirst()
    {
        server.connection().close("destroyed by the test");
        server.connection().finish();
    }

    /** {@return whether a thread waits for a lock of the events of a device} */
    private static boolean isWaitingInEvents(final Thread thread)
    {
        final Thread.State state = thread.getState();
        final StackTraceElement[] stack = thread.getStackTrace();
        for (final StackTraceElement frame : stack)
        {
            if (frame.getClassName().startsWith("java.") || frame.getClassName().startsWith("jdk."))
            {
                continue;
            }
            return DeviceEvents.class.getName().equals(frame.getClassName()) &&
                (Thread.State.WAITING == state || Thread.State.BLOCKED == state);
        }
        return false;
    }

    private static void await(final BooleanSupplier condition)
    {
        while (!condition.getAsBoolean())
        {
            Thread.onSpinWait();
        }
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
    }

    @Override
    @AfterEach
    void stop()
    {
        other.close();
        super.stop();
    }

    @Test
    void shouldNotDestroyAQueueWhileAnotherReactorTakesAnEvent() throws Exception
    {
        openBoth();
        final CountDownLatch blocked = new CountDownLatch(1);
        final CountDownLatch taken = new CountDownLatch(1);
        final CountDownLatch destroyed = new CountDownLatch(1);
        final Thread destroying = target.call(Thread::currentThread);
        beforeCall.put("acknowledgeAsyncEvent", () ->
        {
            taken.countDown();
            await(() -> 0 == destroyed.getCount() || isWaitingInEvents(destroying));
        });
        afterCall.put("destroyQueuePair", destroyed::countDown);
        final CompletableFuture<Void> end = target.reactor().call(() ->
        {
            // Until then it would take the event itself.
            blocked.countDown();
            await(taken);
            destroyFirst();
            return null;
        });
        await(blocked);
        model.targetDevice().failQueuePairs();
        end.get(60, TimeUnit.SECONDS);
        assertEquals("destroyed by the test", server.closed());
    }

    /** It would be taken for one of a queue that was destroyed, and never acknowledged. */
    @Test
    void shouldNotTakeAnEventOfAQueueThatIsBeingMade() throws Exception
    {
        openBoth();
        final CountDownLatch seen = new CountDownLatch(1);
        final LinuxDescriptors descriptors = new LinuxDescriptors();
        final int fd = descriptors.open();
        final AtomicInteger notifications = new AtomicInteger();
        // Ready after the device: by its second notification the other reactor has looked at the device, too.
        other.run(() -> other.reactor().register(fd, Epoll.EPOLLIN, (_) ->
        {
            if (2 == notifications.incrementAndGet())
            {
                seen.countDown();
            }
        }));
        afterCall.put("createQueuePair", () ->
        {
            model.targetDevice().failQueuePairs();
            descriptors.raise(fd);
            await(seen);
        });
        begin(listening);
        await(seen);
        other.run(() -> other.reactor().deregister(fd));
        descriptors.close(fd);
        final String failed = "the device reports that the queue pair has failed: see the kernel's log";
        assertEquals(failed, server.closed());
        assertEquals(failed, otherServer.closed());
    }

    /** The kernel does not discard it, as it does not carry out what destroys any more. */
    @Test
    void shouldPassOverAnEventOfAQueueThatWasDestroyed() throws Exception
    {
        openBoth();
        model.targetCore().allowDisassociatedDestroy();
        isHoldingEvents = true;
        model.targetDevice().failQueuePairs();
        model.targetDevice().disassociate();
        target.run(this::destroyFirst);
        isHoldingEvents = false;
        // What comes after it is about the device.
        await(() -> ConnectionState.ESTABLISHED != other.call(() -> otherServer.connection().state()));
        model.targetDevice().endHardware();
        assertEquals("destroyed by the test", server.closed());
        otherServer.closed();
    }

    /** With a watch each, an event would come to one of them alone. */
    @Test
    void shouldWatchADeviceOnceThatTwoReactorsBeginToUse() throws Exception
    {
        listenOnBoth();
        final Thread first = target.call(Thread::currentThread);
        final Thread second = other.call(Thread::currentThread);
        beforeCall.put("asyncDescriptor", () ->
        {
            final Thread otherThread = first == Thread.currentThread() ? second : first;
            await(() -> 2 == asyncDescriptors.get() || isWaitingInEvents(otherThread));
        });
        final RecordingPeer toFirst = begin(listening);
        final RecordingPeer toSecond = begin(otherListening);
        toFirst.expect("established");
        toSecond.expect("established");
        assertEquals(1, asyncDescriptors.get());
    }
}
