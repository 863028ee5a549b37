/**
 * Parity of RAID arrays and erasure codes: XOR, P and Q, Reed-Solomon, by engines with the same results. Knows neither
 * block devices nor reactors.
 */
package io.millrace.parity;
