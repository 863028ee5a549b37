package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProperties;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.device.DeviceDependencies;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.dataplane.snapshot.ListenerSnapshot;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Lists while an operation waits for a device: the thread of the control service makes them, and sessions live by it.
 */
class ListsDuringOperationsTest
{
    private static final long LIMIT_S = 20;
    /** One each: the common pool may have one thread in all. */
    private static final Executor THREADS = (task) -> Thread.ofPlatform().daemon(true).start(task);

    private final OperationsFixture fixture = new OperationsFixture();
    private final DataPlane dataPlane = fixture.dataPlane;
    private final SlowFactory slow = new SlowFactory(new CountDownLatch(1), new CountDownLatch(1));
    private TransportAddress address;
    private CompletableFuture<Void> creating;

    /** Opens a device when it may. */
    private record SlowFactory(CountDownLatch isOpening, CountDownLatch mayOpen) implements DeviceFactory
    {
        @Override
        public String type()
        {
            return "slow";
        }

        @Override
        public BlockDevice open(
            final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
        {
            isOpening.countDown();
            try
            {
                if (!mayOpen.await(2 * LIMIT_S, TimeUnit.SECONDS))
                {
                    throw new IllegalStateException("nobody lets it open");
                }
            }
            catch (final InterruptedException e)
            {
                throw new IllegalStateException(e);
            }
            return new OwnWorkDevice(name);
        }
    }

    @BeforeEach
    void create() throws InterruptedException
    {
        address = fixture.serveVolume();
        creating = CompletableFuture.runAsync(
            () -> dataPlane.devices().create(DeviceConfig.of("slow0", "slow", Map.of()), slow), THREADS);
        slow.isOpening.await();
    }

    @AfterEach
    void close()
    {
        slow.mayOpen.countDown();
        creating.join();
        fixture.close();
    }

    /** On another thread, since it may wait for ever. */
    private static <T> T now(final Supplier<T> list)
    {
        try
        {
            return CompletableFuture.supplyAsync(list, THREADS).get(LIMIT_S, TimeUnit.SECONDS);
        }
        catch (final TimeoutException e)
        {
            throw new AssertionError("it waits for the operation", e);
        }
        catch (final Exception e)
        {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldListDevices()
    {
        assertEquals(List.of("mem0"), now(() -> dataPlane.devices().list()).stream()
            .map(DeviceSnapshot::name).toList());
        assertEquals("mem0", now(() -> dataPlane.devices().get("mem0")).name());
        assertEquals(List.of(), now(() -> dataPlane.arrays().list()));
        assertEquals("", now(() -> dataPlane.arrays().note("mem0")));
        assertFalse(creating.isDone());
    }

    @Test
    void shouldListAllElse()
    {
        assertEquals(List.of(address), now(() -> dataPlane.listeners().list()).stream()
            .map(ListenerSnapshot::address).toList());
        assertEquals(1, now(() -> dataPlane.subsystems().list()).size());
        assertEquals(1, now(() -> dataPlane.namespaces().list(null)).size());
        assertEquals(0, now(() -> dataPlane.hosts().list(null)).size());
        assertEquals(0, now(() -> dataPlane.qos().list(null)).size());
        assertEquals(0, now(() -> dataPlane.connections().list(null)).size());
        assertEquals(0, now(() -> dataPlane.controllers().list(null)).size());
        assertEquals(1, now(() -> dataPlane.anaStates().list(null)).size());
        assertEquals(2, now(() -> dataPlane.reactorSnapshots()).size());
        now(() -> dataPlane.snapshot());
        now(() -> dataPlane.notes());
        assertFalse(creating.isDone());
    }
}
