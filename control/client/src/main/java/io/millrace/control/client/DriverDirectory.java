package io.millrace.control.client;

import io.aeron.CommonContext;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The media driver behind a directory: whether it is there, and whether it is still the same. A driver that was
 * started again has made its file anew, so that a client need not wait for a heartbeat that will not come. Belongs to
 * one thread.
 */
final class DriverDirectory
{
    private final File cncFile;
    private final File directory;

    DriverDirectory(final String directoryName)
    {
        this.directory = new File(directoryName);
        this.cncFile = CommonContext.newCncFile(directoryName);
    }

    boolean isActive(final long timeoutMs)
    {
        try
        {
            return cncFile.exists() && CommonContext.isDriverActive(directory, timeoutMs, DriverDirectory::ignore);
        }
        catch (final RuntimeException _)
        {
            // The file is being made or taken away at this moment.
            return false;
        }
    }

    /** Changes when the driver is started again; empty when there is none. */
    String identity()
    {
        try
        {
            final BasicFileAttributes attributes = Files.readAttributes(cncFile.toPath(), BasicFileAttributes.class);
            return attributes.fileKey() + " " + attributes.creationTime();
        }
        catch (final IOException _)
        {
            return "";
        }
    }

    private static void ignore(final String message)
    {
    }
}
