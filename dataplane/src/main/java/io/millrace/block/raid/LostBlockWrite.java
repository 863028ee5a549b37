package io.millrace.block.raid;

import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;

/**
 * A write of blocks that are in a member's {@link LostBlocks}, in place of the part of a stripe request that it is for.
 * It is made stable and the list is stored without its blocks before the part ends: so no write is acknowledged whose
 * blocks a crash would leave lost, and none leaves the list that a crash could leave as it was. Rare: it is allocated.
 */
final class LostBlockWrite
{
    private final RaidMember member;
    private final BlockRequest part;
    private final long offset;
    private final long length;
    private final BlockRequest request;
    private MemoryHold hold;
    /** Null until the list is stored, or cannot be. */
    private volatile BlockStatus result;

    /**
     * A write that has not begun.
     *
     * @param member     that it is to.
     * @param part       that it is for.
     * @param blockShift logarithm of the block size.
     * @param owner      notified when the member has ended it.
     */
    LostBlockWrite(
        final RaidMember member, final BlockRequest part, final int blockShift, final LostBlockWrites owner)
    {
        this.member = member;
        this.part = part;
        offset = LostBlockWrites.dataOffset(part, blockShift);
        length = (long)part.blocks() << blockShift;
        request = new BlockRequest(this, (_) -> owner.onEnded(this));
        request.reset(part.operation(), part.lba(), part.blocks()).forceUnitAccess(part.forceUnitAccess());
        request.segments().copyFrom(part.segments());
    }

    RaidMember member()
    {
        return member;
    }

    /**
     * {@return what the member is asked for}
     */
    BlockRequest request()
    {
        return request;
    }

    /**
     * {@return entries without what it has written}
     *
     * @param entries    of the member's list.
     * @param blockShift logarithm of the block size.
     */
    long[] remove(final long[] entries, final int blockShift)
    {
        return LostBlocks.without(entries, offset, length, blockShift);
    }

    /** The member has ended it. The reactor of the part. */
    void takeHold()
    {
        hold = request.hold();
        request.clearHold();
    }

    /**
     * The list was stored, or cannot be. {@link ArrayWork} alone.
     *
     * @param how it went.
     */
    void onStored(final BlockStatus how)
    {
        result = how;
    }

    /**
     * {@return how it went, when the part can end; else null}
     */
    BlockStatus result()
    {
        return result;
    }

    /**
     * Ends the part.
     *
     * @param how it went.
     */
    void complete(final BlockStatus how)
    {
        if (BlockStatus.SUCCESS != how)
        {
            part.failedAs(request, null);
        }
        MemoryQuarantine.completeWith(part, how, hold);
    }
}
