/**
 * Messaging over TCP: {@link io.millrace.messaging.tcp.TcpLink} with one stream of frames and others of bulk,
 * {@link io.millrace.messaging.tcp.TcpAcceptor}. One reactor's; nothing is allocated for a message.
 */
package io.millrace.messaging.tcp;
