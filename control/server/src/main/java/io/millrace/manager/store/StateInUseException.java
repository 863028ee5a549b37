package io.millrace.manager.store;

import io.millrace.lock.LockHolder;
import java.io.Serial;
import java.nio.file.Path;

/**
 * Another process uses a directory with state.
 */
public final class StateInUseException extends StoreException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private final String holder;

    /**
     * Made where the lock was found.
     *
     * @param directory that is locked.
     */
    public StateInUseException(final Path directory)
    {
        this(directory, LockHolder.pid(directory.resolve(AppliedStateFile.LOCK)) > 0 ?
            ", " + LockHolder.describe(directory.resolve(AppliedStateFile.LOCK)) : "");
    }

    private StateInUseException(final Path directory, final String holder)
    {
        super(directory + ": in use by another data plane" + holder + "; stop that one, or give this one a " +
            "directory of its own with state.directory");
        this.holder = holder;
    }

    /**
     * {@return the process that uses the directory, such as {@code , process 4711 (java) of alice}, to end a clause
     * with; empty where the file system does not tell}
     */
    public String holder()
    {
        return holder;
    }
}
