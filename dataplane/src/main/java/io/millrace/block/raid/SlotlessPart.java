package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;

/**
 * The part of a stripe request for a member without a slot: what goes to the member that is to replace another one,
 * beside the part of that one's slot, or an entry of the journal for the device that has these. One at a time; the
 * reactor's only; nothing is allocated.
 */
final class SlotlessPart
{
    private final StripeRequest request;
    private final RaidChannel channel;
    private final BlockRequest part = new BlockRequest(this, this::onEnded);
    private RaidMember member;
    /** Null: it did not fail. */
    private BlockStatus failure;

    /**
     * Not submitted.
     *
     * @param request that it is of.
     * @param channel to the members.
     */
    SlotlessPart(final StripeRequest request, final RaidChannel channel)
    {
        this.request = request;
        this.channel = channel;
    }

    /**
     * Submits the same as a part of a slot.
     *
     * @param newMember that gets it, too.
     * @param like      part of the slot, which is filled.
     */
    void submitLike(final RaidMember newMember, final BlockRequest like)
    {
        part.reset(like.operation(), like.lba(), like.blocks()).forceUnitAccess(like.forceUnitAccess());
        if (BlockOperation.WRITE == like.operation())
        {
            like.segments().slice(0, like.blocks() << channel.blockShift(), part.segments());
        }
        submit(newMember);
    }

    /**
     * Submits a write.
     *
     * @param newMember to write.
     * @param offset    in bytes of the device.
     * @param address   of what is written.
     * @param length    in bytes.
     * @param isStable  whether it is stable when it ends.
     */
    void submit(
        final RaidMember newMember, final long offset, final long address, final int length, final boolean isStable)
    {
        final int shift = channel.blockShift();
        part.reset(BlockOperation.WRITE, offset >>> shift, length >>> shift).addSegment(address, length)
            .forceUnitAccess(isStable);
        submit(newMember);
    }

    private void submit(final RaidMember newMember)
    {
        member = newMember;
        channel.submit(newMember, part);
    }

    private void onEnded(final BlockRequest ended)
    {
        final boolean isRefused =
            BlockStatus.NOT_SUPPORTED == ended.status() && request.onTargetRefused(ended.operation());
        if (BlockStatus.SUCCESS != ended.status() && !isRefused)
        {
            failure = ended.status();
        }
        request.onPartEnded(ended);
    }

    /**
     * {@return the member that it went to last}
     */
    RaidMember member()
    {
        return member;
    }

    boolean hasFailed()
    {
        return null != failure;
    }

    void clearFailure()
    {
        failure = null;
    }

    /** Says of the member that it has failed, if it has. */
    void report()
    {
        if (null != failure)
        {
            channel.device().onMemberFailed(member, part.operation() + " ended with", failure);
        }
    }
}
