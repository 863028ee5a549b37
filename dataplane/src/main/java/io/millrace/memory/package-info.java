/**
 * Memory that devices and the kernel access directly: mapped once at start, handed out in buffers, never copied.
 * <p>
 * {@link io.millrace.memory.DmaMemory} is mapped and freed off the reactors; a {@link io.millrace.memory.BufferPool}
 * belongs to one reactor and is used on its thread alone.
 */
package io.millrace.memory;
