package io.millrace.rdma.model;

/**
 * Event descriptors that reactors watch, level-triggered.
 */
public interface ModelDescriptors
{
    /**
     * {@return a new descriptor that is not ready}
     */
    int open();

    /**
     * Makes a descriptor ready.
     *
     * @param fd from {@link #open}.
     */
    void raise(int fd);

    /**
     * Makes a descriptor not ready.
     *
     * @param fd from {@link #open}.
     */
    void lower(int fd);

    /**
     * Closes a descriptor.
     *
     * @param fd from {@link #open}.
     */
    void close(int fd);
}
