/**
 * What messaging needs of a transport, {@link io.millrace.messaging.transport.MessageLink}, and the nouns that its
 * users share with transports: memory, access, status. One reactor's, where a class does not say otherwise.
 */
package io.millrace.messaging.transport;
