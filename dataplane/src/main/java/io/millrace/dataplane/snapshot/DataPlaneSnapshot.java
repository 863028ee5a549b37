package io.millrace.dataplane.snapshot;

import java.util.UUID;

/**
 * A data plane as it is now. Immutable.
 *
 * @param id          new at each start.
 * @param state       state towards its hosts.
 * @param upNs        since it was started.
 * @param memoryBytes of the arena of I/O buffers.
 * @param controllers that hosts have, those of discovery not counted.
 * @param processId   on its machine.
 * @param dmaBytes    of memory that devices and the kernel reach, of the whole process: the arena, receive buffers,
 *                    memory devices.
 * @param hugeBytes   of them, in hugepages.
 * @param memoryNote  why the arena is not in hugepages and what to do; empty when it is.
 */
public record DataPlaneSnapshot(
    UUID id,
    DataPlaneState state,
    long upNs,
    long memoryBytes,
    int controllers,
    long processId,
    long dmaBytes,
    long hugeBytes,
    String memoryNote)
{
}
