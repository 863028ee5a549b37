/**
 * Counters and measurements of a data plane, in one mapped file that other processes read without locks, also when its
 * writer is dead.
 * <p>
 * {@link io.millrace.status.StatusFile} makes the file and gives a {@link io.millrace.status.StatusPart} to each
 * reactor, which alone writes there: counters and latency histograms with plain stores, nothing else per I/O.
 * {@link io.millrace.status.StatusReader} takes a {@link io.millrace.status.StatusSnapshot} of a file; the numbers are
 * not of one moment. The format is in {@link io.millrace.status.StatusLayout}.
 */
package io.millrace.status;
