package io.millrace.control.service;

import io.millrace.control.setting.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The key file: read at the start, and again when it was replaced or changed, which is checked once a second. An
 * invalid file leaves the keys unchanged and is reported once. Confined to the service's thread.
 */
final class KeyFile
{
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final Path file;
    private final Consumer<String> onNote;
    private final Consumer<String> onError;
    private KeyRing keys;
    private String identity;
    private long dueNs;

    /**
     * @param file    null: no keys are known.
     * @param onNote  notified when the keys were reloaded.
     * @param onError notified when the file becomes invalid; the keys are unchanged then.
     * @throws InvalidSettingException when the file cannot be used.
     */
    KeyFile(final Path file, final Consumer<String> onNote, final Consumer<String> onError, final long nowNs)
    {
        this.file = file;
        this.onNote = onNote;
        this.onError = onError;
        identity = identity();
        keys = null == file ? KeyRing.EMPTY : KeyRing.read(file);
        dueNs = nowNs + INTERVAL_NS;
    }

    KeyRing keys()
    {
        return keys;
    }

    /** Reloads the file if it changed; returns whether the keys changed. */
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
            onNote.accept("control: the keys of " + file + " were reloaded");
            return true;
        }
        catch (final InvalidSettingException e)
        {
            onError.accept("control: the keys are unchanged: " + e.getMessage());
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
