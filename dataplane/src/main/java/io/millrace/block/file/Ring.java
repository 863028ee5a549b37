package io.millrace.block.file;

/**
 * The rings of io_uring as a channel uses them: submission entries are filled with {@link #nextEntry()} and handed over
 * together by {@link #enter()}; completions are read from memory. {@link UringRing} is the kernel's. Made by a {@link
 * RingOpener} on any thread; enabled, used and closed by one.
 */
interface Ring extends AutoCloseable
{
    /**
     * Begins to use the ring. On the thread that will enter it, and alone may do so from now on.
     *
     * @throws io.millrace.bindings.NativeException when the kernel refuses.
     */
    void enable();

    /**
     * {@return whether completions are polled from the device}
     */
    boolean isPolled();

    /**
     * {@return descriptor that is signalled when completions come while {@link #arm() armed}; -1 when there is none}
     */
    int eventFd();

    /**
     * Registers a resource.
     *
     * @param operation       {@code IORING_REGISTER_*}.
     * @param argumentAddress of its argument.
     * @param count           of items.
     * @return 0 or negated errno.
     */
    int register(int operation, long argumentAddress, int count);

    /**
     * Takes the next submission entry. The caller never has more of them outstanding than the ring has.
     *
     * @return its address, to be filled before {@link #enter()}.
     */
    long nextEntry();

    /**
     * {@return entries that the kernel has not taken yet}
     */
    int unsubmitted();

    /**
     * Hands over new entries, and leaves completions where they are.
     */
    void submit();

    /**
     * Hands over new entries and has the kernel post completions that it holds back; makes no call when there is
     * neither.
     */
    void enter();

    /**
     * {@return address of the oldest completion, 0 when there is none}
     */
    long completion();

    /**
     * Gives the oldest completion's entry back to the kernel.
     */
    void consume();

    /**
     * Switches signals on before the reactor sleeps.
     *
     * @return false when completions are there already, or when the ring cannot signal: then it must be polled on.
     */
    boolean arm();

    /**
     * {@return whether signals are on}
     */
    boolean isArmed();

    /**
     * Switches signals off.
     */
    void disarm();

    /**
     * Frees the ring. Outstanding I/O ends by itself.
     */
    @Override
    void close();
}
