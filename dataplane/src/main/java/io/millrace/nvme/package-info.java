/**
 * The NVMe specification as flyweights and constants: submission and completion entries, data pointers, log pages,
 * status codes; Identify data are in {@code identify}. Offsets are the specification's own, with section numbers of NVM
 * Express Base 2.0 and the NVM Command Set 1.0. No state, no thread; a flyweight belongs to the code that wraps it.
 */
package io.millrace.nvme;
