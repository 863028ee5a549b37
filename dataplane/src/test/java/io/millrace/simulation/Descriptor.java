package io.millrace.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * What a number stands for in the simulated kernel.
 */
abstract class Descriptor
{
    private final List<EpollSet.Watch> watches = new ArrayList<>(1);
    private int process;

    /**
     * {@return {@code EPOLL*} bits of what is ready}
     */
    abstract int ready();

    /**
     * {@return the process that has it}
     */
    int process()
    {
        return process;
    }

    void process(final int owner)
    {
        process = owner;
    }

    List<EpollSet.Watch> watches()
    {
        return watches;
    }

    /** Sets that watch it look again. */
    void changed()
    {
        for (int i = 0; i < watches.size(); i++)
        {
            watches.get(i).renew();
        }
    }

    /** It is closed: no set watches it any more. */
    void leaveSets()
    {
        watches.forEach(EpollSet.Watch::leave);
        watches.clear();
    }
}
