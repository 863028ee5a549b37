package io.millrace.control.message;

import java.util.Objects;
import java.util.UUID;

/**
 * A namespace of a data plane, with what hosts did on it since it was added.
 *
 * @param nqn            of the subsystem.
 * @param nsid           its id.
 * @param uuid           as hosts see it.
 * @param sizeBytes      now.
 * @param blockSizeBytes of a block.
 * @param reads          completed.
 * @param readBytes      of them.
 * @param writes         completed.
 * @param writtenBytes   of them.
 * @param others         other commands completed; {@link Resource#UNKNOWN} from an older data plane.
 * @param errors         commands that failed; {@link Resource#UNKNOWN} from an older data plane.
 * @param device         that it shows.
 * @param anaGroup       that it is in; {@link Resource#UNKNOWN} from an older data plane.
 */
public record NamespaceInfo(
    String nqn,
    int nsid,
    UUID uuid,
    long sizeBytes,
    int blockSizeBytes,
    long reads,
    long readBytes,
    long writes,
    long writtenBytes,
    long others,
    long errors,
    String device,
    int anaGroup)
    implements Resource
{
    /**
     * Rejects null.
     */
    public NamespaceInfo
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(uuid, "uuid");
        Objects.requireNonNull(device, "device");
    }
}
