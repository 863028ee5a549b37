package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A change of the members of an array that serves, which {@link Membership} makes.
 */
sealed interface MemberChange
{
    /**
     * {@return done when it is made; completes exceptionally with a
     * {@link io.millrace.block.BlockDeviceException} when it is refused, on the reactor}
     */
    CompletableFuture<Void> done();

    /**
     * A device becomes a spare, or takes the slot again that it was lost from.
     *
     * @param device that all checks have passed for, and that holds nothing unless it was a member.
     * @param former its superblock when it has most of the data of a slot; null: it holds nothing.
     * @param lost   its lost blocks.
     * @param done   when reactors have channels to it, and superblocks were written to it.
     */
    record Add(BlockDevice device, Superblock former, FoundLostBlocks lost, CompletableFuture<Void> done)
        implements MemberChange
    {
        /**
         * A device without lost blocks.
         *
         * @param device that all checks have passed for.
         * @param former its superblock when it has most of the data of a slot; null: it holds nothing.
         * @param done   when reactors have channels to it, and superblocks were written to it.
         */
        Add(final BlockDevice device, final Superblock former, final CompletableFuture<Void> done)
        {
            this(device, former, FoundLostBlocks.NONE, done);
        }

        /**
         * A device becomes a spare.
         *
         * @param device that all checks have passed for, and that holds nothing.
         * @param done   when reactors have channels to it, and superblocks were written to it.
         */
        Add(final BlockDevice device, final CompletableFuture<Void> done)
        {
            this(device, null, done);
        }
    }

    /**
     * A device takes a slot without a member at once: it has no superblock before one says that it has the slot.
     *
     * @param device that all checks have passed for, and that holds nothing.
     * @param done   when superblocks say so; it is rebuilt then.
     */
    record TakeSlot(BlockDevice device, CompletableFuture<Void> done) implements MemberChange
    {
    }

    /**
     * The array gets another slot, which the device takes.
     *
     * @param device that all checks have passed for, and that holds nothing.
     * @param level  that the array has from then on.
     * @param done   when superblocks say so; data is copied or spread over it, or Q computed, then.
     */
    record Grow(BlockDevice device, RaidLevel level, CompletableFuture<Void> done) implements MemberChange
    {
    }

    /**
     * A RAID 6 gets Q of all stripes in its last slot, as one that was RAID 5 before.
     *
     * @param done when superblocks say that it is reshaped.
     */
    record MoveQ(CompletableFuture<Void> done) implements MemberChange
    {
    }

    /**
     * A RAID 6 becomes RAID 5: the array releases the member of its last slot, which has Q.
     *
     * @param device of the member; null: the slot has none.
     * @param done   when no reactor has a channel to it.
     */
    record Lower(BlockDevice device, CompletableFuture<Void> done) implements MemberChange
    {
    }

    /**
     * The array uses more of its members, which have become larger.
     *
     * @param memberBytes data of each member in the end; 0: as much as all have room for.
     * @param done        when it has begun.
     */
    record Resize(long memberBytes, CompletableFuture<Void> done) implements MemberChange
    {
    }

    /**
     * A device replaces a member that is in sync.
     *
     * @param device   that all checks have passed for, and that holds nothing.
     * @param replaced device of the member.
     * @param done     when the device gets writes; it is copied then.
     */
    record Replace(BlockDevice device, BlockDevice replaced, CompletableFuture<Void> done) implements MemberChange
    {
    }

    /**
     * The array releases a member that is not in use: a spare, a member that has failed or was replaced, or one that
     * is to replace another.
     *
     * @param device of the member.
     * @param done   when no reactor has a channel to it.
     */
    record Remove(BlockDevice device, CompletableFuture<Void> done) implements MemberChange
    {
    }

    /**
     * The journal gets another device, or none.
     *
     * @param device that all checks have passed for, with a superblock that names itself; null: members have it.
     * @param id     UUID of the device in that.
     * @param done   when superblocks say so, and the one before has been released.
     */
    record Journal(BlockDevice device, UUID id, CompletableFuture<Void> done) implements MemberChange
    {
    }

    /**
     * The array gets another name.
     *
     * @param name     new one, valid as that of a device.
     * @param isWanted asked once, when superblocks have it, whether it is still wanted: else it is taken back. Any
     *                 thread.
     * @param done     when superblocks have it, or fails when they have the one before again.
     */
    record Rename(String name, BooleanSupplier isWanted, CompletableFuture<Void> done) implements MemberChange
    {
    }

    /**
     * A member fails by hand.
     *
     * @param name of its device.
     * @param done when superblocks say so.
     */
    record Fail(String name, CompletableFuture<Void> done) implements MemberChange
    {
    }
}
