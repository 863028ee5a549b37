package io.millrace.control.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The file with the keys: read at the start, and again when it is another or has changed, which is looked for once a
 * second. One that cannot be used leaves the keys as they were, and is reported once. Belongs to the service's thread.
 */
final class KeyFile
{
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final Path file;
    private final Consumer<String> onError;
    private KeyRing keys;
    private String identity;
    private long dueNs;

    /**
     * @param file    null: no keys are known.
     * @param onError told when the file cannot be used any more, and when it can again.
     * @throws ServiceSettingException when the file cannot be used.
     */
    KeyFile(final Path file, final Consumer<String> onError, final long nowNs)
    {
        this.file = file;
        this.onError = onError;
        identity = identity();
        keys = null == file ? KeyRing.EMPTY : KeyRing.read(file);
        dueNs = nowNs + INTERVAL_NS;
    }

    KeyRing keys()
    {
        return keys;
    }

    /** Reads the file again if need be; answers whether there are other keys now. */
    boolean poll(final long nowNs)
    {
        if (null == file || nowNs - dueNs < 0)
        {
            return false;
        }
        dueNs = nowNs + INTERVAL_NS;
        final String now = identity();
        if (now.equals(identity))
        {
            return false;
        }
        identity = now;
        try
        {
            keys = KeyRing.read(file);
            onError.accept("control: the keys of " + file + " were read again");
            return true;
        }
        catch (final ServiceSettingException e)
        {
            onError.accept("control: the keys stay as they were: " + e.getMessage());
            return false;
        }
    }

    /** Changes when the file is replaced or written to, or its mode is changed. */
    private String identity()
    {
        try
        {
            return null == file ? "" : Files.readAttributes(file, "unix:ino,ctime,size").toString();
        }
        catch (final IOException | UnsupportedOperationException e)
        {
            return e.getClass().getName();
        }
    }
}
