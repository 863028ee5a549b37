package io.millrace.nvmf.transport;

import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.request.QueuePairTransport;
import java.util.Map;

/**
 * The target's side of one transport: listens, accepts, and makes a {@link QueuePair} of each connection on one of the
 * reactors it was made for, over a {@link QueuePairTransport} of its own. Any thread but the reactors' may call it; its
 * reactors must be running until it is closed.
 */
public interface Transport extends AutoCloseable
{
    /**
     * {@return the settings it was made with, which name its type}
     */
    TransportConfig config();

    /**
     * Listens on one more address and tells discovery of it. The discovery service answers there as well.
     *
     * @param address of this transport's type; service 0 takes any that is free.
     * @return the address with the service that it got.
     * @throws IllegalStateException in one line with address, reason and remedy, when it cannot be listened on; the
     *     cause is the {@code NativeException} with the {@code errno}, if there is one.
     */
    TransportAddress listen(TransportAddress address);

    /**
     * Listens on one more address, for the discovery service alone.
     *
     * @param address of this transport's type; service 0 takes any that is free.
     * @return the address with the service that it got.
     * @throws IllegalStateException as {@link #listen} does.
     */
    TransportAddress listenForDiscovery(TransportAddress address);

    /**
     * Stops listening on an address and takes it out of discovery. Hosts that have connected there stay; those that
     * wait to be accepted are refused.
     *
     * @param local as {@link #listen} or {@link #listenForDiscovery} answered it.
     * @return false when it does not listen there.
     */
    boolean stopListening(TransportAddress local);

    /**
     * {@return whether hosts reach a listener: it may wait for a device that was removed}
     *
     * @param local as {@link #listen} or {@link #listenForDiscovery} answered it.
     */
    default boolean isListening(final TransportAddress local)
    {
        return true;
    }

    /**
     * {@return connections that are open or being handed to their reactor}
     */
    int connectionCount();

    /**
     * {@return how many connections and Connect commands of each host address were refused because there were too many;
     *     of the addresses that were refused last}
     */
    Map<String, Long> refusedByAddress();

    /**
     * {@return what happened to its connections}
     */
    TransportCounters counters();

    /**
     * Stops listening, closes every connection and frees what the reactors hold for it. Again does nothing.
     */
    @Override
    void close();
}
