package io.millrace.rdma;

/**
 * What a device has of everything, at most. A provider's own limits may be lower in combination. Immutable; any thread.
 *
 * @param queuePairs            number of queue pairs.
 * @param queuePairRequests     outstanding requests of a send or receive queue.
 * @param segments              scatter and gather segments of a request.
 * @param readSegments          scatter segments of an RDMA READ.
 * @param completionQueues      number of completion queues.
 * @param completions           entries of a completion queue.
 * @param memoryRegions         number of memory regions.
 * @param memoryRegionBytes     size of a memory region, unsigned.
 * @param readsAsTarget         RDMA READs and atomics of the peer that a queue pair serves at a time.
 * @param readsAsInitiator      RDMA READs and atomics that a queue pair has under way at a time.
 * @param sharedReceiveQueues   number of shared receive queues; 0: there are none.
 * @param sharedReceiveRequests outstanding requests of a shared receive queue.
 */
public record RdmaLimits(
    int queuePairs,
    int queuePairRequests,
    int segments,
    int readSegments,
    int completionQueues,
    int completions,
    int memoryRegions,
    long memoryRegionBytes,
    int readsAsTarget,
    int readsAsInitiator,
    int sharedReceiveQueues,
    int sharedReceiveRequests)
{
}
