package io.millrace.dataplane.device;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import java.util.Objects;

/**
 * Where the files of devices may lie, and which files devices had. Immutable.
 *
 * @param bounds  where a path may lie, checked whenever it is opened.
 * @param records of files that devices had: such a file is not made again when it is missing.
 */
public record FileAccess(FileBounds bounds, FileRecords records)
{
    /** Any path; no records. */
    public static final FileAccess UNRESTRICTED = new FileAccess(FileBounds.ANYWHERE, FileRecords.NONE);

    /**
     * Rejects null.
     */
    public FileAccess
    {
        Objects.requireNonNull(bounds, "bounds");
        Objects.requireNonNull(records, "records");
    }
}
