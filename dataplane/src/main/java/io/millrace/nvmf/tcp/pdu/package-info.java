/**
 * What both sides of an NVMe/TCP connection share: flyweights of the PDUs, their types, the status of a termination
 * request, and the digest (NVMe over TCP Transport Specification 1.0). Stateless but for the flyweights' buffers.
 */
package io.millrace.nvmf.tcp.pdu;
