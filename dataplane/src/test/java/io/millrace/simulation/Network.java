package io.millrace.simulation;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Delivers what streams have in flight, each when it is due, in the order that chance picks.
 */
final class Network
{
    private final SimulatedKernel kernel;
    private final Draw draw;
    /** Streams with something in flight, or connecting. */
    private final List<Stream> sending = new ArrayList<>();
    private final List<Stream> established = new ArrayList<>();
    private long latencyNs = 10_000;
    private long blockedUntilNs;

    Network(final SimulatedKernel kernel, final Draw draw)
    {
        this.kernel = kernel;
        this.draw = draw;
    }

    void latency(final long mostNs)
    {
        latencyNs = mostNs;
    }

    /** Nothing is delivered before a time. */
    void block(final long untilNs)
    {
        blockedUntilNs = untilNs;
    }

    /**
     * What hosts send to an address by the connections that there are is not delivered before a time.
     *
     * @param isLost whether hosts have lost the connections.
     */
    void hold(final InetAddress address, final long untilNs, final boolean isLost)
    {
        for (final Stream each : established)
        {
            if (address.equals(each.remote.getAddress()) && each.isConnected())
            {
                each.hold(untilNs);
                if (isLost)
                {
                    each.lose();
                }
            }
        }
    }

    /** {@return whether something arrives late} */
    boolean isHeld()
    {
        return sending.stream().anyMatch((each) -> each.heldUntilNs() > kernel.nanoTime());
    }

    void connect(final Stream stream)
    {
        stream.connecting();
        sent(stream);
    }

    /** A stream may have something to deliver. */
    void sent(final Stream stream)
    {
        if (!sending.contains(stream) && stream.isSending())
        {
            stream.dueNs = kernel.nanoTime() + draw.between(100, latencyNs);
            sending.add(stream);
        }
    }

    int count()
    {
        return sending.size();
    }

    boolean isDue(final int index)
    {
        return dueNs(index) <= kernel.nanoTime();
    }

    long dueNs(final int index)
    {
        final Stream stream = sending.get(index);
        return Math.max(blockedUntilNs, Math.max(stream.heldUntilNs(), stream.dueNs));
    }

    int deliver(final int index)
    {
        final Stream stream = sending.get(index);
        sending.remove(index);
        int delivered = 0;
        if (Stream.State.CONNECTING == stream.state())
        {
            kernel.establish(stream);
            if (stream.isConnected())
            {
                established.removeIf((each) -> !each.isConnected());
                established.add(stream);
            }
        }
        else if (stream.isSending())
        {
            delivered = stream.deliver();
        }
        sent(stream);
        return delivered;
    }

    /** {@return any connected stream's client end; null when there is none} */
    Stream any()
    {
        established.removeIf((each) -> !each.isConnected());
        return established.isEmpty() ? null : established.get(draw.below(established.size()));
    }
}
