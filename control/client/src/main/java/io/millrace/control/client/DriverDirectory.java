package io.millrace.control.client;

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import java.io.File;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;

/**
 * The media driver behind a directory: whether it is there, and whether it is still the same. A driver that was
 * started again has made its file anew, so that a client need not wait for a heartbeat that will not come. Belongs to
 * one thread.
 */
final class DriverDirectory
{
    private final File cncFile;

    DriverDirectory(final String directoryName)
    {
        this.cncFile = CommonContext.newCncFile(directoryName);
    }

    /** Whether a driver has given a sign of life within the time, and its process has not ended. Never waits. */
    boolean isActive(final long timeoutMs)
    {
        if (cncFile.length() < CncFileDescriptor.META_DATA_LENGTH)
        {
            return false;
        }
        MappedByteBuffer mapped = null;
        try
        {
            mapped = IoUtil.mapExistingFile(cncFile, "cnc");
            // Aeron waits for a file that is being made, which nobody does any more when a driver was killed over it.
            return 0 != CncFileDescriptor.createMetaDataBuffer(mapped)
                .getIntVolatile(CncFileDescriptor.cncVersionOffset(0)) &&
                CommonContext.isDriverActive(timeoutMs, DriverDirectory::ignore, mapped) && !process().hasEnded();
        }
        catch (final RuntimeException _)
        {
            // The file is being made or taken away at this moment.
            return false;
        }
        finally
        {
            BufferUtil.free(mapped);
        }
    }

    /** The process that the driver is of, as far as it is known. */
    DriverProcess process()
    {
        return DriverProcess.of(cncFile.toPath().getParent());
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
