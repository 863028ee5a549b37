package io.millrace.nvmf;

import io.millrace.memory.BufferPool;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;

/**
 * One reactor's share of a target: its queue pairs, its channels to the devices, its slots for commands, and the commands that
 * wait for room at a device. Made, used and closed on its reactor's thread.
 */
public final class PollGroup implements Poller, AutoCloseable
{
    private final Reactor reactor;
    private final Target target;
    private final BufferPool buffers;

    /**
     * Adds itself to the reactor's pollers. Called on the reactor's thread.
     *
     * @param reactor that polls it.
     * @param target  what is served.
     * @param buffers of the reactor; polled by whoever made it.
     */
    public PollGroup(final Reactor reactor, final Target target, final BufferPool buffers)
    {
        this.reactor = reactor;
        this.target = target;
        this.buffers = buffers;
    }

    /**
     * {@return the reactor that polls it}
     */
    public Reactor reactor()
    {
        return reactor;
    }

    /**
     * {@return what is served}
     */
    public Target target()
    {
        return target;
    }

    /**
     * {@return buffers of its reactor}
     */
    public BufferPool buffers()
    {
        return buffers;
    }

    /**
     * Makes the queue pair of a new connection.
     *
     * @param transport of the connection.
     * @param local     address that the host came in on.
     * @return a queue pair that waits for its Connect command.
     */
    public QueuePair newQueuePair(final QueuePairTransport transport, final TransportAddress local)
    {
        return new QueuePair(this, transport, local);
    }

    @Override
    public int poll()
    {
        return 0;
    }

    /**
     * Closes the channels to the devices and leaves the reactor. Every connection must have been closed before.
     */
    @Override
    public void close()
    {
    }
}
