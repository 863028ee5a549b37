/**
 * The target's side of a transport, as a data plane knows it: what listens and accepts, addresses, and what a command's
 * data pointer says (NVM Express Base 2.0, section 4.1.2; NVMe over Fabrics 1.1, section 2.3.1).
 * <p>
 * A transport parses a data pointer once; commands ask it for length and status, the transport for address and key.
 */
package io.millrace.nvmf.transport;
