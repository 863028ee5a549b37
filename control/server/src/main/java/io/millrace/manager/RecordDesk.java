package io.millrace.manager;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Resource;
import io.millrace.manager.metrics.PlaneRecords;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.concurrent.NanoClock;

/**
 * Collects records of all data planes for those who want to look at everything, such as metrics. {@link #get()} may be
 * asked by any thread but the manager's, and waits; data planes are asked at most once a second. All else is the
 * manager's thread.
 */
final class RecordDesk implements Supplier<List<PlaneRecords>>
{
    private static final long AGE_MAX_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long WAIT_MAX_MS = 5_000;
    /** What only a manager has, and what is no metric: each connection for itself. */
    private static final Set<Kind> OTHER_KINDS =
        EnumSet.of(Kind.VERSION, Kind.AUDIT, Kind.MANAGED, Kind.QUEUE_PAIR);

    private record Collected(long timeNs, List<PlaneRecords> records)
    {
    }

    private final Collection<ManagedPlane> planes;
    private final NanoClock clock;
    private final AtomicReference<CompletableFuture<List<PlaneRecords>>> wanted = new AtomicReference<>();
    private volatile Collected last;
    private CompletableFuture<List<PlaneRecords>> underWay;

    RecordDesk(final Collection<ManagedPlane> planes, final NanoClock clock)
    {
        this.planes = planes;
        this.clock = clock;
    }

    /** What was collected within the last second, or is now; when that takes long, what was collected last. */
    @Override
    public List<PlaneRecords> get()
    {
        final Collected before = last;
        if (null != before && clock.nanoTime() - before.timeNs() < AGE_MAX_NS)
        {
            return before.records();
        }
        final CompletableFuture<List<PlaneRecords>> future = wanted.updateAndGet(
            (current) -> null == current ? new CompletableFuture<>() : current);
        try
        {
            return future.get(WAIT_MAX_MS, TimeUnit.MILLISECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        catch (final ExecutionException | TimeoutException _)
        {
            // Better old than none.
        }
        return null == before ? List.of() : before.records();
    }

    /** Collects when somebody asks. */
    void poll()
    {
        final CompletableFuture<List<PlaneRecords>> future = wanted.get();
        if (null == future || future == underWay)
        {
            return;
        }
        underWay = future;
        final List<PlaneRecords> records = new ArrayList<>();
        final int[] open = {planes.size()};
        for (final ManagedPlane plane : planes)
        {
            collect(plane, (collected) ->
            {
                records.add(collected);
                if (0 == --open[0])
                {
                    last = new Collected(clock.nanoTime(), List.copyOf(records));
                    wanted.set(null);
                    underWay = null;
                    future.complete(last.records());
                }
            });
        }
    }

    private static void collect(final ManagedPlane plane, final Consumer<PlaneRecords> then)
    {
        final List<Resource> resources = new ArrayList<>();
        if (!plane.isConnected())
        {
            resources.add(plane.info());
            then.accept(new PlaneRecords(plane.name(), false, resources));
            return;
        }
        final List<Kind> kinds = new ArrayList<>();
        for (final Kind kind : Kind.values())
        {
            if (!OTHER_KINDS.contains(kind) && Kind.NULL_VAL != kind && Kind.SBE_UNKNOWN != kind)
            {
                kinds.add(kind);
            }
        }
        final int[] open = {kinds.size()};
        final boolean[] isWhole = {true};
        final Consumer<Call> onDone = (call) ->
        {
            if (Code.OK == call.code())
            {
                resources.addAll(call.resources());
            }
            // What an older data plane does not know is none of it.
            isWhole[0] &= Code.NULL_VAL != call.code();
            if (0 == --open[0])
            {
                resources.add(plane.info());
                then.accept(new PlaneRecords(plane.name(), isWhole[0], resources));
            }
        };
        kinds.forEach((kind) -> plane.look(kind).onDone(onDone));
    }
}
