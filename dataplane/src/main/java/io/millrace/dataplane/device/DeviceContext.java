package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvmf.initiator.HostPollGroups;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a device may use of its data plane. Immutable.
 *
 * @param memory    that payload lies in.
 * @param bases     devices below it, in the order of {@link DeviceFactory#bases}; their owner closes them.
 * @param files     where files may lie, and which devices had.
 * @param hosts     poll groups of the initiator, one for each reactor that connects to other targets.
 * @param onWarning notified of what an operator should know, one sentence; any thread.
 */
public record DeviceContext(
    MemoryRegistry memory,
    List<BlockDevice> bases,
    FileAccess files,
    HostPollGroups hosts,
    Consumer<String> onWarning)
{
    /**
     * Copies the list.
     */
    public DeviceContext
    {
        bases = List.copyOf(bases);
    }
}
