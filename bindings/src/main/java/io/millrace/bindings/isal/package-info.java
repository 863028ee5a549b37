/**
 * Calls of libisal: parity of RAID and erasure codes.
 */
package io.millrace.bindings.isal;
