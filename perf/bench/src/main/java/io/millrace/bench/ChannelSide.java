package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.memory.DmaMemory;

/**
 * Reads or writes of one channel, at random or one after the other, so many outstanding. As a reactor does, it submits
 * what is to be submitted and polls the channel once.
 */
final class ChannelSide extends LoadSide
{
    private final BlockChannel channel;
    private final Runnable idleWork;
    private final Places places;
    private final BlockOperation operation;
    private final int blocks;
    private final int lengthBytes;
    private final DmaMemory payload;
    private final BlockRequest[] requests;
    private final boolean[] isBusy;
    private long ended;

    /**
     * Makes requests.
     *
     * @param name        of the side.
     * @param channel     to submit to.
     * @param idleWork    run when no request ended in a turn.
     * @param places      of requests.
     * @param operation   a read or a write.
     * @param lengthBytes of a request.
     * @param blockBytes  of the device.
     * @param depth       requests outstanding.
     */
    ChannelSide(
        final String name,
        final BlockChannel channel,
        final Runnable idleWork,
        final Places places,
        final BlockOperation operation,
        final int lengthBytes,
        final int blockBytes,
        final int depth)
    {
        super(name);
        this.channel = channel;
        this.idleWork = idleWork;
        this.places = places;
        this.operation = operation;
        this.lengthBytes = lengthBytes;
        blocks = lengthBytes / blockBytes;
        payload = DmaMemory.map((long)depth * lengthBytes);
        requests = new BlockRequest[depth];
        isBusy = new boolean[depth];
        for (int i = 0; i < depth; i++)
        {
            final int index = i;
            requests[i] = new BlockRequest(this, (request) -> onComplete(index, request));
        }
    }

    private void onComplete(final int index, final BlockRequest request)
    {
        if (BlockStatus.SUCCESS != request.status())
        {
            throw new IllegalStateException(request.toString());
        }
        isBusy[index] = false;
        ended++;
    }

    @Override
    void run(final long count)
    {
        long left = count;
        final long end = ended + count;
        while (ended < end)
        {
            final long before = ended;
            for (int i = 0; i < requests.length && left > 0; i++)
            {
                if (!isBusy[i])
                {
                    isBusy[i] = true;
                    requests[i].reset(operation, places.next() * blocks, blocks)
                        .addSegment(payload.address() + (long)i * lengthBytes, lengthBytes);
                    if (!channel.submit(requests[i]))
                    {
                        isBusy[i] = false;
                        break;
                    }
                    left--;
                }
            }
            channel.poll();
            if (before == ended)
            {
                idleWork.run();
            }
        }
    }

    @Override
    public void close()
    {
        payload.close();
    }
}
