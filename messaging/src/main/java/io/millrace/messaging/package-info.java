/**
 * Messages and one-sided memory access between Java services, over RDMA or TCP. Begin with
 * {@link io.millrace.messaging.Messaging}.
 * All of it is one reactor's; nothing is allocated for a message.
 */
package io.millrace.messaging;
