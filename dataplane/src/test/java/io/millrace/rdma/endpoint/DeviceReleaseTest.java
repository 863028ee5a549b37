package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.InterceptedCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Memory is registered with a device, and freed, on another thread, while the device is removed or the connection
 * manager closed. The model reports what outlives its context or its event channel.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DeviceReleaseTest
{
    private static final int COMPLETIONS_MAX = 1024;
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(30);

    private final RdmaModel model = new RdmaModel();
    private final BlockingQueue<Runnable> setUp = new LinkedBlockingQueue<>();
    /** Thrown by each registration of memory; null for none. */
    private volatile Error registrationFailure;
    /** Whether there are no more set-up threads. */
    private volatile boolean isWithoutThreads;
    private final RdmaMemory memory =
        new RdmaMemory(failing(model.hostCore()), RegionAccess.LOCAL, this::executeLater);
    private final MemoryRegistry registry = new MemoryRegistry();
    private final DmaMemory dma = DmaMemory.map(1 << 20);
    private final Reactor reactor = new Reactor(ReactorConfig.of("host", -1));
    private final RecordingPeer client = new RecordingPeer((_) ->
    {
    });
    private RdmaNode target;
    private InetSocketAddress listening;
    private ConnectionManager manager;

    @BeforeEach
    void start()
    {
        registry.add(dma, MemoryRole.BUFFERS);
        registry.addListener(memory);
        reactor.start();
        manager = newManager();
        target = new RdmaNode("target", model.targetCore());
        listening = target.call(() -> target.manager().listen(
            new InetSocketAddress(model.targetDevice().address(), 0), 8,
            (request) -> request.accept(RdmaEndpointFixture.SIZES, new RecordingPeer((_) ->
            {
            }), new byte[0])));
    }

    @AfterEach
    void stop() throws InterruptedException
    {
        target.close();
        run(manager::close);
        // What was asked for before may be executed at any time.
        for (Runnable task = setUp.poll(); null != task; task = setUp.poll())
        {
            task.run();
        }
        reactor.close();
        registry.removeListener(memory);
        memory.close();
        dma.close();
        model.close();
    }

    private void executeLater(final Runnable task)
    {
        if (isWithoutThreads)
        {
            throw new OutOfMemoryError("unable to create native thread");
        }
        setUp.add(task);
    }

    private RdmaCore failing(final RdmaCore core)
    {
        return InterceptedCore.of(core, (method, _, call) ->
        {
            if (null != registrationFailure && "registerMr".equals(method))
            {
                throw registrationFailure;
            }
            return call.proceed();
        });
    }

    private ConnectionManager newManager()
    {
        final ConnectionManager[] made = new ConnectionManager[1];
        run(() -> made[0] = new ConnectionManager(reactor, memory, COMPLETIONS_MAX));
        return made[0];
    }

    private void run(final Runnable task)
    {
        reactor.call(() ->
        {
            task.run();
            return null;
        }).orTimeout(60, TimeUnit.SECONDS).join();
    }

    private void connect(final RecordingPeer peer)
    {
        run(() -> manager.connect(listening, RdmaEndpointFixture.SIZES, peer, new byte[0], CONNECT_NS));
    }

    private Runnable awaitSetUp() throws InterruptedException
    {
        final Runnable task = setUp.poll(60, TimeUnit.SECONDS);
        assertTrue(null != task, "nothing is asked of the set-up thread");
        return task;
    }

    private void open() throws InterruptedException
    {
        connect(client);
        awaitSetUp().run();
        client.expect("established");
    }

    /** The identifier that keeps the device open is not left behind on an event channel that is gone. */
    @Test
    void shouldCloseWhileARemovedDeviceIsBeingFreed() throws InterruptedException
    {
        open();
        model.hostDevice().remove();
        assertEquals("the RDMA device was removed", client.closed());
        final Runnable release = awaitSetUp();
        run(manager::close);
        release.run();
    }

    @Test
    void shouldCloseWhileADeviceIsBeingOpened() throws InterruptedException
    {
        connect(client);
        final Runnable open = awaitSetUp();
        run(() ->
        {
            model.hostDevice().remove();
            manager.close();
        });
        open.run();
        assertEquals("the connection manager was closed", client.closed());
    }

    /** The device's events come after those of the connections, or never, as when the process ends. */
    @Test
    void shouldCloseBeforeItKnowsThatADeviceWasRemoved() throws InterruptedException
    {
        open();
        run(() ->
        {
            model.hostDevice().remove();
            manager.close();
        });
        assertEquals("the connection manager was closed", client.closed());
    }

    /** It was registered when it was removed, and the connection that wanted it has ended. */
    @Test
    void shouldLetGoOfADeviceThatIsRemovedWhileItIsOpened() throws InterruptedException
    {
        connect(client);
        final Runnable open = awaitSetUp();
        run(() ->
        {
            open.run();
            model.hostDevice().remove();
        });
        client.closed();
        awaitSetUp().run();
        model.hostCore().addDevice(RdmaModel.address(1));
        final RecordingPeer second = new RecordingPeer((_) ->
        {
        });
        connect(second);
        awaitSetUp().run();
        second.expect("established");
    }

    /** The last manager frees the device; one that needs it then opens it again. */
    @Test
    void shouldOpenADeviceAgainThatAnotherManagerLetsGoOf() throws InterruptedException
    {
        open();
        final ConnectionManager first = manager;
        manager = newManager();
        final RecordingPeer second = new RecordingPeer((_) ->
        {
        });
        run(() ->
        {
            first.close();
            manager.connect(listening, RdmaEndpointFixture.SIZES, second, new byte[0], CONNECT_NS);
        });
        assertEquals("the connection manager was closed", client.closed());
        awaitSetUp().run();
        second.expect("established");
    }

    /** Nothing bounds how long an accepted request waits for its device: it waits for the answer. */
    @Test
    void shouldAnswerWhenOpeningADeviceFailsByAnError() throws InterruptedException
    {
        registrationFailure = new NoClassDefFoundError("a class of the bindings");
        connect(client);
        awaitSetUp().run();
        final String reason = client.closed();
        assertTrue(reason.contains("a class of the bindings"), reason);
        registrationFailure = null;
        connectAgain();
    }

    @Test
    void shouldAnswerWhenThereIsNoThreadThatOpensADevice() throws InterruptedException
    {
        isWithoutThreads = true;
        connect(client);
        final String reason = client.closed();
        assertTrue(reason.contains("unable to create native thread"), reason);
        isWithoutThreads = false;
        connectAgain();
    }

    private void connectAgain() throws InterruptedException
    {
        final RecordingPeer second = new RecordingPeer((_) ->
        {
        });
        connect(second);
        awaitSetUp().run();
        second.expect("established");
    }
}
