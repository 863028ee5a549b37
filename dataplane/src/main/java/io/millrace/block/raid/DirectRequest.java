package io.millrace.block.raid;

import io.millrace.block.BlockCompletionListener;
import io.millrace.block.BlockRequest;

/**
 * A request to an array that one member does as a whole. A pooled slot of {@link DirectRequests}; the reactor's only.
 */
final class DirectRequest
{
    /** What the member is asked for. */
    final BlockRequest part;
    /** Of the host. */
    BlockRequest request;
    /** That it goes by. */
    ArrayView view;
    /** Of the member. */
    int slot;
    /** Next of the list that it is in. */
    DirectRequest next;

    /**
     * A free slot.
     *
     * @param listener notified when the member has ended the part, whose owner is this.
     */
    DirectRequest(final BlockCompletionListener listener)
    {
        part = new BlockRequest(this, listener);
    }
}
