/**
 * Faults of the network between host and target: a proxy flips one bit of one PDU, and the reaction of the receiver is
 * compared with that of the specification.
 */
package io.millrace.nvmf.corruption;
