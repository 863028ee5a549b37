/**
 * Blocks kept in memory: fast, gone with the process.
 * <p>
 * Every request with payload completes within {@code submit}, on the submitting reactor. Reactors share the memory
 * without blocking locks: {@link io.millrace.block.StripeLocks} answers at once, and a request that meets a
 * writer or a loan is refused, to be tried again in a later cycle.
 */
package io.millrace.block.memory;
