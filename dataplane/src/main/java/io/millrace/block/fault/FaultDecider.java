package io.millrace.block.fault;

import io.millrace.block.BlockRequest;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Applies the rules of a plan to each request of one channel. Single-threaded but for the counts, which all channels of
 * the device share.
 */
final class FaultDecider
{
    private final FaultRule[] rules;
    private final long[] matchCounts;
    private final SplittableRandom[] randoms;
    private final SplittableRandom tornRandom;
    private final SplittableRandom lossRandom;
    private final AtomicLongArray faultCounts;
    private long delayNs;
    private int ruleNumber;

    FaultDecider(final FaultPlan plan, final int channelNumber, final AtomicLongArray faultCounts)
    {
        this.faultCounts = faultCounts;
        rules = plan.rules().toArray(new FaultRule[0]);
        matchCounts = new long[rules.length];
        randoms = new SplittableRandom[rules.length];
        final SplittableRandom root = new SplittableRandom(plan.seed() + channelNumber);
        tornRandom = root.split();
        for (int i = 0; i < rules.length; i++)
        {
            // A stream for each rule, so that one rule's draws do not shift another's.
            randoms[i] = root.split();
        }
        lossRandom = root.split();
    }

    /**
     * Decides about the next request.
     *
     * @param request that came.
     * @return the rule to apply besides {@link #delayNs()}, null when there is none.
     */
    FaultRule decide(final BlockRequest request)
    {
        delayNs = 0;
        for (int i = 0; i < rules.length; i++)
        {
            final FaultRule rule = rules[i];
            if (rule.matches(request) && chooses(i, rule))
            {
                if (FaultEffect.DELAY != rule.effect())
                {
                    ruleNumber = i + 1;
                    return rule;
                }
                delayNs += rule.delayNs();
            }
        }
        return null;
    }

    /**
     * {@return number of the rule that was decided for last, from 1 in the order of the plan}
     */
    int ruleNumber()
    {
        return ruleNumber;
    }

    /**
     * {@return how long the request of the last decision is held back first}
     */
    long delayNs()
    {
        return delayNs;
    }

    /**
     * Draws how much of a write is done before it tears.
     *
     * @param blocks of the write.
     * @return blocks to write, fewer than there are.
     */
    int tornBlocks(final int blocks)
    {
        return tornRandom.nextInt(blocks);
    }

    /**
     * {@return what is drawn from which blocks survive a loss of power}
     */
    SplittableRandom lossRandom()
    {
        return lossRandom;
    }

    private boolean chooses(final int index, final FaultRule rule)
    {
        matchCounts[index]++;
        if (0 != matchCounts[index] % rule.every() ||
            rule.probability() < 1 && randoms[index].nextDouble() >= rule.probability())
        {
            return false;
        }
        if (0 == rule.count())
        {
            faultCounts.incrementAndGet(index);
            return true;
        }
        long faults = faultCounts.get(index);
        while (faults < rule.count())
        {
            if (faultCounts.compareAndSet(index, faults, faults + 1))
            {
                return true;
            }
            faults = faultCounts.get(index);
        }
        return false;
    }
}
