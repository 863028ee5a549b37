package io.millrace.control.agent;

import io.millrace.block.file.FileRecords;
import java.nio.file.Path;

/**
 * What {@link FileRecords} record of a device. Stateless.
 */
final class RecordedPaths
{
    private RecordedPaths()
    {
    }

    /**
     * {@return the path that a device is recorded by; null: it has neither a file nor a logical volume}
     *
     * @param path of its file; empty: none.
     * @param lvol its logical volume; empty: none.
     */
    static Path of(final String path, final String lvol)
    {
        return !path.isEmpty() ? Path.of(path) : lvol.isEmpty() ? null : FileRecords.pathOfLvol(lvol);
    }
}
