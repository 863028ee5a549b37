/**
 * Calls of SPDK, and of the library in {@code native/spdk} that takes SPDK's callbacks.
 */
package io.millrace.bindings.spdk;
