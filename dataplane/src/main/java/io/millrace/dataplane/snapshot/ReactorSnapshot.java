package io.millrace.dataplane.snapshot;

import io.millrace.memory.BufferPool;
import io.millrace.nvmf.PollGroup;
import io.millrace.reactor.DutyCycle;
import io.millrace.reactor.Reactor;

/**
 * A reactor as it was a moment ago. Immutable; each number is for itself, not all of one moment.
 *
 * @param index          from 0.
 * @param name           of its thread.
 * @param cpu            it is pinned to; -1 for none.
 * @param busyNs         since its start, with work.
 * @param idleNs         since its start, without.
 * @param cycles         since its start.
 * @param longestCycleNs since its start.
 * @param connections    of hosts.
 * @param requests       commands of hosts that it works on, asynchronous event requests included.
 * @param poolBytes      of its buffer pool.
 * @param poolUsedBytes  that are handed out.
 * @param poolWaiting    commands that wait for a buffer.
 * @param poolPeakBytes  the most bytes that were handed out at one time, since its start.
 * @param poolWaits      how often a command had to wait for a buffer, since its start.
 * @param poolQuarantinedBytes that devices may still use though the commands have ended.
 */
public record ReactorSnapshot(
    int index,
    String name,
    int cpu,
    long busyNs,
    long idleNs,
    long cycles,
    long longestCycleNs,
    int connections,
    int requests,
    long poolBytes,
    long poolUsedBytes,
    int poolWaiting,
    long poolPeakBytes,
    long poolWaits,
    long poolQuarantinedBytes)
{
    /**
     * Reads what a reactor counts. Any thread.
     *
     * @param index of the reactor.
     * @param group of the reactor.
     * @return its figures now.
     */
    public static ReactorSnapshot of(final int index, final PollGroup group)
    {
        final Reactor reactor = group.reactor();
        final DutyCycle duty = reactor.dutyCycle();
        final BufferPool pool = group.buffers();
        return new ReactorSnapshot(index, reactor.config().name(), reactor.config().cpu(), duty.busyNs(),
            duty.idleNs(), duty.cycles(), duty.longestCycleNs(), group.queuePairs(), group.requestsInUse(),
            pool.lengthBytes(), pool.usedBytes(), pool.waiting(), pool.highWaterBytes(), pool.waitCount(),
            group.quarantinedBytes());
    }
}
