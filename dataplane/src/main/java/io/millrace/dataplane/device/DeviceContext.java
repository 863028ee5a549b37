package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.memory.DmaMemory;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a device may use of its data plane. Immutable.
 *
 * @param memory    that most payload lies in.
 * @param bases     devices below it, in the order of {@link DeviceFactory#bases}; their owner closes them.
 * @param files     where files may lie, and which devices had.
 * @param onWarning notified of what an operator should know, one sentence; any thread.
 */
public record DeviceContext(
    List<DmaMemory> memory, List<BlockDevice> bases, FileAccess files, Consumer<String> onWarning)
{
    /**
     * Copies the lists.
     */
    public DeviceContext
    {
        memory = List.copyOf(memory);
        bases = List.copyOf(bases);
    }
}
