package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writes that end when some members have them and others do not, and what is said of their regions. */
class RaidTornTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int CHUNK = 64 << 10;

    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(CHUNK);
    private final List<CountedDevice> members = new ArrayList<>();
    private RaidDevice array;

    @AfterEach
    void close()
    {
        fixture.stop();
        array.close();
        fixture.close();
        arena.close();
    }

    private void create(final int memberCount)
    {
        for (int i = 0; i < memberCount; i++)
        {
            final CountedDevice member = new CountedDevice(
                MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK), (builder) -> builder);
            fixture.own(member);
            members.add(member);
        }
        array = fixture.create(RaidLevel.RAID5, STRIP, List.<BlockDevice>copyOf(members));
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
    }

    @Test
    void shouldNotSayThatParityMatchesWhereOneMemberRefusedZeroesAndAnotherFailed()
    {
        create(4);
        try (Initiator host = new Initiator("host", array))
        {
            members.get(0).refuse(BlockOperation.WRITE_ZEROES);
            members.get(2).fail(BlockOperation.WRITE_ZEROES);
            assertEquals(BlockStatus.SUCCESS,
                host.run(BlockOperation.WRITE_ZEROES, 0, 3 * STRIP / BLOCK, false));
            assertTrue(array.view().isJournaling());
            assertTrue(array.intent().needsResync(0));
            try (MemberIo io = new MemberIo(null))
            {
                assertFalse(FoundMember.read(io, members.get(1)).superblock().journal().isMatched());
            }
        }
    }

    @Test
    void shouldLeaveNoRowsLockedWhenTheChannelClosesBetweenParts()
    {
        create(4);
        RaidFixture.get(array.fail("m2"));
        try (Initiator host = new Initiator("host", array); Initiator other = new Initiator("other", array))
        {
            members.forEach(CountedDevice::hold);
            final Initiator.Io zeroes = host.io();
            Initiator.fill(zeroes.request(), BlockOperation.WRITE_ZEROES, 0, 12 * STRIP / BLOCK, false);
            host.send(zeroes);
            ArrayFixture.await(() -> members.get(3).held() > 0 && members.get(0).held() > 0, "held");
            host.closeChannel();
            assertEquals(BlockStatus.ABORTED, host.await(zeroes));
            members.forEach(CountedDevice::letGo);
            assertEquals(BlockStatus.SUCCESS,
                other.run(BlockOperation.WRITE, 0, CHUNK / BLOCK, false, arena.address(), CHUNK));
            // What was stored in parts is whole.
            assertFalse(array.intent().needsResync(0));
        }
    }

    /** A write that ends when some members have it, and looks at its region as it does. */
    private static final class Torn extends StripeRequest
    {
        private final List<String> premature = new ArrayList<>();
        private boolean isExpired;

        Torn(final RaidChannel channel)
        {
            super(channel);
            begin(Purpose.WRITE, null, (_) -> look("its owner is notified", false));
            entering(0);
            locking(0, BLOCK, false);
        }

        private void look(final String what, final boolean isHolding)
        {
            final WriteIntent intent = channel.device().intent();
            if (!intent.needsResync(0))
            {
                premature.add(what);
            }
            if (isHolding && channel.device().locks().tryExclusiveOnce(0, BLOCK))
            {
                premature.add("others have its rows when " + what);
            }
        }

        @Override
        protected BlockStatus plan()
        {
            issuing(StripeState.WRITING);
            return BlockStatus.MEDIA_ERROR;
        }

        @Override
        protected boolean isExpired()
        {
            look("its entry in the journal is awaited", true);
            final boolean was = isExpired;
            isExpired = true;
            return was;
        }

        @Override
        protected void onEnding(final BlockStatus result)
        {
            look("it leaves the gate", true);
        }

        @Override
        protected boolean isPooled()
        {
            return false;
        }

        @Override
        protected void onRead()
        {
            throw new IllegalStateException("nothing was read");
        }

        @Override
        protected void onUnreadable()
        {
            throw new IllegalStateException("nothing was read");
        }

        @Override
        protected boolean isWrittenWithout(final ArrayView present, final long slots)
        {
            return false;
        }
    }

    /** Superblocks that say whether parity matches are written as soon as no write is in the gate. */
    @Test
    void shouldSayThatMembersDifferBeforeSuperblocksDenyIt()
    {
        create(3);
        try (Initiator host = new Initiator("host", array))
        {
            // The array's own work must not make members match meanwhile.
            fixture.stop();
            array.intent().assembledMarked(0);
            final Torn torn = host.call(() ->
            {
                final RaidChannel channel = (RaidChannel)host.channel();
                // The channel counts it as the one that is taken.
                channel.takeStripe();
                final Torn stripe = new Torn(channel);
                channel.advance(stripe);
                return stripe;
            });
            ArrayFixture.await(() -> host.call(() ->
            {
                host.channel().poll();
                return BlockStatus.MEDIA_ERROR == torn.status() && 0 == host.channel().inFlight();
            }), "ended");
            assertEquals(List.of(), torn.premature);
            assertTrue(array.locks().tryExclusiveOnce(0, BLOCK));
        }
    }

    @Test
    void shouldGoOnToNeedAResyncOfWhatWasTornSinceTheLastBegan()
    {
        final WriteIntent intent = new WriteIntent(MEMBER_BYTES, () ->
        {
        });
        create(3);
        intent.assembledDirty(0);
        final int torn = intent.tornCount();
        assertTrue(intent.enter(0));
        intent.tear(0);
        intent.leave(0);
        intent.onResynced(0, torn);
        assertTrue(intent.needsResync(0));
        intent.onResynced(0, intent.tornCount());
        assertFalse(intent.needsResync(0));
        assertEquals(0, intent.resyncCount());
    }
}
