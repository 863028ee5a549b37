package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvmf.initiator.HostPollGroups;
import io.millrace.spdk.SpdkRuntime;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What a {@link DeviceFactory} makes a device from, of its data plane. What the device asks of the data plane later is
 * {@link io.millrace.block.DeviceServices}. Immutable.
 *
 * @param memory    that payload lies in.
 * @param bases     devices below it, in the order of {@link DeviceFactory#bases}, without those that are missing where
 *                  that is {@linkplain DeviceFactory#toleratesMissingBases tolerated}; their owner closes them.
 * @param unused    devices of the data plane that nothing uses and the device does not name; it may be made of some of
 *                  them, too. Asked while the device is opened.
 * @param spares    of these, those that stand by for all arrays, which they may have a slot of already.
 * @param files     where files may lie, and which devices had.
 * @param hosts     poll groups of the initiator, one for each reactor that connects to other targets.
 * @param spdk      SPDK of the process, which it starts when it does not run yet; throws
 *                  {@link io.millrace.spdk.SpdkException} when it cannot be used.
 * @param onWarning notified of what an operator should know, one sentence; any thread.
 */
public record DeviceDependencies(
    MemoryRegistry memory,
    List<BlockDevice> bases,
    Supplier<List<BlockDevice>> unused,
    Supplier<List<BlockDevice>> spares,
    FileAccess files,
    HostPollGroups hosts,
    Supplier<SpdkRuntime> spdk,
    Consumer<String> onWarning)
{
    /**
     * Copies the list.
     */
    public DeviceDependencies
    {
        bases = List.copyOf(bases);
    }
}
