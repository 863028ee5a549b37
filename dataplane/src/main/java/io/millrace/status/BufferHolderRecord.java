package io.millrace.status;

/**
 * Record of a large holder of a reactor's buffers, for readers of the status file. On its reactor.
 */
public final class BufferHolderRecord
{
    private final StatusPart part;
    private final RecordSlot slot;

    BufferHolderRecord(
        final StatusPart part,
        final RecordSlot slot,
        final long heldBytes,
        final long waiting,
        final long longestHoldNs)
    {
        this.part = part;
        this.slot = slot;
        final int offset = slot.type().valuesOffset();
        slot.buffer().putLongOpaque(offset, heldBytes);
        slot.buffer().putLongOpaque(offset + Long.BYTES, waiting);
        slot.buffer().putLongOpaque(offset + 2 * Long.BYTES, longestHoldNs);
    }

    /**
     * Releases the record; no method is called afterwards.
     */
    public void release()
    {
        part.release(slot);
    }
}
