/**
 * Namespaces of a subsystem: the device that each exports, its size as hosts see it, its limits, and sums
 * of what reactors counted. Immutable or published to all threads.
 */
package io.millrace.nvmf.namespace;
