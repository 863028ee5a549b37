package io.millrace.perf.load;

import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.NamespaceInfo;
import java.util.List;

/**
 * Results of a load.
 *
 * @param config           it was run with.
 * @param controller       it was run against.
 * @param namespace        it was run against.
 * @param queueDepth       commands outstanding on each queue: what was asked for or what the controller allows.
 * @param elapsedNs        measured time.
 * @param read             reads in the measurement.
 * @param write            writes in the measurement.
 * @param total            both.
 * @param errors           commands that failed, in all phases.
 * @param plannedPerSecond rate that was asked for; 0 for full speed.
 * @param verifiedBlocks   blocks that were compared.
 * @param verifyFailures   blocks that were wrong.
 * @param unmarkedBlocks   blocks without the mark of a verified write, in a load that only reads and verifies.
 * @param unfinished       commands that had not completed when the measurement ended, at a fixed rate including those
 *                         whose planned time had passed; their latencies are with the others.
 * @param longestStallNs   longest time that a queue had commands outstanding and none completed.
 * @param reconnects       how often the target was lost and came back.
 * @param failures         why the load failed; empty when it passed.
 */
public record LoadReport(
    LoadConfig config,
    ControllerInfo controller,
    NamespaceInfo namespace,
    int queueDepth,
    long elapsedNs,
    OperationReport read,
    OperationReport write,
    OperationReport total,
    long errors,
    double plannedPerSecond,
    long verifiedBlocks,
    long verifyFailures,
    long unmarkedBlocks,
    long unfinished,
    long longestStallNs,
    int reconnects,
    List<String> failures)
{
    private static final double RATE_SHARE_MISSED_MAX = 0.01;
    private static final double RATE_DELAY_NS_MAX = 100e6;

    /**
     * {@return share of the planned rate that may be missed: a hundredth, or the share of a pause of 100 ms at the end;
     * a pause is visible in the latencies}
     *
     * @param elapsedNs measured time.
     */
    static double rateShareMissedMax(final long elapsedNs)
    {
        return Math.max(RATE_SHARE_MISSED_MAX, RATE_DELAY_NS_MAX / Math.max(1, elapsedNs));
    }

    /**
     * {@return whether no command failed, all blocks were right, and the rate was kept}
     */
    public boolean isPassed()
    {
        return failures.isEmpty();
    }
}
