package io.millrace.cli.control.top;

import io.millrace.cli.control.ControlLink;
import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.LatencyInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.ReactorInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * Counters of a data plane at one moment. Immutable.
 *
 * @param plane       its time is that of the sample.
 * @param reactors    in their order.
 * @param namespaces  in their order.
 * @param controllers of hosts.
 * @param latencies   of what has counted something; empty when an older data plane does not tell.
 * @param counters    of the status file; likewise.
 * @param arrays      with their state; likewise.
 */
record TopSample(
    DataPlaneInfo plane,
    List<ReactorInfo> reactors,
    List<NamespaceInfo> namespaces,
    List<ControllerInfo> controllers,
    List<LatencyInfo> latencies,
    List<CounterInfo> counters,
    List<ArrayInfo> arrays)
{
    private static final Kind[] KINDS = {
        Kind.DATA_PLANE, Kind.REACTOR, Kind.NAMESPACE, Kind.CONTROLLER, Kind.LATENCY, Kind.COUNTER,
        Kind.ARRAY};

    /**
     * Requests a sample.
     *
     * @param link to the data plane.
     * @return calls, which {@link #of} takes when all are done.
     */
    static List<Call> request(final ControlLink link)
    {
        final List<Call> calls = new ArrayList<>(KINDS.length);
        for (final Kind kind : KINDS)
        {
            calls.add(link.client().submit(new Command.List(kind, "")));
        }
        return calls;
    }

    /** The sample of completed calls; throws ControlException if one failed. */
    static TopSample of(final List<Call> calls)
    {
        return new TopSample(
            records(calls.get(0), DataPlaneInfo.class).getFirst(),
            records(calls.get(1), ReactorInfo.class),
            records(calls.get(2), NamespaceInfo.class),
            records(calls.get(3), ControllerInfo.class),
            known(calls.get(4), LatencyInfo.class),
            known(calls.get(5), CounterInfo.class),
            known(calls.get(6), ArrayInfo.class));
    }

    /** None when an older data plane does not know the kind. */
    private static <T> List<T> known(final Call call, final Class<T> type)
    {
        final boolean isUnknown = Code.INVALID == call.code() || Code.UNSUPPORTED == call.code() ||
            Code.MALFORMED == call.code();
        return isUnknown ? List.of() : records(call, type);
    }

    private static <T> List<T> records(final Call call, final Class<T> type)
    {
        return call.orThrow().resources().stream().map(type::cast).toList();
    }

    /** A counter of the whole data plane; 0 if it is not reported. */
    long counter(final String name)
    {
        return counters.stream().filter((each) -> CounterInfo.DATA_PLANE.equals(each.group()) &&
            name.equals(each.counter())).mapToLong(CounterInfo::value).findFirst().orElse(0);
    }

    /** Whether both are of the same run of the process, and this one is later. */
    boolean follows(final TopSample before)
    {
        return plane.dataPlaneId().equals(before.plane.dataPlaneId()) && plane.upNs() > before.plane.upNs();
    }
}
