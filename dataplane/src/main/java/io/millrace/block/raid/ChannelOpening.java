package io.millrace.block.raid;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import java.util.List;

/** How a {@link RaidChannel} opens: its buffers, then a channel to each member. The reactor's only. */
final class ChannelOpening
{
    private final RaidDevice device;
    private final RaidChannel channel;
    private final OpenListener listener;
    /** Members whose answer is awaited. */
    private int awaited;

    private ChannelOpening(final RaidDevice device, final RaidChannel channel, final OpenListener listener)
    {
        this.device = device;
        this.channel = channel;
        this.listener = listener;
    }

    /**
     * Opens the channels of all members. A member that cannot be opened has failed; the array tells whether it can do
     * without.
     *
     * @param device   to open.
     * @param context  of the reactor.
     * @param listener notified when each member is open or has failed.
     */
    static void open(final RaidDevice device, final ReactorContext context, final OpenListener listener)
    {
        final int bytesMin = RequestSizes.bytesMin(device, device.slotsMax());
        // With room for requests to one member more, where there is, so that the array can grow.
        final StripeBuffers roomy =
            new StripeBuffers(context.buffers(), RequestSizes.bytesMin(device, device.slotsMax() + 1));
        final StripeBuffers buffers = roomy.exist() ? roomy : new StripeBuffers(context.buffers(), bytesMin);
        if (!buffers.exist())
        {
            listener.onOpenFailed(new BlockDeviceException("array " + device.name() + " needs a buffer of " + bytesMin +
                " bytes on reactor " + context.reactor().config().name() +
                ", which has none free: raise memory.size and restart the data plane"));
            return;
        }
        final RaidChannel channel = new RaidChannel(device, context, buffers);
        device.channels().add(channel);
        try
        {
            // It may have got another slot before this channel was known.
            channel.grow();
        }
        catch (final BlockDeviceException e)
        {
            device.channels().remove(channel);
            buffers.close();
            listener.onOpenFailed(e);
            return;
        }
        new ChannelOpening(device, channel, listener).openMembers();
    }

    private void openMembers()
    {
        final List<RaidMember> present = device.raidMembers();
        awaited = present.size();
        for (final RaidMember member : present)
        {
            channel.members().open(member, (problem) ->
            {
                if (null != problem)
                {
                    device.onMemberFailed(member, "cannot be opened: " + problem.getMessage());
                }
                awaited--;
                if (0 == awaited)
                {
                    listener.onOpened(channel);
                }
            });
        }
    }
}
