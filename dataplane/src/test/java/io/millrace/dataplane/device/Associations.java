package io.millrace.dataplane.device;

import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.initiator.Waits;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the controllers that hosts have at a target, those that they end at once too.
 */
final class Associations implements TargetListener
{
    private final AtomicInteger count = new AtomicInteger();

    @Override
    public void onConnected(
        final String hostNqn, final String remote, final String subsystemNqn, final int controllerId)
    {
        count.incrementAndGet();
    }

    /** Until a host has tried again, twice. */
    void awaitTwoMore()
    {
        final int before = count.get();
        Waits.until("it is tried again", () -> count.get() >= before + 2);
    }
}
