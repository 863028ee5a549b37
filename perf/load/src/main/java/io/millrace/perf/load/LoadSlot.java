package io.millrace.perf.load;

import io.millrace.nvmf.initiator.HostCompletionListener;
import io.millrace.nvmf.initiator.HostRequest;

/**
 * One command of a worker, with its buffer. One worker's.
 */
final class LoadSlot implements HostCompletionListener
{
    final HostRequest request = new HostRequest(this, this);
    final long address;
    private final LoadWorker worker;
    long cell;
    boolean writes;
    boolean outstanding;
    int generation;
    long plannedNs;

    LoadSlot(final LoadWorker worker, final long address)
    {
        this.worker = worker;
        this.address = address;
    }

    @Override
    public void onComplete(final HostRequest completed)
    {
        worker.onComplete(this);
    }
}
