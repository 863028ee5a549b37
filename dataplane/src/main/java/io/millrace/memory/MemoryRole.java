package io.millrace.memory;

/**
 * What a region of memory is for, by which a {@link MemoryListener} decides how much it needs the region.
 */
public enum MemoryRole
{
    /**
     * Buffers for the payload of requests. Its pages are never given back to the kernel. A device that cannot reach it
     * is of no use, so its listener refuses it.
     */
    BUFFERS,
    /**
     * Messages of a transport: what its peers send, and its answers. Kept and refused as buffers are; no device reads
     * or
     * writes payload there.
     */
    CAPSULES,
    /**
     * Blocks of a device that lends its memory to reads. A device that cannot reach it does without, or has the payload
     * copied.
     */
    LENT
}
