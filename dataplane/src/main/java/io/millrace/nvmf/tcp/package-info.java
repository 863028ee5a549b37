/**
 * NVMe/TCP, the target's side (NVMe over TCP Transport Specification 1.0), and the PDU flyweights that both sides use.
 * <p>
 * A connection carries one queue pair and belongs to one reactor for life; everything of it is touched on that
 * reactor's thread alone. Listening sockets live on the first reactor, which hands every accepted socket to the reactor
 * that has the fewest. Flyweights are stateless and belong to the code that wraps them.
 */
package io.millrace.nvmf.tcp;
