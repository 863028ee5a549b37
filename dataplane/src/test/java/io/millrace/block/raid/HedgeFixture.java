package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** An array whose reads are hedged after a millisecond, over members that wait as a test wants. */
final class HedgeFixture implements AutoCloseable
{
    static final int BLOCK = 512;
    static final int STRIP = 16 << 10;
    static final int MEMBER_BYTES = 2 << 20;
    static final int MODEL_BYTES = 256 << 10;
    /** More than the pages of checksums of a member have. */
    private static final int CHECKSUM_BYTES = 64 << 10;
    static final long HEDGE_NS = 25_000;
    /** By then, a read that can be hedged is. */
    private static final long LONG_NS = 100_000_000;

    final RaidFixture fixture = new RaidFixture();
    final DmaMemory arena = DmaMemory.map(2 * MODEL_BYTES);
    final List<HeldMember> members = new ArrayList<>();
    final byte[] model = new byte[MODEL_BYTES];
    final ArrayLayout layout;
    final RaidDevice array;
    final Initiator host;

    HedgeFixture(final Random random, final RaidLevel level, final int memberCount)
    {
        this(random, level, memberCount, false);
    }

    HedgeFixture(final Random random, final RaidLevel level, final int memberCount, final boolean checksums)
    {
        for (int i = 0; i < memberCount; i++)
        {
            members.add(new HeldMember(MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES) +
                (checksums ? CHECKSUM_BYTES : 0), BLOCK)));
            fixture.own(members.get(i));
        }
        layout = ArrayLayout.of(level, memberCount, STRIP, MEMBER_BYTES);
        array = fixture.assemble(new RaidConfig("array", level, STRIP, members.stream().map(HeldMember::name).toList(),
            List.of(), false, false, false, CopyRates.DEFAULT, JournalMode.DEGRADED, "", checksums),
            List.<BlockDevice>copyOf(members), new RaidTimes(2_000_000_000L, 5_000_000_000L, 20_000_000L, HEDGE_NS));
        array.hedgeReads(100);
        host = new Initiator("host", array);
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        random.nextBytes(model);
        NativeMemory.asByteBuffer(arena.address(), MODEL_BYTES).put(model);
        for (int offset = 0; offset < MODEL_BYTES; offset += STRIP)
        {
            assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.WRITE, offset / BLOCK, STRIP / BLOCK, false,
                arena.address() + offset, STRIP));
        }
        NativeMemory.fill(arena.address(), MODEL_BYTES, (byte)0);
        members.forEach((each) -> each.reads().clear());
    }

    /** Slot that the first strip of the array is read from. */
    int firstSlot()
    {
        return layout.level().parityCount() > 0 ? layout.dataSlot(0, 0) : 0;
    }

    HeldMember first()
    {
        return members.get(firstSlot());
    }

    /** All but the one that the first strip is read from. */
    List<HeldMember> others()
    {
        return members.stream().filter((each) -> first() != each).toList();
    }

    static void holdReads(final HeldMember member)
    {
        member.hold((asked, block) -> BlockOperation.READ == asked);
    }

    long memory(final long lba)
    {
        return arena.address() + MODEL_BYTES + lba * BLOCK % MODEL_BYTES;
    }

    /** A read that may be answered in other memory. */
    Initiator.Io lendable(final long lba, final int blocks)
    {
        final Initiator.Io io = host.io();
        Initiator.fill(io.request(), BlockOperation.READ, lba, blocks, false, memory(lba), (long)blocks * BLOCK);
        io.request().lendable(true);
        return io;
    }

    Initiator.Io begin(final long lba, final int blocks)
    {
        final Initiator.Io io = lendable(lba, blocks);
        host.send(io);
        return io;
    }

    /** A read of the first block that its member has. */
    Initiator.Io beginHeld()
    {
        holdReads(first());
        final Initiator.Io io = begin(0, 1);
        ArrayFixture.await(() -> first().held() > 0, "asked");
        return io;
    }

    void assertPayload(final Initiator.Io io)
    {
        final int length = io.request().segments().totalBytes();
        final byte[] bytes = new byte[length];
        final long copy = arena.address();
        io.request().segments().copyOut(0, copy, length);
        NativeMemory.asByteBuffer(copy, length).get(bytes);
        final int offset = (int)io.request().lba() * BLOCK;
        assertArrayEquals(Arrays.copyOfRange(model, offset, offset + length), bytes);
    }

    void releaseLoan(final Initiator.Io io)
    {
        host.call(() ->
        {
            host.channel().releaseLoan(io.request());
            io.request().clearLent();
            return null;
        });
    }

    /** Hedges that could begin have begun: timers expire by their deadlines. */
    void passTime()
    {
        final CompletableFuture<Void> passed = new CompletableFuture<>();
        host.call(() -> host.reactor().schedule(host.reactor().clockNs() + LONG_NS, (nowNs) -> passed.complete(null)));
        RaidFixture.get(passed);
    }

    @Override
    public void close()
    {
        members.forEach(HeldMember::letGo);
        host.close();
        fixture.stop();
        array.close();
        fixture.close();
        arena.close();
    }
}
