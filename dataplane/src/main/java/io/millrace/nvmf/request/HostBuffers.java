package io.millrace.nvmf.request;

import io.millrace.memory.BufferGroup;

/**
 * Buffers of one reactor that all connections of a host hold, on any subsystem. Connections of one address count as one
 * host, since a host may use any name. Single-threaded.
 */
final class HostBuffers
{
    private final String host;
    private final BufferGroup pool = new BufferGroup();
    private final BufferGroup capsules = new BufferGroup();
    private final BufferGroup reserve = new BufferGroup();
    private int references;

    HostBuffers(final String host)
    {
        this.host = host;
    }

    String host()
    {
        return host;
    }

    /**
     * {@return what its I/O queues hold}
     */
    BufferGroup pool()
    {
        return pool;
    }

    /**
     * {@return of data that came in capsules of I/O queues}
     */
    BufferGroup capsules()
    {
        return capsules;
    }

    /**
     * {@return what its admin queues hold}
     */
    BufferGroup reserve()
    {
        return reserve;
    }

    void retain()
    {
        references++;
    }

    /**
     * A connection is gone.
     *
     * @return whether it was the last.
     */
    boolean release()
    {
        references--;
        return 0 == references;
    }
}
