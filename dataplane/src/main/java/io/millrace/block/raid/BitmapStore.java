package io.millrace.block.raid;

import io.millrace.reactor.Reactor;
import java.util.function.Consumer;

/**
 * Stores the write-intent bitmap on members: regions that writes wait for, and those that nobody has written for a
 * while, which are cleared. One page at a time; {@link ArrayWork}'s, on its reactor.
 */
final class BitmapStore
{
    private final RaidDevice device;
    private final ArrayMembers members;
    private final ChecksumWriter checksums;
    private final MetadataPages pages;
    private final MemberWrites writes;
    private final Reactor reactor;
    private boolean isBusy;
    private boolean hasCleared;
    private long clearNs;

    /**
     * Nothing is stored yet.
     *
     * @param device    that the bitmap is of.
     * @param channel   to members.
     * @param members   says which members get the bitmap.
     * @param checksums that are stored before their regions are cleared.
     * @param reactor   of the work.
     */
    BitmapStore(
        final RaidDevice device,
        final RaidChannel channel,
        final ArrayMembers members,
        final ChecksumWriter checksums,
        final Reactor reactor)
    {
        this.device = device;
        this.members = members;
        this.checksums = checksums;
        this.reactor = reactor;
        pages = device.pages();
        writes = new MemberWrites(channel, pages.bitmapTargets());
        postponeClear();
    }

    /**
     * {@return whether a page is being written}
     */
    boolean isBusy()
    {
        return isBusy;
    }

    /** Regions without writes are looked for later, by {@link RaidTimes#clearNs}. */
    private void postponeClear()
    {
        clearNs = reactor.nowNs() + device.times().clearNs();
    }

    /** Nobody lacks anything any more: a crash would have it all resynchronized while it is set. */
    void onComplete()
    {
        device.intent().forgetUse();
        clearNs = reactor.nowNs();
    }

    /**
     * {@return whether there are regions that writes wait for}
     */
    boolean hasWanted()
    {
        return null != device.intent() && device.intent().hasWanted();
    }

    /**
     * {@return whether regions that writes wait for are being stored}
     */
    boolean storeWanted()
    {
        if (!hasWanted())
        {
            return false;
        }
        device.intent().collectWanted(pages.bitmap());
        write();
        return true;
    }

    /**
     * {@return whether a bitmap without regions that were not written for a while is being stored}
     */
    boolean clearUnused()
    {
        // While a slot is not in sync, the bitmap has what its former member lacks when that comes back.
        if (null == device.intent() || reactor.nowNs() - clearNs < 0)
        {
            return false;
        }
        postponeClear();
        checksums.begin();
        if (!device.view().isComplete() || 0 == device.intent().clearUnused(pages.bitmap()))
        {
            return false;
        }
        hasCleared = true;
        write();
        return true;
    }

    /** Stores the last bitmap, when nobody writes any more: nothing is set from now on. */
    void storeLast()
    {
        // Regions that are being written stay, and nobody enters the others any more, since nobody sets them.
        if (device.view().isComplete())
        {
            device.intent().forgetUse();
            device.intent().clearUnused(pages.bitmap());
        }
        else
        {
            device.intent().closeUnused();
        }
        hasCleared = true;
        write();
    }

    private void write()
    {
        isBusy = true;
        pages.sealBitmap();
        // What was written in regions that are cleared is stable before their bits are gone.
        writes.begin(members.withBitmap(device.view()), hasCleared, this::onWritten);
        hasCleared = false;
    }

    private void onWritten(final long failed)
    {
        isBusy = false;
        writes.report(failed);
        if (writes.isWritten())
        {
            device.intent().onCleared();
        }
        else
        {
            device.intent().restoreCleared(pages.bitmap());
            pages.onBitmapUnwritten();
        }
        // A member that did not take it leaves the array before a write that needs it is acknowledged.
        if (0 == failed)
        {
            device.intent().onStable(pages.bitmap());
            device.channels().onProgress();
        }
        else
        {
            device.intent().wantAgain();
        }
    }

    /**
     * Stores the bitmap of larger members, in which nothing changes before superblocks say how large they are.
     *
     * @param memberBytes data of each then.
     * @param onDone      gets whether all members have it.
     */
    void storeEnlarged(final long memberBytes, final Consumer<Boolean> onDone)
    {
        isBusy = true;
        pages.sealEnlarged(memberBytes);
        writes.begin(members.withBitmap(device.view()), false, (failed) ->
        {
            isBusy = false;
            writes.report(failed);
            onDone.accept(0 == failed);
        });
    }

    /**
     * A member has failed, which may never end what it was asked for.
     *
     * @param member of the array.
     */
    void onFailed(final RaidMember member)
    {
        writes.onFailed(member);
    }
}
