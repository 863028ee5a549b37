package io.millrace.dataplane;

import io.millrace.block.BackgroundWork;
import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceServices;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Services of a data plane for one of its devices. Any thread; takes no lock.
 */
final class ManagedServices implements DeviceServices
{
    private final ManagedDevice device;
    private final DeviceStatusReports reports;
    private final BackgroundTasks background;
    private final List<BackgroundTask> tasks = new CopyOnWriteArrayList<>();
    private final Consumer<BlockDevice> onReleased;
    private final Runnable onSpareWanted;
    private volatile boolean isStopping;

    ManagedServices(
        final ManagedDevice device,
        final DeviceStatusReports reports,
        final BackgroundTasks background,
        final Consumer<BlockDevice> onReleased,
        final Runnable onSpareWanted)
    {
        this.onReleased = onReleased;
        this.onSpareWanted = onSpareWanted;
        this.device = device;
        this.reports = reports;
        this.background = background;
    }

    @Override
    public void onStatusChanged()
    {
        reports.onChanged(device);
        if (device.isSharedSpare())
        {
            // One that had failed may work again.
            onSpareWanted.run();
        }
    }

    @Override
    public void onSpareWanted()
    {
        onSpareWanted.run();
    }

    @Override
    public void onEvent(final String sentence, final boolean isFailure)
    {
        reports.onEvent(device, sentence, isFailure);
    }

    @Override
    public void onReleased(final BlockDevice member)
    {
        onReleased.accept(member);
    }

    @Override
    public boolean run(final BackgroundWork work)
    {
        final BackgroundTask task = background.assign(work);
        task.done().thenRun(() -> tasks.remove(task));
        tasks.add(task);
        // Whoever stops the tasks sees this one, or this sees that they are stopped.
        if (isStopping)
        {
            task.stop();
            return false;
        }
        task.begin();
        return true;
    }

    /**
     * Ends the device's background work; none begins any more.
     *
     * @return done when all has ended; completed on a reactor.
     */
    CompletableFuture<Void> stop()
    {
        isStopping = true;
        final List<BackgroundTask> left = List.copyOf(tasks);
        left.forEach(BackgroundTask::stop);
        return CompletableFuture.allOf(left.stream().map(BackgroundTask::done).toArray(CompletableFuture[]::new));
    }
}
