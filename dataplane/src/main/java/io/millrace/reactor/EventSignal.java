package io.millrace.reactor;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import java.lang.foreign.Arena;

/**
 * Adds one to event descriptors, which wakes who waits for them. Stateless; any thread.
 */
final class EventSignal
{
    private static final long ONE = Arena.global().allocate(Long.BYTES, Long.BYTES).address();

    static
    {
        NativeMemory.putLong(ONE, 1);
    }

    private EventSignal()
    {
    }

    /**
     * Signals.
     *
     * @param fd event descriptor, which does not block: a counter that is full is as good as a signal.
     */
    static void send(final int fd)
    {
        Files.write(fd, ONE, Long.BYTES);
    }
}
