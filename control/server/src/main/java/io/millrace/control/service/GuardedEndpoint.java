package io.millrace.control.service;

import io.aeron.driver.DataPacketDispatcher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.ReceiveChannelEndpoint;
import io.aeron.driver.media.UdpChannel;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.RttMeasurementFlyweight;
import io.aeron.protocol.SetupFlyweight;
import java.net.InetSocketAddress;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * A receive endpoint of the media driver that passes on only frames that its {@link ImageGuard} accepts. The driver's
 * thread.
 */
final class GuardedEndpoint extends ReceiveChannelEndpoint
{
    private final ImageGuard guard;
    private final DropReport report;
    private final NanoClock clock;

    GuardedEndpoint(
        final UdpChannel udpChannel,
        final DataPacketDispatcher dispatcher,
        final AtomicCounter statusIndicator,
        final MediaDriver.Context context,
        final ImageGuard guard,
        final DropReport report)
    {
        super(udpChannel, dispatcher, statusIndicator, context);
        this.guard = guard;
        this.report = report;
        clock = context.receiverCachedNanoClock();
    }

    @Override
    public void onSetupMessage(
        final SetupFlyweight header,
        final UnsafeBuffer buffer,
        final int length,
        final InetSocketAddress srcAddress,
        final int transportIndex)
    {
        final long nowNs = clock.nanoTime();
        final boolean isSound = ImageGuard.isValidSetup(header.termLength(), header.termOffset(), header.mtuLength(),
            header.initialTermId(), header.activeTermId());
        final ImageGuard.Verdict verdict = isSound ? guard.onSetup(
            header.streamId(), header.sessionId(), header.termLength(), srcAddress, nowNs) :
                ImageGuard.Verdict.INVALID_SETUP;
        if (ImageGuard.Verdict.ACCEPTED == verdict)
        {
            super.onSetupMessage(header, buffer, length, srcAddress, transportIndex);
        }
        else
        {
            report.onDrop(srcAddress, verdict, nowNs);
        }
    }

    @Override
    public int onDataPacket(
        final DataHeaderFlyweight header,
        final UnsafeBuffer buffer,
        final int length,
        final InetSocketAddress srcAddress,
        final int transportIndex)
    {
        final long nowNs = clock.nanoTime();
        final ImageGuard.Verdict verdict = guard.onFrame(header.streamId(), header.sessionId(),
            DataHeaderFlyweight.isEndOfStream(buffer), srcAddress, nowNs);
        if (ImageGuard.Verdict.ACCEPTED == verdict)
        {
            return super.onDataPacket(header, buffer, length, srcAddress, transportIndex);
        }
        report.onDrop(srcAddress, verdict, nowNs);
        return 0;
    }

    /** Only cubic congestion control measures round trips, which is not used here: nothing is sent back. */
    @Override
    public void onRttMeasurement(
        final RttMeasurementFlyweight header,
        final UnsafeBuffer buffer,
        final int length,
        final InetSocketAddress srcAddress,
        final int transportIndex)
    {
    }
}
