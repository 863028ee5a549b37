package io.millrace.rdma.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.Errno;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.RdmaModel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Asynchronous events about queues that another reactor destroys. */
class DeviceEventsTest extends RdmaEndpointFixture
{
    private final RdmaModel model = new RdmaModel();
    private final RdmaCore core = watched(model.targetCore());
    private volatile boolean isHoldingEvents;
    private volatile boolean isHoldingAcknowledgement;
    private final CountDownLatch taken = new CountDownLatch(1);
    private final CountDownLatch destroyed = new CountDownLatch(1);
    private RdmaNode other;
    private RecordingPeer otherServer;

    private RdmaCore watched(final RdmaCore of)
    {
        return (RdmaCore)Proxy.newProxyInstance(
            RdmaCore.class.getClassLoader(), new Class<?>[]{RdmaCore.class}, (_, method, arguments) ->
            {
                if (isHoldingEvents && "asyncEvent".equals(method.getName()))
                {
                    return -Errno.EAGAIN;
                }
                if (isHoldingAcknowledgement && "acknowledgeAsyncEvent".equals(method.getName()))
                {
                    isHoldingAcknowledgement = false;
                    taken.countDown();
                    // Not reached where nobody destroys meanwhile.
                    destroyed.await(500, TimeUnit.MILLISECONDS);
                }
                try
                {
                    return method.invoke(of, arguments);
                }
                catch (final InvocationTargetException e)
                {
                    throw e.getCause();
                }
                finally
                {
                    if ("destroyQueuePair".equals(method.getName()))
                    {
                        destroyed.countDown();
                    }
                }
            });
    }

    @Override
    protected RdmaCore hostCore()
    {
        return model.hostCore();
    }

    @Override
    protected RdmaCore targetCore()
    {
        return core;
    }

    @Override
    protected InetSocketAddress targetAddress()
    {
        return new InetSocketAddress(model.targetDevice().address(), 0);
    }

    /** Both reactors of the target's process have a connection by its device. */
    private void openBoth() throws InterruptedException
    {
        open();
        final RecordingPeer first = server;
        other = new RdmaNode("other", core);
        onServerQueuePair = (_) ->
        {
        };
        final InetSocketAddress address = other.call(() -> other.manager().listen(targetAddress(), 8, acceptor()));
        final RecordingPeer peer = new RecordingPeer((_) ->
        {
        });
        host.call(() -> host.manager().connect(address, SIZES, peer, "hello".getBytes(US_ASCII), 30_000_000_000L));
        peer.expect("established");
        otherServer = accepted.poll(60, TimeUnit.SECONDS);
        otherServer.expect("established");
        server = first;
    }

    private void destroyFirst()
    {
        server.connection().close("destroyed by the test");
        server.connection().finish();
    }

    @Override
    @AfterEach
    void stop()
    {
        other.close();
        super.stop();
        assertEquals(List.of(), model.network().violations());
        assertEquals(0, model.hostCore().resources() + model.targetCore().resources());
        model.close();
    }

    @Test
    void shouldNotDestroyAQueueWhileAnotherReactorTakesAnEvent() throws Exception
    {
        openBoth();
        isHoldingAcknowledgement = true;
        final CountDownLatch blocked = new CountDownLatch(1);
        final CompletableFuture<Void> end = target.reactor().call(() ->
        {
            // Until then it would take the event itself.
            blocked.countDown();
            taken.await();
            destroyFirst();
            return null;
        });
        blocked.await();
        model.targetDevice().failQueuePairs();
        end.get(60, TimeUnit.SECONDS);
        assertEquals("destroyed by the test", server.closed());
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
        while (ConnectionState.ESTABLISHED == other.call(() -> otherServer.connection().state()))
        {
            Thread.onSpinWait();
        }
        model.targetDevice().endHardware();
        assertEquals("destroyed by the test", server.closed());
        otherServer.closed();
    }
}
