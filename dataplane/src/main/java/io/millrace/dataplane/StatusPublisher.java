package io.millrace.dataplane;

import io.millrace.jfr.FlightEvents;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.queue.BufferHolder;
import io.millrace.reactor.DutyCycle;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.status.BufferHolderRecord;
import io.millrace.status.DataPlaneCounters;
import io.millrace.status.ReactorCounters;
import io.millrace.status.StatusPart;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes the counters of a reactor in its part of the status file, ten times a second while it is awake; the first
 * reactor publishes those of the data plane too. A reactor that sleeps writes when it wakes, which it does every
 * second. The flight recorder receives the longest cycle of each interval.
 */
final class StatusPublisher implements Poller
{
    private static final long INTERVAL_NS = 100_000_000L;
    /** Made once: each call of values() makes a copy. */
    private static final DataPlaneCounters.Value[] VALUES = DataPlaneCounters.Value.values();

    private final PollGroup group;
    private final StatusPart part;
    private final ReactorCounters counters;
    private final List<BufferHolderRecord> holderRecords = new ArrayList<>();
    private List<BufferHolder> holders = List.of();
    private long dueNs;
    private Operations operations;
    private DataPlaneCounters dataPlane;
    private Transports transports;

    /**
     * Creates the reactor's record. On the reactor.
     *
     * @param index of the reactor.
     * @param group of the reactor.
     * @param part  of the reactor.
     */
    StatusPublisher(final int index, final PollGroup group, final StatusPart part)
    {
        this.group = group;
        this.part = part;
        final Reactor reactor = group.reactor();
        counters = part.reactor(index, reactor.config().cpu(), reactor.config().name());
        publish(reactor.nowNs());
    }

    /**
     * Publishes the data plane's counters too from now on. On the reactor.
     *
     * @param shared      operations of the data plane.
     * @param memoryBytes of the arena.
     * @param memoryNote  why it is not in hugepages; empty when it is.
     * @param connections transports that count them.
     */
    void include(
        final Operations shared, final long memoryBytes, final String memoryNote, final Transports connections)
    {
        operations = shared;
        transports = connections;
        dataPlane = part.dataPlane(memoryNote);
        dataPlane.put(DataPlaneCounters.Value.MEMORY_BYTES, memoryBytes);
        publishDataPlane();
    }

    @Override
    public int poll()
    {
        final long nowNs = group.reactor().nowNs();
        if (nowNs - dueNs >= 0)
        {
            publish(nowNs);
            if (null != dataPlane)
            {
                publishDataPlane();
                operations.deviceErrors().check(System.currentTimeMillis());
                operations.deviceStatus().check();
            }
        }
        return 0;
    }

    private void publish(final long nowNs)
    {
        dueNs = nowNs + INTERVAL_NS;
        final DutyCycle duty = group.reactor().dutyCycle();
        final BufferPool pool = group.buffers();
        counters.put(ReactorCounters.Value.BUSY_NS, duty.busyNs());
        counters.put(ReactorCounters.Value.IDLE_NS, duty.idleNs());
        counters.put(ReactorCounters.Value.CYCLES, duty.cycles());
        counters.put(ReactorCounters.Value.SLEEPS, duty.sleepCount());
        counters.put(ReactorCounters.Value.LONGEST_CYCLE_NS, duty.longestCycleNs());
        counters.put(ReactorCounters.Value.CONNECTIONS, group.queuePairs());
        counters.put(ReactorCounters.Value.REQUESTS, group.requestsInUse());
        counters.put(ReactorCounters.Value.REQUEST_WAITS, group.requestWaitCount());
        counters.put(ReactorCounters.Value.POOL_BYTES, pool.lengthBytes());
        counters.put(ReactorCounters.Value.POOL_USED_BYTES, pool.usedBytes());
        counters.put(ReactorCounters.Value.POOL_WAITING, pool.waiting());
        counters.put(ReactorCounters.Value.POOL_WAITS, pool.waitCount());
        counters.put(ReactorCounters.Value.POOL_PEAK_BYTES, pool.highWaterBytes());
        counters.put(ReactorCounters.Value.POOL_QUARANTINED_BYTES, group.quarantinedBytes());
        publish(group.bufferHolders());
        part.written(nowNs);
        FlightEvents.longestCycle(group.reactor().config().name(), duty.takeRecentCycle());
    }

    private void publish(final List<BufferHolder> now)
    {
        if (now != holders)
        {
            holders = now;
            holderRecords.forEach(BufferHolderRecord::release);
            holderRecords.clear();
            for (final BufferHolder each : now)
            {
                holderRecords.add(part.bufferHolder(each.kind().ordinal() + 1, each.name(), each.heldBytes(),
                    each.waiting(), each.longestHoldNs()));
            }
        }
    }

    private void publishDataPlane()
    {
        dataPlane.put(DataPlaneCounters.Value.STATE, operations.state().ordinal() + 1);
        for (final DataPlaneCounters.Value value : VALUES)
        {
            if (value.isOfConnections())
            {
                dataPlane.put(value, transports.count(value));
            }
        }
        dataPlane.put(DataPlaneCounters.Value.DMA_BYTES, DmaMemory.mappedBytes());
        dataPlane.put(DataPlaneCounters.Value.DMA_HUGEPAGE_BYTES, DmaMemory.hugepageBytes());
    }
}
