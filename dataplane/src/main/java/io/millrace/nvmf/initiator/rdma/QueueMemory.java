package io.millrace.nvmf.initiator.rdma;

import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.initiator.HostMemory;
import io.millrace.rdma.endpoint.RdmaDomain;
import io.millrace.rdma.endpoint.RdmaRegion;
import io.millrace.rdma.endpoint.RegionAccess;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Capsules that a queue sends and receives, registered with the device of the present connection. The peer gets no key
 * to it. One queue's.
 */
final class QueueMemory implements AutoCloseable
{
    /** SGL descriptors behind an entry. */
    static final int DESCRIPTORS_MAX = 16;
    /** A message that is longer than an answer does not fit and ends the connection. */
    static final int RESPONSE_BYTES = CompletionQueueEntry.SIZE_BYTES;
    private static final int CAPSULE_BYTES =
        SubmissionQueueEntry.SIZE_BYTES + DESCRIPTORS_MAX * SglDescriptor.SIZE_BYTES;

    private final HostMemory memory;
    private final int responsesOffset;
    private RdmaRegion region;

    QueueMemory(final int capsules, final int responses)
    {
        responsesOffset = capsules * CAPSULE_BYTES;
        memory = new HostMemory(responsesOffset + responses * RESPONSE_BYTES);
    }

    /**
     * Registers it with the device of a connection.
     *
     * @param domain of the connection.
     * @throws io.millrace.rdma.RdmaException when the kernel or the device refuses, with what to check.
     */
    void register(final RdmaDomain domain)
    {
        region = domain.register(memory.address(), memory.lengthBytes(), RegionAccess.LOCAL);
    }

    /** The queue pair is gone. */
    void deregister()
    {
        if (null != region)
        {
            region.close();
            region = null;
        }
    }

    UnsafeBuffer buffer()
    {
        return memory.buffer();
    }

    int capsuleOffset(final int slot)
    {
        return slot * CAPSULE_BYTES;
    }

    int responseOffset(final int index)
    {
        return responsesOffset + index * RESPONSE_BYTES;
    }

    long address(final int offset)
    {
        return memory.address() + offset;
    }

    int localKey()
    {
        return region.localKey();
    }

    @Override
    public void close()
    {
        memory.close();
    }
}
