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
 * @param name        as configured.
 * @param version     of the program.
 */
public record DataPlaneInfo(
    UUID dataPlaneId,
    State state,
    long upNs,
    long memoryBytes,
    int controllers,
    long processId,
    String name,
    String version)
    implements Resource
{
    /**
     * Refuses null.
     */
    public DataPlaneInfo
    {
        Objects.requireNonNull(dataPlaneId, "dataPlaneId");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(version, "version");
    }
}
