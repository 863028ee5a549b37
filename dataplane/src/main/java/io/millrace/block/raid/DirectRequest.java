package io.millrace.block.raid;

import io.millrace.block.BlockCompletionListener;
import io.millrace.block.BlockRequest;
import io.millrace.block.MemoryHold;

/**
 * A request to an array that one member does as a whole. A pooled slot of {@link DirectRequests}; the reactor's only.
 */
final class DirectRequest
{
    /** Of this slot, from 0. */
    final int index;
    /** What the member is asked for. */
    final BlockRequest part;
    /** Of the host; null when it was answered by a hedge and the member has not ended its part. */
    BlockRequest request;
    /** That it goes by. */
    ArrayView view;
    /** Of the member. */
    int slot;
    /** That is under way; else null. */
    HedgedRead hedge;
    /** Whether a hedge has begun. */
    boolean isHedged;
    /** Whether the host gets the answer of a hedge at the moment, whose hold is not known yet. */
    boolean isAnswering;
    /** Whether the member has ended its part while that is so. */
    boolean isEnded;
    /** Of the host's memory, which the member may still use after a hedge has answered. */
    MemoryHold hold;
    /** Next of the list that it is in. */
    DirectRequest next;

    /**
     * A free slot.
     *
     * @param index    of this slot.
     * @param listener notified when the member has ended the part, whose owner is this.
     */
    DirectRequest(final int index, final BlockCompletionListener listener)
    {
        this.index = index;
        part = new BlockRequest(this, listener);
    }
}
