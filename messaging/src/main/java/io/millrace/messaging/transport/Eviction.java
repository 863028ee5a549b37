package io.millrace.messaging.transport;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Who gives way to another peer when there are as many as there may be: no address keeps others out by having many.
 */
public final class Eviction
{
    private Eviction()
    {
    }

    /**
     * {@return what has waited longest of the address that has most, with one more of another peer}
     *
     * @param waiting   one at least, the longest first.
     * @param addressOf gives the address of each.
     * @param another   address of the peer that comes.
     * @param <T>       of them.
     */
    public static <T> T choose(
        final List<T> waiting, final Function<T, InetAddress> addressOf, final InetAddress another)
    {
        final Map<InetAddress, Integer> counts = new HashMap<>();
        counts.put(another, 1);
        waiting.forEach((each) -> counts.merge(addressOf.apply(each), 1, Integer::sum));
        T chosen = waiting.getFirst();
        for (final T each : waiting)
        {
            if (counts.get(addressOf.apply(each)) > counts.get(addressOf.apply(chosen)))
            {
                chosen = each;
            }
        }
        return chosen;
    }
}
