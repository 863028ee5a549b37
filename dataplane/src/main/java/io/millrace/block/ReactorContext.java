package io.millrace.block;

import io.millrace.memory.BufferPool;
import io.millrace.reactor.Reactor;

/**
 * Resources of a reactor that a channel may use. Created by the opener of the channel, on that reactor, for that
 * channel alone.
 *
 * @param reactor    whose thread the channel is used on; its timers, commands and descriptors are the channel's too.
 * @param buffers    DMA memory of the reactor; null where the opener has none. Buffers that a channel keeps for longer
 *                   than a request are not available for requests.
 * @param quarantine where the channel registers memory that its device may still use after a request has ended.
 */
public record ReactorContext(Reactor reactor, BufferPool buffers, MemoryQuarantine quarantine)
{
    /**
     * {@return a context without buffers and with a quarantine of its own}
     *
     * @param reactor whose thread the channel is used on.
     */
    public static ReactorContext of(final Reactor reactor)
    {
        return new ReactorContext(reactor, null, new MemoryQuarantine());
    }
}
