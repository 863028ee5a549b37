package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BackgroundWork;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceProgress;
import io.millrace.block.DeviceProperties;
import io.millrace.block.DeviceStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.fault.FaultPlan;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.device.DeviceDependencies;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.dataplane.snapshot.DeviceState;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What devices report of themselves, and the work that they do on their own. */
class DeviceStatusTest
{
    private final OperationsFixture fixture = new OperationsFixture();
    private final Devices devices = fixture.dataPlane.devices();
    private final OwnWorkDevice device = new OwnWorkDevice("own0");

    @AfterEach
    void close()
    {
        fixture.close();
    }

    private void create()
    {
        devices.create(DeviceConfig.of("own0", "own", Map.of()), new OwnFactory(device));
    }

    private record OwnFactory(OwnWorkDevice device) implements DeviceFactory
    {
        @Override
        public String type()
        {
            return "own";
        }

        @Override
        public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies context)
        {
            return device;
        }
    }

    private List<String> changes(final String name)
    {
        return fixture.events.stream().filter((event) -> ResourceKind.DEVICE == event.kind() &&
            ResourceChange.CHANGED == event.change() && name.equals(event.name())).map(DataPlaneEvent::text).toList();
    }

    @Test
    void shouldPublishHealthOfADeviceAndOfThoseMadeOfIt()
    {
        create();
        devices.create(DeviceConfig.fault("bad0", "own0", FaultPlan.NONE));
        devices.create(DeviceConfig.fault("bad1", "bad0", FaultPlan.NONE));
        assertEquals(List.of("bad0"), devices.get("bad1").members());
        assertEquals(List.of(), devices.get("own0").members());
        assertEquals(DeviceState.IN_USE, devices.get("bad0").state());
        assertEquals(DeviceState.AVAILABLE, devices.get("bad1").state());
        assertEquals(DeviceHealth.ONLINE, devices.get("bad1").health());
        device.report(new DeviceStatus(DeviceHealth.DEGRADED, "a member is gone"));
        final List<String> degraded = List.of("is DEGRADED: a member is gone");
        until("events of all three", () -> degraded.equals(changes("own0")) && degraded.equals(changes("bad0")) &&
            degraded.equals(changes("bad1")));
        assertEquals(DeviceHealth.DEGRADED, devices.get("bad1").health());
        device.report(DeviceStatus.ONLINE);
        until("it is online again", () -> "is ONLINE again".equals(changes("bad1").getLast()));
        assertEquals(List.of("is DEGRADED: a member is gone", "is ONLINE again"), changes("own0"));
    }

    @Test
    void shouldPublishWhereAnOperationBeginsAndEndsAndShowItsProgress()
    {
        create();
        assertNull(devices.get("own0").progress());
        for (int perMille = 0; perMille <= 1000; perMille += 100)
        {
            device.report(new DeviceStatus(DeviceHealth.DEGRADED, "", new DeviceProgress("rebuild", perMille)));
            assertEquals(perMille, devices.get("own0").progress().perMille());
            until("the beginning", () -> !changes("own0").isEmpty());
        }
        device.report(DeviceStatus.ONLINE);
        until("the end", () -> changes("own0").contains("rebuild has ended"));
        assertEquals(List.of("is DEGRADED", "rebuild has begun", "is ONLINE again", "rebuild has ended"),
            changes("own0"));
    }

    @Test
    void shouldPublishWhatChangedBeforeItWasAdded()
    {
        device.status = new DeviceStatus(DeviceHealth.FAILED, "nobody answers");
        create();
        until("an event", () -> List.of("is FAILED: nobody answers").equals(changes("own0")));
    }

    /** Reads a device from its beginning to its end, a block a poll, through a channel of its own. */
    private static final class Scrub implements BackgroundWork, OpenListener
    {
        private final OwnWorkDevice device;
        private final BlockRequest request = new BlockRequest(this, Scrub::onComplete);
        private final AtomicInteger reads = new AtomicInteger();
        private final boolean isEndless;
        private Reactor reactor;
        private BlockChannel channel;
        private long bufferBytes;
        private long lba;
        private boolean isStopping;
        private volatile boolean isDone;
        private ReactorContext context;

        Scrub(final OwnWorkDevice device, final boolean isEndless)
        {
            this.device = device;
            this.isEndless = isEndless;
        }

        @Override
        public void start(final ReactorContext newContext)
        {
            context = newContext;
            reactor = context.reactor();
            bufferBytes = context.buffers().lengthBytes();
            device.open(context, this);
        }

        @Override
        public void onOpened(final BlockChannel opened)
        {
            channel = opened;
        }

        @Override
        public void onOpenFailed(final BlockDeviceException reason)
        {
            throw reason;
        }

        private static void onComplete(final BlockRequest request)
        {
            final Scrub scrub = (Scrub)request.owner();
            assertEquals(BlockStatus.SUCCESS, request.status());
            scrub.reads.incrementAndGet();
            scrub.lba++;
        }

        @Override
        public int poll()
        {
            assertTrue(reactor.isOnThread());
            if (isStopping || lba == device.geometry().blockCount())
            {
                if (isEndless && !isStopping)
                {
                    lba = 0;
                    return 1;
                }
                channel.close((closed) -> isDone = true);
                return 1;
            }
            channel.submit(request.reset(BlockOperation.VERIFY, lba, 1));
            return 1;
        }

        @Override
        public boolean canSleep()
        {
            return false;
        }

        @Override
        public void stop()
        {
            assertTrue(reactor.isOnThread());
            isStopping = true;
        }

        @Override
        public boolean isDone()
        {
            return isDone;
        }
    }

    @Test
    void shouldDoWorkOfItsOwnToTheEnd()
    {
        create();
        final Scrub scrub = new Scrub(device, false);
        assertTrue(device.services.run(scrub));
        until("the scrub is done", () -> scrub.isDone);
        assertEquals(256, scrub.reads.get());
        assertTrue(scrub.bufferBytes > 0);
        devices.delete("own0");
        assertFalse(device.services.run(new Scrub(device, false)));
    }

    @Test
    void shouldSpreadWorkOverReactorsAndEndItBeforeTheDeviceIsClosed()
    {
        create();
        final List<Scrub> scrubs = new ArrayList<>();
        for (int i = 0; i < 4; i++)
        {
            scrubs.add(new Scrub(device, true));
            assertTrue(device.services.run(scrubs.getLast()));
        }
        until("all read", () -> scrubs.stream().allMatch((scrub) -> scrub.reads.get() > 300));
        for (final Reactor reactor : fixture.dataPlane.reactors())
        {
            assertEquals(2, scrubs.stream().filter((scrub) -> reactor == scrub.reactor).count());
        }
        assertFalse(device.isClosed);
        devices.delete("own0");
        assertTrue(device.isClosed);
        assertTrue(scrubs.stream().allMatch((scrub) -> scrub.isDone));
    }

    /** Ends when it is allowed to. */
    private static final class SlowToEnd implements BackgroundWork
    {
        private volatile boolean isAsked;
        private volatile boolean mayEnd;

        @Override
        public void start(final ReactorContext context)
        {
            // Only its end takes time.
        }

        @Override
        public int poll()
        {
            return 0;
        }

        @Override
        public boolean canSleep()
        {
            return false;
        }

        @Override
        public void stop()
        {
            isAsked = true;
        }

        @Override
        public boolean isDone()
        {
            return isAsked && mayEnd;
        }
    }

    @Test
    void shouldExecuteOtherOperationsWhileTheWorkOfADeletedDeviceEnds()
    {
        create();
        final SlowToEnd work = new SlowToEnd();
        assertTrue(device.services.run(work));
        final CompletableFuture<Void> deletion = CompletableFuture.runAsync(() -> devices.delete("own0"));
        until("it is asked to end", () -> work.isAsked);
        assertEquals(DeviceState.DELETING, devices.get("own0").state());
        devices.create(DeviceConfig.memory("mem0", 1 << 20, 4096));
        devices.delete("mem0");
        for (final Runnable refused : List.<Runnable>of(() -> devices.delete("own0"),
            () -> devices.resize("own0", 2 << 20), () -> devices.modify("own0", DeviceProperties.of(Map.of())),
            () -> devices.create(DeviceConfig.fault("bad0", "own0", FaultPlan.NONE))))
        {
            assertEquals("device own0: is being deleted; wait until it is gone, at most 10 s",
                assertThrows(OperationException.class, refused::run).getMessage());
        }
        assertFalse(deletion.isDone());
        assertFalse(device.isClosed);
        work.mayEnd = true;
        deletion.join();
        assertTrue(device.isClosed);
        assertThrows(OperationException.class, () -> devices.get("own0"));
    }

    @Test
    void shouldBeUsableAgainWhenItCouldNotBeDeleted()
    {
        create();
        device.isMemoryLent = true;
        assertTrue(assertThrows(OperationException.class, () -> devices.delete("own0")).getMessage()
            .contains("waits for memory that it lent"));
        assertEquals(DeviceState.AVAILABLE, devices.get("own0").state());
        device.isMemoryLent = false;
        devices.delete("own0");
        assertTrue(device.isClosed);
    }

    @Test
    void shouldNotDeleteWhatWasClosedWithTheDataPlaneMeanwhile()
    {
        create();
        final SlowToEnd work = new SlowToEnd();
        assertTrue(device.services.run(work));
        final CompletableFuture<Void> deletion = CompletableFuture.runAsync(() -> devices.delete("own0"));
        until("it is asked to end", () -> work.isAsked);
        final CompletableFuture<Void> closing = CompletableFuture.runAsync(fixture.dataPlane::close);
        until("the data plane stops", () -> DataPlaneState.STOPPING == fixture.dataPlane.snapshot().state());
        work.mayEnd = true;
        closing.join();
        assertTrue(device.isClosed);
        final CompletionException refusal = assertThrows(CompletionException.class, deletion::join);
        assertEquals("data plane: is stopping; start another one", refusal.getCause().getMessage());
    }

    @Test
    void shouldEndWorkWithTheDataPlane()
    {
        create();
        final Scrub scrub = new Scrub(device, true);
        device.services.run(scrub);
        until("it reads", () -> scrub.reads.get() > 0);
        fixture.dataPlane.close();
        assertTrue(scrub.isDone);
        assertTrue(device.isClosed);
    }

    /** Cannot begin. */
    private static final class Broken implements BackgroundWork
    {
        private final AtomicInteger calls = new AtomicInteger();
        private volatile boolean hasThrown;

        @Override
        public void start(final ReactorContext context)
        {
            hasThrown = true;
            throw new BlockDeviceException("a member is gone");
        }

        @Override
        public int poll()
        {
            return calls.incrementAndGet();
        }

        @Override
        public boolean canSleep()
        {
            calls.incrementAndGet();
            return false;
        }

        @Override
        public void stop()
        {
            calls.incrementAndGet();
        }

        @Override
        public boolean isDone()
        {
            calls.incrementAndGet();
            return false;
        }
    }

    @Test
    void shouldCallNothingOfWorkThatCouldNotBegin()
    {
        create();
        final Broken broken = new Broken();
        assertTrue(device.services.run(broken));
        until("it has thrown", () -> broken.hasThrown);
        final Scrub next = new Scrub(device, false);
        assertTrue(device.services.run(next));
        until("other work is done", () -> next.isDone);
        devices.delete("own0");
        assertTrue(device.isClosed);
        assertEquals(0, broken.calls.get());
    }

    /** Takes 2 ms a step and notes when. */
    private static final class Slow implements BackgroundWork
    {
        private static final long STEP_NS = 2_000_000;
        private final List<Long> times = new ArrayList<>();
        private volatile boolean isDone;

        @Override
        public void start(final ReactorContext context)
        {
            assertTrue(context.reactor().isOnThread());
        }

        @Override
        public int poll()
        {
            times.add(System.nanoTime());
            while (System.nanoTime() - times.getLast() < STEP_NS)
            {
                Thread.onSpinWait();
            }
            times.add(System.nanoTime());
            isDone = times.size() == 40;
            return 1;
        }

        @Override
        public void stop()
        {
            throw new IllegalStateException("it ends by itself");
        }

        @Override
        public boolean isDone()
        {
            return isDone;
        }
    }

    @Test
    void shouldLeaveHalfOfTheReactorToOthers()
    {
        create();
        final Slow slow = new Slow();
        device.services.run(slow);
        until("twenty steps", () -> slow.isDone);
        for (int i = 2; i < slow.times.size(); i += 2)
        {
            final long stepNs = slow.times.get(i - 1) - slow.times.get(i - 2);
            assertTrue(slow.times.get(i) - slow.times.get(i - 1) >= stepNs, "pause after step " + i / 2);
        }
    }
}
