package io.millrace.cli.control.top;

import io.millrace.console.Quantity;
import io.millrace.console.Table;
import io.millrace.control.message.CounterInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Connections, hosts and devices that hold buffers of reactors while commands wait for buffers. Stateless.
 */
final class BufferHolders
{
    /**
     * A holder on a reactor.
     *
     * @param kind    connection, host or device.
     * @param name    of it.
     * @param reactor name of the reactor.
     * @param values  by counter.
     */
    record Holder(String kind, String name, String reactor, Map<String, Long> values)
    {
        private long value(final String counter)
        {
            return values.getOrDefault(counter, 0L);
        }
    }

    private BufferHolders()
    {
    }

    /** In the order of the data plane: the largest first. */
    static List<Holder> of(final List<CounterInfo> counters)
    {
        final Map<List<String>, Holder> holders = new LinkedHashMap<>();
        counters.stream().filter(CounterInfo::isOfHolder).forEach((each) ->
            holders.computeIfAbsent(List.of(each.group(), each.subject(), each.reactor()), (_) ->
                new Holder(each.group(), each.subject(), each.reactor(), new LinkedHashMap<>()))
            .values().put(each.counter(), each.value()));
        return new ArrayList<>(holders.values());
    }

    static Table table(final List<Holder> holders)
    {
        final Table table = new Table("BUFFERS HELD BY", "NAME", "REACTOR", ">HELD", ">WAITING", ">LONGEST HOLD");
        holders.forEach((each) -> table.row(each.kind(), each.name(), each.reactor(),
            Quantity.bytes(each.value(CounterInfo.HELD_BYTES)), Long.toString(each.value(CounterInfo.WAITING)),
            Quantity.duration(each.value(CounterInfo.LONGEST_HOLD_NS))));
        return table;
    }

    static Map<String, Object> map(final Holder holder)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("kind", holder.kind());
        map.put("name", holder.name());
        map.put("reactor", holder.reactor());
        map.put("held-bytes", holder.value(CounterInfo.HELD_BYTES));
        map.put("waiting", holder.value(CounterInfo.WAITING));
        map.put("longest-hold-ns", holder.value(CounterInfo.LONGEST_HOLD_NS));
        return map;
    }
}
