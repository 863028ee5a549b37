/**
 * JMH benchmarks of the parts of the I/O path: PDUs, digests, slots, buffers, timers, rings, native calls. Each class
 * says what its numbers tell. JMH's own threads live here; a bench of a ring starts a reactor beside them.
 */
package io.millrace.bench;
