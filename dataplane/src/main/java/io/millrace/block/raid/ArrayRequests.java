package io.millrace.block.raid;

import io.millrace.block.BlockRequest;
import io.millrace.block.MemoryQuarantine;

/** The requests of hosts that a channel can work on at a time. The reactor's only; allocates for held memory alone. */
final class ArrayRequests
{
    private static final int COUNT_MAX = 256;

    private final MemoryQuarantine quarantine;
    private final int blockShift;
    private final long zeroesAddress;
    private ArrayRequest free;
    private int count;

    /**
     * None is under way.
     *
     * @param quarantine    of the reactor.
     * @param blockShift    of the array.
     * @param zeroesAddress of a strip of zeroes.
     */
    ArrayRequests(final MemoryQuarantine quarantine, final int blockShift, final long zeroesAddress)
    {
        this.quarantine = quarantine;
        this.blockShift = blockShift;
        this.zeroesAddress = zeroesAddress;
        for (int i = 0; i < COUNT_MAX; i++)
        {
            free(newRequest());
        }
    }

    private ArrayRequest newRequest()
    {
        return new ArrayRequest(quarantine, this::complete);
    }

    private void free(final ArrayRequest request)
    {
        request.next = free;
        free = request;
    }

    /**
     * {@return whether another one can begin}
     */
    boolean canBegin()
    {
        return null != free;
    }

    /**
     * {@return requests that have begun and were not completed}
     */
    int count()
    {
        return count;
    }

    /**
     * {@return a request that has begun; {@link #canBegin} was asked before}
     *
     * @param request to the array.
     */
    ArrayRequest begin(final BlockRequest request)
    {
        final ArrayRequest begun = free;
        free = begun.next;
        count++;
        begun.begin(request, blockShift, zeroesAddress);
        return begun;
    }

    /**
     * Completes a request of which everything has ended.
     *
     * @param request that is done.
     */
    private void complete(final ArrayRequest request)
    {
        count--;
        final boolean isHeld = request.isHeld();
        request.complete();
        // A request whose memory a member still uses is not used again until then.
        free(isHeld ? newRequest() : request);
    }
}
