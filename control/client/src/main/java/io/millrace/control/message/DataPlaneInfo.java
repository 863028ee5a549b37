package io.millrace.control.message;

import io.millrace.control.codec.State;
import java.util.Objects;
import java.util.UUID;

/**
 * A data plane.
 *
 * @param dataPlaneId new at each start of the process.
 * @param state       now.
 * @param upNs        since its start.
 * @param memoryBytes of the arena of I/O buffers.
 * @param controllers of hosts.
 * @param processId   on its machine; {@link Resource#UNKNOWN} from an older data plane.
 * @param dmaBytes    of memory that devices and the kernel reach, of the whole process; likewise.
 * @param hugepageBytes of them, in hugepages; likewise.
 * @param name        as configured.
 * @param version     of the program.
 * @param memoryNote  why the arena is not in hugepages, and what to do; empty when it is, and from an older data plane.
 */
public record DataPlaneInfo(
    UUID dataPlaneId,
    State state,
    long upNs,
    long memoryBytes,
    int controllers,
    long processId,
    long dmaBytes,
    long hugepageBytes,
    String name,
    String version,
    String memoryNote)
    implements Resource
{
    /**
     * Rejects null.
     */
    public DataPlaneInfo
    {
        Objects.requireNonNull(dataPlaneId, "dataPlaneId");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(memoryNote, "memoryNote");
    }
}
