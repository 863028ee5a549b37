package io.millrace.block.file;

/**
 * Makes the rings of a file device: those of the kernel, or in tests a model of them. Any thread.
 */
interface RingOpener
{
    /**
     * Makes a ring, which is used once it is {@link Ring#enable enabled}.
     *
     * @param entryCount of the submission queue; may be rounded up to a power of two.
     * @param isPolled   completions are polled from the device.
     * @return the ring.
     * @throws io.millrace.bindings.NativeException when the kernel refuses this process a ring or memory.
     */
    Ring open(int entryCount, boolean isPolled);
}
