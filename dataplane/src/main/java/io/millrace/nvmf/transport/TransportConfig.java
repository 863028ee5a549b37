package io.millrace.nvmf.transport;

/**
 * Settings of one transport, for all of its listeners. Implementations are immutable and check themselves when they are
 * made, so that nothing is half-started.
 */
public interface TransportConfig
{
    /**
     * {@return the transport that these settings are for}
     */
    TransportAddress.Type type();
}
