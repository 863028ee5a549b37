package io.millrace.simulation;

import io.millrace.nvme.NvmeStatus;
import java.util.HashSet;
import java.util.Set;

/**
 * Errors that hosts may get for their requests. An error that nothing in a run causes is a defect.
 */
final class Answers
{
    private final Set<Integer> expected = new HashSet<>(Set.of(
        NvmeStatus.SUCCESS, NvmeStatus.COMPARE_FAILURE, NvmeStatus.ABORT_REQUESTED, NvmeStatus.ABORTED_SQ_DELETION,
        NvmeStatus.HOST_PATHING_ERROR, NvmeStatus.ABORTED_BY_HOST));

    /** Hosts may get an error from now on. */
    void expect(final int... codes)
    {
        for (final int code : codes)
        {
            expected.add(code);
        }
    }

    /** {@return whether something has gone wrong of which a status may come} */
    boolean isExpected(final int status)
    {
        return expected.contains(NvmeStatus.code(status));
    }
}
