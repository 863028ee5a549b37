package io.millrace.remote;

import io.millrace.nvmf.initiator.HostPollGroups;
import io.millrace.reactor.Reactor;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A remote device for a simulation, which waits for nothing.
 */
public final class SimulatedRemote
{
    private final RemoteDevice device;
    private final List<CompletableFuture<Void>> attempts;

    public SimulatedRemote(final RemoteDeviceConfig config, final HostPollGroups groups, final Reactor reactor)
    {
        device = RemoteDevice.of(config, groups, List.of(reactor));
        attempts = device.begin();
    }

    /**
     * {@return whether every path has answered}
     */
    public boolean isAnswered()
    {
        return attempts.stream().allMatch(CompletableFuture::isDone);
    }

    /**
     * {@return the device, whose paths have answered; null when none leads to the namespace}
     */
    public RemoteDevice finish()
    {
        device.finish(attempts);
        return device;
    }

    public CompletableFuture<Void> disconnect()
    {
        return device.disconnect();
    }
}
