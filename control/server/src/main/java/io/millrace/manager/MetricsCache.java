package io.millrace.manager;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Resource;
import io.millrace.manager.metrics.PlaneRecords;
import io.millrace.manager.plane.ManagedPlane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * Caches records of all data planes for metrics. {@link #get()} blocks and may be called by any thread but the
 * manager's; data planes are queried at most once a second. All else is confined to the manager's thread.
 */
final class MetricsCache implements Supplier<List<PlaneRecords>>
{
    private static final long AGE_MAX_NS = TimeUnit.SECONDS.toNanos(1);
    /** For data planes to answer. */
    private static final long ANSWER_MAX_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long WAIT_MAX_MS = 5_000;
    /** Kinds of the manager alone, and kinds without metrics, such as single connections. */
    private static final Set<Kind> OTHER_KINDS =
        EnumSet.of(
            Kind.VERSION, Kind.AUDIT, Kind.MANAGED, Kind.QUEUE_PAIR, Kind.LEADERSHIP, Kind.DRIFT);

    private record Collected(long timeNs, List<PlaneRecords> records)
    {
    }

    /** A collection in progress: data planes that have answered, in any order. */
    private static final class Round
    {
        private final long startNs;
        private final CompletableFuture<List<PlaneRecords>> future;
        private final Map<String, PlaneRecords> records = new LinkedHashMap<>();

        Round(final long startNs, final CompletableFuture<List<PlaneRecords>> future)
        {
            this.startNs = startNs;
            this.future = future;
        }
    }

    private final List<ManagedPlane> planes;
    private final NanoClock clock;
    private final AtomicReference<CompletableFuture<List<PlaneRecords>>> wanted = new AtomicReference<>();
    private volatile Collected last;
    private Round underWay;
    /** Data planes with unanswered queries of a former round. */
    private final Set<String> unanswered = new HashSet<>();

    MetricsCache(final Collection<ManagedPlane> planes, final NanoClock clock)
    {
        this.planes = List.copyOf(planes);
        this.clock = clock;
    }

    /** Records collected within the last second, or now; empty if the manager does not answer. */
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
            // Stale records would look current.
        }
        return List.of();
    }

    /** Starts a collection on demand. */
    void poll()
    {
        if (null == underWay)
        {
            final CompletableFuture<List<PlaneRecords>> future = wanted.get();
            if (null != future)
            {
                begin(new Round(clock.nanoTime(), future));
            }
        }
        else if (clock.nanoTime() - underWay.startNs >= ANSWER_MAX_NS)
        {
            end(underWay);
        }
    }

    private void begin(final Round round)
    {
        underWay = round;
        for (final ManagedPlane plane : planes)
        {
            if (!unanswered.add(plane.name()))
            {
                onCollected(round, new PlaneRecords(plane.name(), false, List.of(plane.info())));
                continue;
            }
            collect(plane, (collected) ->
            {
                unanswered.remove(plane.name());
                onCollected(round, collected);
            });
        }
    }

    private void onCollected(final Round round, final PlaneRecords collected)
    {
        round.records.put(collected.name(), collected);
        if (planes.size() == round.records.size() && underWay == round)
        {
            end(round);
        }
    }

    /** Data planes without an answer count as disconnected. */
    private void end(final Round round)
    {
        final List<PlaneRecords> records = new ArrayList<>();
        for (final ManagedPlane plane : planes)
        {
            final PlaneRecords answered = round.records.get(plane.name());
            records.add(null == answered ? new PlaneRecords(plane.name(), false, List.of(plane.info())) : answered);
        }
        last = new Collected(clock.nanoTime(), List.copyOf(records));
        wanted.set(null);
        underWay = null;
        round.future.complete(last.records());
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
            // Kinds unknown to an older data plane are skipped.
            isWhole[0] &= Code.NULL_VAL != call.code();
            if (0 == --open[0])
            {
                resources.add(plane.info());
                then.accept(new PlaneRecords(plane.name(), isWhole[0], resources));
            }
        };
        kinds.forEach((kind) -> plane.listNow(kind).onDone(onDone));
    }
}
