package io.millrace.control.agent;

import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.Resource;
import io.millrace.rdma.endpoint.DeviceCounters;
import io.millrace.status.BufferHolderStatus;
import io.millrace.status.DataPlaneCounters;
import io.millrace.status.RdmaDeviceStatus;
import io.millrace.status.ReactorCounters;
import io.millrace.status.ReactorStatus;
import io.millrace.status.StatusSnapshot;
import java.util.ArrayList;
import java.util.List;

/**
 * Maps all values of the status file to records, so that new values are reported without further code. Stateless.
 */
final class Counters
{
    private Counters()
    {
    }

    static List<Resource> of(final StatusSnapshot snapshot)
    {
        final List<Resource> counters = new ArrayList<>();
        for (final DataPlaneCounters.Value value : DataPlaneCounters.Value.values())
        {
            counters.add(new CounterInfo(CounterInfo.DATA_PLANE, "", "", value.name(), snapshot.dataPlane(value)));
        }
        for (final ReactorStatus reactor : snapshot.reactors())
        {
            for (final ReactorCounters.Value value : ReactorCounters.Value.values())
            {
                counters.add(new CounterInfo(
                    CounterInfo.REACTOR, reactor.name(), "", value.name(), reactor.value(value)));
            }
        }
        for (final BufferHolderStatus holder : snapshot.bufferHolders())
        {
            final String reactor = name(snapshot, holder.reactor());
            counters.add(holder(holder, reactor, CounterInfo.HELD_BYTES, holder.heldBytes()));
            counters.add(holder(holder, reactor, CounterInfo.WAITING, holder.waiting()));
            counters.add(holder(holder, reactor, CounterInfo.LONGEST_HOLD_NS, holder.longestHoldNs()));
        }
        for (final RdmaDeviceStatus device : snapshot.rdmaDevices())
        {
            for (final DeviceCounters.Value value : DeviceCounters.Value.values())
            {
                counters.add(new CounterInfo(
                    CounterInfo.RDMA_DEVICE, "", device.name(), value.name(), device.value(value)));
            }
            for (final DeviceCounters.Timed timed : DeviceCounters.Timed.values())
            {
                counters.addAll(latencies(device, timed));
            }
        }
        return counters;
    }

    /** {@return the buckets that are not empty} */
    private static List<Resource> latencies(final RdmaDeviceStatus device, final DeviceCounters.Timed timed)
    {
        final List<Long> buckets = device.latencies(timed).buckets();
        final List<Resource> counters = new ArrayList<>();
        for (int i = 0; i < buckets.size(); i++)
        {
            if (0 != buckets.get(i))
            {
                counters.add(new CounterInfo(
                    CounterInfo.RDMA_DEVICE, "", device.name(), timed.bucketName(i), buckets.get(i)));
            }
        }
        return counters;
    }

    private static Resource holder(
        final BufferHolderStatus holder, final String reactor, final String counter, final long value)
    {
        return new CounterInfo(holder.kind(), reactor, holder.name(), counter, value);
    }

    private static String name(final StatusSnapshot snapshot, final int index)
    {
        return snapshot.reactors().stream().filter((each) -> index == each.index()).map(ReactorStatus::name)
            .findFirst().orElse(Integer.toString(index));
    }
}
