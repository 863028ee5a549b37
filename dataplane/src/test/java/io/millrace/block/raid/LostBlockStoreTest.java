package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.LostBlocksPage;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists of an array whose own work does not run: the test is that work. */
class LostBlockStoreTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final long FIRST = 5L * BLOCK;
    private static final long SECOND = 9L * BLOCK;

    private final RaidFixture fixture = new RaidFixture();
    private final List<MemberDisk> disks = new ArrayList<>();
    private final List<CountedDevice> devices = new ArrayList<>();
    private RaidDevice array;
    private Initiator reactor;
    private RaidChannel channel;
    private LostBlockStore store;

    @BeforeEach
    void open()
    {
        final PowerSupply supply = new PowerSupply(TestSeeds.random().nextLong());
        for (int i = 0; i < 3; i++)
        {
            disks.add(MemberDisk.create("m" + i, RaidFixture.deviceBytes(2 << 20), BLOCK, supply));
            devices.add(new CountedDevice(disks.get(i), (builder) -> builder));
            fixture.own(devices.get(i));
        }
        final List<BlockDevice> members = List.copyOf(devices);
        array = RaidAssembly.assemble(
            RaidFixture.config(RaidLevel.RAID1, STRIP, members, List.of()), members, null, RaidTimes.DEFAULT);
        reactor = new Initiator("work", array);
        channel = (RaidChannel)reactor.get(reactor.open(array));
        store = reactor.call(() -> new LostBlockStore(array, channel));
    }

    @AfterEach
    void close()
    {
        reactor.get(reactor.close(channel));
        reactor.close();
        array.close();
        fixture.close();
    }

    private LostBlocks list(final int slot)
    {
        return array.view().member(slot).lostBlocks();
    }

    private void lose(final int slot, final long offset)
    {
        assertTrue(reactor.call(() -> array.lostBlockChanges().lose(array.view().member(slot), offset, BLOCK)));
    }

    private void pollUntil(final BooleanSupplier condition, final String what)
    {
        ArrayFixture.await(() -> reactor.call(() ->
        {
            channel.poll();
            store.poll();
            return condition.getAsBoolean();
        }), what);
    }

    /** {@return entries of the newer copy on a member} */
    private long[] found(final int slot)
    {
        long[] entries = {};
        long sequence = -1;
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(devices.get(slot)))
        {
            for (int which = 0; which < MemberArea.LOST_BLOCKS_COUNT; which++)
            {
                final UnsafeBuffer page =
                    new UnsafeBuffer(open.read(MemberArea.lostBlocksOffset(which), LostBlocksPage.BYTES));
                if (LostBlocksPage.sequence(page, 0) > sequence)
                {
                    sequence = LostBlocksPage.sequence(page, 0);
                    entries = LostBlocksPage.entries(page, 0);
                }
            }
        }
        return entries;
    }

    @Test
    void shouldMakeStableWhatAListIsAboutBeforeItIsStored()
    {
        final long flushes = disks.get(0).flushes();
        devices.get(0).hangLists();
        lose(0, FIRST);
        pollUntil(() -> 0 != devices.get(0).held(), "asked");
        assertEquals(flushes + 1, disks.get(0).flushes());
        assertFalse(list(0).isRecorded());
        devices.get(0).letGo();
        pollUntil(() -> list(0).isStored(), "stored");
        assertTrue(list(0).isRecorded());
        assertEquals(flushes + 1, disks.get(0).flushes());
        assertArrayEquals(list(0).entries(), found(0));
    }

    /** Superblocks without it may take long, and are not published meanwhile. */
    @Test
    void shouldBeginNothingOnAMemberThatHasFailed()
    {
        devices.get(0).hangWholly();
        reactor.call(() ->
        {
            store.onFailed(array.view().member(0));
            return null;
        });
        lose(0, FIRST);
        lose(1, SECOND);
        pollUntil(() -> list(1).isStored() && !store.isBusy(), "stored on the other member");
        assertFalse(list(0).isStored());
        assertArrayEquals(list(1).entries(), found(1));
        devices.get(0).letGo();
    }

    /** A write of a block in its list has ended on a member. */
    private LostBlockWrite write(final RaidMember member)
    {
        final BlockRequest part = new BlockRequest(this, (_) ->
        {
        });
        part.reset(BlockOperation.WRITE_ZEROES, (RaidChannel.dataOffsetBytes() + FIRST) / BLOCK, 1);
        final LostBlockWrite write =
            new LostBlockWrite(member, part, array.geometry().blockShift(), new LostBlockWrites(array, null));
        array.lostBlockChanges().add(write);
        return write;
    }

    /** Others have what was written, and it has not failed: it is fenced as one that is let go of. */
    @Test
    void shouldEndAWriteOnAMemberThatAnotherHasReplaced()
    {
        lose(0, FIRST);
        pollUntil(() -> list(0).isStored(), "stored");
        final RaidMember replaced = array.view().member(0);
        reactor.call(() ->
        {
            array.publish(array.view().released(replaced));
            return null;
        });
        final LostBlockWrite write = write(replaced);
        pollUntil(() -> null != write.result(), "ended");
        assertEquals(BlockStatus.SUCCESS, write.result());
    }

    /** Superblocks of the others say that before the write ends. */
    @Test
    void shouldNotEndAWriteAsASuccessOnAMemberThatHasFailed()
    {
        lose(0, FIRST);
        pollUntil(() -> list(0).isStored(), "stored");
        reactor.call(() ->
        {
            store.onFailed(array.view().member(0));
            return null;
        });
        final LostBlockWrite write = write(array.view().member(0));
        pollUntil(() -> null != write.result(), "ended");
        assertEquals(BlockStatus.DEVICE_ERROR, write.result());
    }

    /** A drive that hung stores late what it was asked for. */
    @Test
    void shouldLeaveAListAsItIsThatAMemberMayStillStore()
    {
        lose(0, FIRST);
        devices.get(0).hangWholly();
        pollUntil(() -> 0 != devices.get(0).held(), "asked");
        final long[] entries = list(0).entries();
        reactor.call(() ->
        {
            store.onFailed(array.view().member(0));
            return null;
        });
        lose(1, SECOND);
        pollUntil(() -> list(1).isStored(), "stored on the other member");
        devices.get(0).letGo();
        pollUntil(() -> 0 == devices.get(0).held() && 0 == channel.inFlight(array.view().member(0)), "stored late");
        assertArrayEquals(entries, found(0));
    }

    /** Until they are stable, the last ones may be what is found, and once they are, they are. */
    @Test
    void shouldNotTakeAListAsAnnouncedThatSuperblocksDenyWhichAreBeingWritten()
    {
        lose(0, FIRST);
        pollUntil(() -> list(0).isStored(), "stored");
        assertTrue(reactor.call(() -> store.isUnannounced()));
        writeSuperblocks();
        assertFalse(reactor.call(() -> store.isUnannounced()));
        reactor.call(() ->
        {
            // A host has written the block.
            final long[] none = {};
            list(0).onStored(none);
            list(0).entries(none);
            store.onSuperblocksFilled(array.view());
            return null;
        });
        lose(0, SECOND);
        pollUntil(() -> list(0).isStored(), "stored");
        assertTrue(reactor.call(() -> store.isUnannounced()));
        assertFalse(reactor.call(() -> store.isDurable()));
        reactor.call(() ->
        {
            store.onSuperblocksStored();
            return null;
        });
        assertTrue(reactor.call(() -> store.isUnannounced()));
        writeSuperblocks();
        assertFalse(reactor.call(() -> store.isUnannounced()));
        pollUntil(store::isDurable, "durable");
    }

    private void writeSuperblocks()
    {
        reactor.call(() ->
        {
            store.onSuperblocksFilled(array.view());
            store.onSuperblocksStored();
            return null;
        });
    }
}
