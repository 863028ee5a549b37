package io.millrace.pci;

/**
 * One PCI function owned by this process: registers, DMA mappings, interrupts. Implemented by VFIO, and in tests by a
 * model in memory. Set-up thread only, unless said otherwise.
 */
public interface PciFunction extends AutoCloseable
{
    /**
     * {@return where it is: domain, bus, device and function, such as {@code 0000:01:00.0}; any thread}
     */
    String address();

    /**
     * {@return the registers behind base address register 0; any thread}
     */
    MappedBar bar0();

    /**
     * {@return its DMA mappings}
     */
    DmaMap dma();

    /**
     * Allows or forbids the function to access memory and raise interrupts. Off when a function was just taken.
     *
     * @param enabled whether it may.
     * @throws PciException when its configuration cannot be written.
     */
    void enableBusMaster(boolean enabled);

    /**
     * Resets the function and nothing else. Registers have their initial values then, bus mastering is off, and the
     * function has lost every address that was written to it.
     *
     * @return false where it has no such reset, or the reset failed.
     */
    boolean reset();

    /**
     * An event descriptor that is signalled when the function raises a vector. Non-blocking; stays the function's. Any
     * thread but a busy reactor.
     *
     * @param vector number, from 0.
     * @return the descriptor, or -1 when there is no such vector: the function can be polled only.
     */
    int interruptFd(int vector);

    /**
     * {@return whether the function was removed, or its removal was announced: it has to be closed then, since the
     * kernel waits for that; any thread, at most one short system call, to be asked when a time-out has passed, all
     * ones were read or a timer fires, not for each I/O}
     */
    boolean isGone();

    /**
     * Stops bus mastering, removes every mapping and releases the function. A second call does nothing.
     */
    @Override
    void close();
}
