/**
 * Memory that devices and the kernel access directly: mapped once at start, handed out in buffers, never copied.
 * <p>
 * {@link io.millrace.memory.DmaMemory} is mapped and freed off the reactors; a {@link io.millrace.memory.BufferPool}
 * belongs to one reactor and is used on its thread alone. A {@link io.millrace.memory.MemoryRegistry} has all memory
 * that payload may lie in, and notifies each {@link io.millrace.memory.MemoryListener} of it: those who pin it or map
 * it for a device. A {@link io.millrace.memory.MemoryDomain} says who can access an address.
 */
package io.millrace.memory;
