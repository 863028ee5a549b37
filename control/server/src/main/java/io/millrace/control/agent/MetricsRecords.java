package io.millrace.control.agent;

import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.Resource;
import io.millrace.dataplane.DataPlane;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Records of a data plane with the numbers that metrics are made of, without a manager and without a session. Any
 * thread; reactors are not interrupted.
 */
public final class MetricsRecords implements Supplier<List<Resource>>
{
    private static final List<Kind> KINDS = List.of(Kind.DATA_PLANE, Kind.REACTOR, Kind.NAMESPACE, Kind.CONTROLLER,
        Kind.ERROR, Kind.LATENCY, Kind.COUNTER, Kind.ARRAY);

    private final DataPlane dataPlane;
    private final Lists lists;

    /**
     * Makes one.
     *
     * @param dataPlane that is measured.
     * @param name      of the data plane.
     * @param version   of the program.
     */
    public MetricsRecords(final DataPlane dataPlane, final String name, final String version)
    {
        this.dataPlane = dataPlane;
        // Incarnations are of devices, whose list is not asked for.
        lists = new Lists(dataPlane, name, version, null);
    }

    @Override
    public List<Resource> get()
    {
        final List<Resource> records = new ArrayList<>();
        KINDS.forEach((kind) -> records.addAll(lists.of(new Command.List(kind, "")).resources()));
        dataPlane.devices().list().stream().map(Lists::device).filter((each) -> each.spec().isSharedSpare())
            .forEach(records::add);
        return records;
    }
}
