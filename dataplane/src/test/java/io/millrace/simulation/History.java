package io.millrace.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What hosts have written, read and flushed, and its check. Each block is a register whose writes have values of their
 * own, so what is linearizable is decided by intervals (Gibbons and Korach, "Testing shared memories", 1997): all
 * operations of one value are adjacent in any order that explains the reads. A value whose first operation to end does
 * so before its last one begins holds the register for all of that time. Two such times must not overlap, and no other
 * value fits into one.
 * <p>
 * Each loss of power begins a new epoch, with one former value of each block: any that no durable write replaced for
 * certain.
 */
final class History
{
    /** All operations of one value of one block in one epoch. */
    private static final class Cluster
    {
        private final long value;
        private final Operation write;
        private long firstEnd = Operation.NEVER;
        private long lastBegin = Long.MIN_VALUE;
        private boolean isRead;

        private Cluster(final long value, final Operation write)
        {
            this.value = value;
            this.write = write;
        }

        private void add(final long begin, final long end)
        {
            firstEnd = Math.min(firstEnd, end);
            lastBegin = Math.max(lastBegin, begin);
        }

        private boolean holds()
        {
            return firstEnd < lastBegin;
        }

        @Override
        public String toString()
        {
            return "value " + value + " (first end " + firstEnd + ", last begin " + lastBegin + ", written by " +
                (null == write ? "nobody" : write) + ')';
        }
    }

    private final List<Operation> operations = new ArrayList<>();
    /** When power was lost, ascending. */
    private final List<Long> losses = new ArrayList<>();
    /** When the file failed to make something stable. */
    private final List<Long> lostSyncs = new ArrayList<>();
    private boolean isFalsified;

    void add(final Operation operation)
    {
        operations.add(operation);
    }

    void powerLost(final long moment)
    {
        losses.add(moment);
    }

    void syncLost(final long moment)
    {
        lostSyncs.add(moment);
    }

    /** The last look that is checked has found something else. */
    void falsify()
    {
        isFalsified = true;
    }

    int size()
    {
        return operations.size();
    }

    /**
     * Checks all of it.
     *
     * @param blocks how many there are.
     * @throws AssertionError with the block and the operations that no order explains.
     */
    void check(final int blocks)
    {
        if (isFalsified)
        {
            operations.reversed().stream().filter(Operation::hasSeen).findFirst().orElseThrow().values[0] = -1;
        }
        for (int block = 0; block < blocks; block++)
        {
            final List<Operation> ofBlock = new ArrayList<>();
            for (final Operation each : operations)
            {
                if (each.covers(block))
                {
                    ofBlock.add(each);
                }
            }
            try
            {
                check(block, ofBlock);
            }
            catch (final AssertionError e)
            {
                final StringBuilder text = new StringBuilder(e.getMessage());
                for (final Operation each : ofBlock)
                {
                    text.append("\n    ").append(each);
                    if (null != each.values)
                    {
                        text.append(" is ").append(each.seen(block));
                    }
                }
                throw new AssertionError(text.toString(), e);
            }
        }
    }

    private void check(final int block, final List<Operation> ofBlock)
    {
        final Map<Long, Operation> writes = new HashMap<>();
        for (final Operation each : ofBlock)
        {
            if (each.changesData())
            {
                writes.put(each.changedTo(block), each);
            }
        }
        List<Cluster> former = List.of(new Cluster(Workload.INITIAL, null));
        long from = Long.MIN_VALUE;
        for (int epoch = 0; epoch <= losses.size(); epoch++)
        {
            final long to = epoch < losses.size() ? losses.get(epoch) : Operation.NEVER;
            final List<Cluster> clusters = clusters(block, ofBlock, writes, from, to);
            checkFormer(block, clusters, former, from);
            checkOrder(block, clusters);
            checkMismatches(ofBlock, clusters, from, to);
            former = survivors(block, ofBlock, clusters, former, from, to);
            from = to;
        }
    }

    private static List<Cluster> clusters(
        final int block,
        final List<Operation> ofBlock,
        final Map<Long, Operation> writes,
        final long from,
        final long to)
    {
        final Map<Long, Cluster> clusters = new HashMap<>();
        final List<Cluster> ordered = new ArrayList<>();
        for (final Operation each : ofBlock)
        {
            if (each.changesData() && each.begin < to && each.end > from)
            {
                final long value = each.changedTo(block);
                final Cluster cluster = new Cluster(value, each);
                // One that spans a loss may have been executed on either side, or before and lost.
                final boolean isCertain = each.hasChanged() && each.begin > from && each.end < to;
                cluster.add(each.begin > from ? each.begin : from, each.end < to ? each.end : to);
                cluster.isRead = isCertain;
                clusters.put(value, cluster);
                ordered.add(cluster);
            }
        }
        for (final Operation each : ofBlock)
        {
            if (!each.hasSeen() || each.begin < from || each.end > to)
            {
                continue;
            }
            final long value = each.seen(block);
            Cluster cluster = clusters.get(value);
            if (null == cluster)
            {
                final Operation write = writes.get(value);
                if (Workload.INITIAL != value && (null == write || write.begin > each.end))
                {
                    throw new AssertionError("block " + block + ": " + each + " found " + Long.toHexString(value) +
                        ", which nobody had written there");
                }
                cluster = new Cluster(value, write);
                // A value of a former epoch is there from the beginning of this one.
                cluster.add(from, from);
                clusters.put(value, cluster);
                ordered.add(cluster);
            }
            if (null != cluster.write && cluster.write.begin > each.end)
            {
                throw new AssertionError("block " + block + ": " + each + " found what was written later: " + cluster);
            }
            cluster.add(each.begin, each.end);
            cluster.isRead = true;
        }
        ordered.removeIf((cluster) -> !cluster.isRead);
        return ordered;
    }

    private static void checkFormer(
        final int block, final List<Cluster> clusters, final List<Cluster> former, final long from)
    {
        Cluster inherited = null;
        for (final Cluster cluster : clusters)
        {
            if (null != cluster.write && cluster.write.end > from)
            {
                continue;
            }
            if (null != inherited)
            {
                throw new AssertionError("block " + block + " had two values after the loss of power at " + from +
                    ": " + inherited + " and " + cluster);
            }
            inherited = cluster;
            if (former.stream().noneMatch((each) -> each.value == cluster.value))
            {
                throw new AssertionError("block " + block + " has " + cluster + " after the loss of power at " + from +
                    ", and may only have one of " + former);
            }
        }
    }

    private static void checkOrder(final int block, final List<Cluster> clusters)
    {
        for (final Cluster one : clusters)
        {
            for (final Cluster other : clusters)
            {
                if (one != other && one.holds() && one.firstEnd < other.lastBegin && other.firstEnd < one.lastBegin)
                {
                    throw new AssertionError("block " + block + ": no order explains " + one + " and " + other);
                }
            }
        }
    }

    /** What a block was all the time a comparison cannot have missed. */
    private static void checkMismatches(
        final List<Operation> ofBlock, final List<Cluster> clusters, final long from, final long to)
    {
        for (final Operation each : ofBlock)
        {
            if (!each.isMismatch || 1 != each.blocks || each.begin < from || each.end > to)
            {
                continue;
            }
            for (final Cluster cluster : clusters)
            {
                if (cluster.value == each.seen(each.block) && cluster.firstEnd < each.begin &&
                    cluster.lastBegin > each.end)
                {
                    throw new AssertionError(each + " does not find " + cluster);
                }
            }
        }
    }

    /** {@return values that a block may have after a loss of power} */
    private List<Cluster> survivors(
        final int block,
        final List<Operation> ofBlock,
        final List<Cluster> clusters, final List<Cluster> former,
        final long from,
        final long to)
    {
        final List<Cluster> candidates = new ArrayList<>(clusters);
        for (final Cluster each : former)
        {
            if (clusters.stream().noneMatch((cluster) -> cluster.value == each.value))
            {
                final Cluster before = new Cluster(each.value, each.write);
                before.add(from, from);
                candidates.add(before);
            }
        }
        // Writes that nobody has read and that did not succeed may have been executed all the same.
        for (final Operation each : ofBlock)
        {
            if (each.changesData() && !(each.hasChanged() && each.end < to) && each.begin < to)
            {
                final long value = each.changedTo(block);
                if (candidates.stream().noneMatch((cluster) -> cluster.value == value))
                {
                    final Cluster cluster = new Cluster(value, each);
                    cluster.add(each.begin, each.end);
                    candidates.add(cluster);
                }
            }
        }
        final List<Cluster> survivors = new ArrayList<>();
        for (final Cluster candidate : candidates)
        {
            boolean isReplaced = false;
            for (final Cluster durable : clusters)
            {
                isReplaced |= durable != candidate && isDurable(durable, from, to) &&
                    candidate.firstEnd < durable.lastBegin;
            }
            if (!isReplaced)
            {
                survivors.add(candidate);
            }
        }
        return survivors;
    }

    private boolean isDurable(final Cluster cluster, final long from, final long to)
    {
        final Operation write = cluster.write;
        if (null == write || !write.hasChanged() || write.end > to || write.begin < from)
        {
            return false;
        }
        if (write.isDurable)
        {
            return true;
        }
        for (final Operation each : operations)
        {
            if (Operation.Kind.FLUSH == each.kind && each.isSuccess && each.begin > write.end && each.end < to &&
                !hasLostSync(write.begin, each.end))
            {
                return true;
            }
        }
        return false;
    }

    /** {@return whether the file failed to sync between two moments, which is answered once} */
    private boolean hasLostSync(final long from, final long to)
    {
        // Not a stream: it is asked of each write and each flush after it.
        for (int i = 0; i < lostSyncs.size(); i++)
        {
            if (lostSyncs.get(i) > from && lostSyncs.get(i) < to)
            {
                return true;
            }
        }
        return false;
    }
}
