package io.millrace.memory;

/**
 * Where memory is.
 */
public enum MemoryKind
{
    /** In the machine's main memory: its CPUs read and write it. */
    HOST,
    /** In a device, such as a GPU: only that device, and those that reach it by DMA, read and write it. */
    DEVICE
}
