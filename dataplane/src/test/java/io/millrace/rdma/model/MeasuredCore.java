package io.millrace.rdma.model;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * A model that counts what it allocates itself in functions of the I/O path. The count is of the one thread that calls
 * them.
 */
public final class MeasuredCore extends ModelRdmaCore
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    private long allocatedBytes;

    /**
     * A process without devices.
     *
     * @param network     that its devices are on.
     * @param descriptors by which events are announced.
     */
    public MeasuredCore(final ModelNetwork network, final ModelDescriptors descriptors)
    {
        super(network, descriptors);
    }

    /**
     * {@return what the model has allocated on the calling thread}
     */
    public long allocatedBytes()
    {
        return allocatedBytes;
    }

    private int count(final long beforeBytes, final int result)
    {
        allocatedBytes += THREADS.getCurrentThreadAllocatedBytes() - beforeBytes;
        return result;
    }

    @Override
    public int postSend(final long qpAddress, final long requestAddress, final long badAddress)
    {
        final long beforeBytes = THREADS.getCurrentThreadAllocatedBytes();
        return count(beforeBytes, super.postSend(qpAddress, requestAddress, badAddress));
    }

    @Override
    public int postReceive(final long qpAddress, final long requestAddress, final long badAddress)
    {
        final long beforeBytes = THREADS.getCurrentThreadAllocatedBytes();
        return count(beforeBytes, super.postReceive(qpAddress, requestAddress, badAddress));
    }

    @Override
    public int poll(final long cqAddress, final int max, final long completionsAddress)
    {
        final long beforeBytes = THREADS.getCurrentThreadAllocatedBytes();
        return count(beforeBytes, super.poll(cqAddress, max, completionsAddress));
    }

    @Override
    public int requestNotification(final long cqAddress)
    {
        final long beforeBytes = THREADS.getCurrentThreadAllocatedBytes();
        return count(beforeBytes, super.requestNotification(cqAddress));
    }

    @Override
    public int cqEvent(final long channelAddress, final long cqOutAddress, final long userOutAddress)
    {
        final long beforeBytes = THREADS.getCurrentThreadAllocatedBytes();
        return count(beforeBytes, super.cqEvent(channelAddress, cqOutAddress, userOutAddress));
    }

    @Override
    public void acknowledgeCqEvents(final long cqAddress, final int count)
    {
        final long beforeBytes = THREADS.getCurrentThreadAllocatedBytes();
        super.acknowledgeCqEvents(cqAddress, count);
        count(beforeBytes, 0);
    }
}
