package io.millrace.block.file;

import java.util.function.BooleanSupplier;

/**
 * When the rings of a {@link ModelFile} are made, execute and complete, and how they signal. All on one thread.
 */
public interface ModelSchedule
{
    /**
     * Runs what the thread of the rings does.
     *
     * @param task to run once, later.
     */
    void makeRing(Runnable task);

    /**
     * Runs a step of an operation.
     *
     * @param step to run once, later.
     */
    void later(Runnable step);

    /**
     * A completion waits to be looked at.
     *
     * @param isSeen whether it has been, any time later.
     */
    void completed(BooleanSupplier isSeen);

    /**
     * {@return a descriptor for signals}
     */
    int eventDescriptor();

    /**
     * Signals.
     *
     * @param fd from {@link #eventDescriptor}.
     */
    void signal(int fd);

    /**
     * Closes a descriptor.
     *
     * @param fd from {@link #eventDescriptor}.
     */
    void close(int fd);
}
