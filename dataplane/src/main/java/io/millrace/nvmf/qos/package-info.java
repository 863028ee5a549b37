/**
 * Limits of namespaces and hosts: what they are, and the token buckets that all reactors draw from. A reactor takes
 * tokens by the quantum, so that what is shared is touched rarely.
 */
package io.millrace.nvmf.qos;
