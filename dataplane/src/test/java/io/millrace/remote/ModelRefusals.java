package io.millrace.remote;

import io.millrace.nvme.NvmeStatus;

/** How often a {@link ModelTarget} refuses commands of a kind, and with what. Any thread. */
final class ModelRefusals
{
    private int status;
    private int left;

    /** Refuses the next commands, so many of them. */
    synchronized void set(final int newStatus, final int times)
    {
        status = newStatus;
        left = times;
    }

    /** {@return status of the next command; success when it is not refused} */
    synchronized int take()
    {
        if (0 == left)
        {
            return NvmeStatus.SUCCESS;
        }
        left--;
        return status;
    }

    /** {@return how many are to be refused still} */
    synchronized int left()
    {
        return left;
    }
}
