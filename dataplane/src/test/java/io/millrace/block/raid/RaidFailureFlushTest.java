package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.Initiator;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is copied is stable before superblocks say that hosts read it there: after a failure, and after a return. */
class RaidFailureFlushTest
{
    private static final int STRIP_BYTES = 16 << 10;
    private static final int BLOCK_BYTES = 4096;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int CHUNK_BYTES = 64 << 10;
    private static final RaidTimes UNHURRIED = new RaidTimes(3_600_000_000_000L, 3_600_000_000_000L);

    /** Of the array's own work: enough to begin whatever does not wait. */
    private static final int CYCLES = 50;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(CHUNK_BYTES);
    private final List<MemberDisk> disks = new ArrayList<>();
    private RaidDevice array;
    private Initiator initiator;

    @AfterEach
    void close()
    {
        closeArray();
        fixture.close();
        disks.forEach(MemberDisk::close);
        arena.close();
    }

    private void closeArray()
    {
        if (null != initiator)
        {
            initiator.close();
            initiator = null;
            fixture.stop();
            array.close();
        }
    }

    private void open(final List<BlockDevice> devices)
    {
        open(devices, false);
    }

    private void open(final List<BlockDevice> devices, final boolean forceStart)
    {
        final List<String> names = disks.stream().map(MemberDisk::name).toList();
        array = fixture.assemble(new RaidConfig("array", RaidLevel.RAID1, STRIP_BYTES, names, List.of(), false, false,
            forceStart, new CopyRates(1L << 40, 1L << 40)), devices, UNHURRIED);
        initiator = new Initiator("host", array);
    }

    @Test
    void shouldCopyNothingBetweenTheFlushAndTheSuperblocksOfAFailure()
    {
        final PowerSupply supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < 2; i++)
        {
            disks.add(MemberDisk.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES, supply));
        }
        disks.forEach(this::fill);
        final Source source = new Source(disks.get(0));
        final LateFlush other = new LateFlush(disks.get(1), source);
        open(List.of(source, other));
        ArrayFixture.await(() -> source.isAsked, "asked for what is copied");
        disks.get(0).refuseWrites();
        // Far behind what is being copied.
        assertEquals(BlockStatus.SUCCESS, initiator.run(
            BlockOperation.WRITE, MEMBER_BYTES / BLOCK_BYTES - 1, 1, false, arena.address(), BLOCK_BYTES));
        assertEquals(SlotState.FAILED, array.view().state(0));
        assertTrue(other.hasFlushed, "flushed before that");
        final byte[] before = read();
        initiator.close();
        initiator = null;
        fixture.cut(supply);
        fixture.stop();
        array.close();
        final PowerSupply next = new PowerSupply(random.nextLong());
        disks.replaceAll((disk) -> disk.restart(next));
        open(List.of(disks.get(1)));
        final byte[] after = read();
        final int last = before.length - BLOCK_BYTES;
        // The write of the host was not flushed.
        System.arraycopy(before, last, after, last, BLOCK_BYTES);
        assertArrayEquals(before, after);
    }

    /** A flush has what was written before it alone. */
    @Test
    void shouldFlushForAFailureWhenWhatWasBeingCopiedIsWritten()
    {
        final PowerSupply supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < 3; i++)
        {
            disks.add(MemberDisk.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES, supply));
        }
        disks.forEach(this::fill);
        final Copied copied = new Copied(disks.get(1));
        final Asked other = new Asked(disks.get(2));
        open(List.of(disks.get(0), copied, other));
        ArrayFixture.await(() -> copied.polls > 0, "asked for what is copied");
        other.operations.clear();
        array.onMemberFailed(array.view().member(0), "failed for the test");
        ArrayFixture.await(() -> array.status().reason().contains("failed for the test"), "known");
        final int seen = copied.polls;
        ArrayFixture.await(() -> copied.polls > seen + CYCLES, "gone on");
        assertFalse(other.operations.contains(BlockOperation.FLUSH), () -> other.operations.toString());
        assertEquals(SlotState.IN_SYNC, array.view().state(0));
        copied.isReleased = true;
        ArrayFixture.await(() -> SlotState.FAILED == array.view().state(0), "said");
        assertTrue(other.operations.contains(BlockOperation.FLUSH), () -> other.operations.toString());
    }

    /** The bitmap is cleared soon afterwards, which flushes: power is cut before that. */
    @Test
    void shouldHaveWhatWasCopiedStableBeforeAMemberThatCameBackIsInSync()
    {
        final PowerSupply first = new PowerSupply(random.nextLong());
        for (int i = 0; i < 2; i++)
        {
            disks.add(MemberDisk.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES, first));
        }
        disks.forEach(this::fill);
        open(List.copyOf(disks));
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        RaidFixture.get(array.fail("d0"));
        for (int offset = 0; offset < MEMBER_BYTES; offset += CHUNK_BYTES)
        {
            NativeMemory.putLong(arena.address(), random.nextLong());
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE, offset / BLOCK_BYTES,
                CHUNK_BYTES / BLOCK_BYTES, false, arena.address(), CHUNK_BYTES));
        }
        closeArray();
        final PowerSupply second = new PowerSupply(random.nextLong());
        disks.replaceAll((disk) -> disk.restart(second));
        final NoFlush back = new NoFlush(disks.get(0));
        open(List.of(back, disks.get(1)));
        assertEquals(SlotState.REBUILDING, array.view().state(0));
        back.array = array;
        ArrayFixture.await(() -> array.view().isComplete(), "complete");
        final byte[] before = read();
        initiator.close();
        initiator = null;
        fixture.cut(second);
        back.isOver = true;
        fixture.stop();
        array.close();
        final PowerSupply third = new PowerSupply(random.nextLong());
        disks.replaceAll((disk) -> disk.restart(third));
        open(List.copyOf(disks));
        assertArrayEquals(before, read());
    }

    /** What a resync left in a cache when its process was killed, and hosts have read of the other member. */
    @Test
    void shouldFlushBeforeSuperblocksSayThatAMemberIsMissing()
    {
        final PowerSupply first = new PowerSupply(random.nextLong());
        for (int i = 0; i < 2; i++)
        {
            disks.add(MemberDisk.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES, first));
        }
        disks.forEach(this::fill);
        open(List.copyOf(disks));
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        closeArray();
        final PowerSupply second = new PowerSupply(random.nextLong());
        disks.replaceAll((disk) -> disk.restart(second));
        final Asked left = new Asked(disks.get(1));
        open(List.of(left), true);
        assertEquals(SlotState.FAILED, array.view().state(0));
        assertEquals(BlockOperation.FLUSH,
            left.operations.stream().filter((each) -> BlockOperation.READ != each).findFirst().orElseThrow());
    }

    /** Random data, which is stable. */
    private void fill(final MemberDisk disk)
    {
        final byte[] bytes = new byte[CHUNK_BYTES];
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(disk))
        {
            for (int offset = 0; offset < MEMBER_BYTES; offset += CHUNK_BYTES)
            {
                random.nextBytes(bytes);
                open.write(RaidChannel.dataOffsetBytes() + offset, bytes);
            }
        }
    }

    private byte[] read()
    {
        final byte[] bytes = new byte[(int)array.geometry().sizeBytes()];
        for (int offset = 0; offset < bytes.length; offset += CHUNK_BYTES)
        {
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, offset / BLOCK_BYTES,
                CHUNK_BYTES / BLOCK_BYTES, false, arena.address(), CHUNK_BYTES));
            NativeMemory.asByteBuffer(arena.address(), CHUNK_BYTES).get(bytes, offset, CHUNK_BYTES);
        }
        return bytes;
    }

    /** A member whose requests a test holds. */
    private abstract static class Held implements BlockDevice
    {
        private final BlockDevice inner;

        Held(final BlockDevice inner)
        {
            this.inner = inner;
        }

        /** Whether a request waits before the member gets it. */
        abstract boolean isHeld(BlockRequest request);

        /** Whether the end of a request waits. */
        boolean isEndHeld(final BlockRequest request)
        {
            return false;
        }

        @Override
        public String name()
        {
            return inner.name();
        }

        @Override
        public BlockGeometry geometry()
        {
            return inner.geometry();
        }

        @Override
        public void open(final ReactorContext context, final OpenListener listener)
        {
            inner.open(context, new OpenListener()
            {
                @Override
                public void onOpened(final BlockChannel channel)
                {
                    listener.onOpened(new HeldChannel(Held.this, channel));
                }

                @Override
                public void onOpenFailed(final BlockDeviceException reason)
                {
                    listener.onOpenFailed(reason);
                }
            });
        }

        @Override
        public void close()
        {
            // The test closes the drive.
        }
    }

    /** Submits and completes in its polls what is not held any more. */
    private static final class HeldChannel implements BlockChannel
    {
        private final Held device;
        private final BlockChannel below;
        private final Queue<BlockRequest> waiting = new ArrayDeque<>();
        /** Whose end waits, with the member's part. */
        private BlockRequest ending;
        private BlockStatus status;

        HeldChannel(final Held device, final BlockChannel below)
        {
            this.device = device;
            this.below = below;
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            if (device.isHeld(request))
            {
                waiting.add(request);
                return true;
            }
            if (!device.isEndHeld(request))
            {
                return below.submit(request);
            }
            ending = request;
            status = null;
            final BlockRequest part = new BlockRequest(this, (completed) -> status = completed.status());
            part.reset(request.operation(), request.lba(), request.blocks());
            return below.submit(part);
        }

        @Override
        public int poll()
        {
            int count = below.poll();
            if (!waiting.isEmpty() && !device.isHeld(waiting.peek()))
            {
                count += below.submit(waiting.peek()) ? 1 : 0;
                waiting.remove();
            }
            if (null != ending && null != status && !device.isEndHeld(ending))
            {
                final BlockRequest ended = ending;
                ending = null;
                ended.complete(status);
                count++;
            }
            return count;
        }

        @Override
        public boolean canSleep()
        {
            return false;
        }

        @Override
        public int inFlight()
        {
            return waiting.size() + (null == ending ? 0 : 1) + below.inFlight();
        }

        @Override
        public void close(final CloseListener listener)
        {
            while (!waiting.isEmpty())
            {
                waiting.remove().complete(BlockStatus.ABORTED);
            }
            below.close((closed) -> listener.onClosed(this));
        }
    }

    /** Reads of the first half of its data wait. */
    private static final class Source extends Held
    {
        private volatile boolean isAsked;
        private volatile boolean isReleased;

        Source(final MemberDisk disk)
        {
            super(disk);
        }

        @Override
        boolean isHeld(final BlockRequest request)
        {
            final long offset = request.lba() * BLOCK_BYTES - RaidChannel.dataOffsetBytes();
            final boolean isCopied =
                BlockOperation.READ == request.operation() && offset >= 0 && offset < MEMBER_BYTES / 2;
            isAsked |= isCopied;
            return isCopied && !isReleased;
        }
    }

    /** What is copied to it waits. */
    private static final class Copied extends Held
    {
        /** Since it was asked for the first. */
        private volatile int polls;
        private volatile boolean isReleased;

        Copied(final MemberDisk disk)
        {
            super(disk);
        }

        @Override
        boolean isHeld(final BlockRequest request)
        {
            final long offset = request.lba() * BLOCK_BYTES - RaidChannel.dataOffsetBytes();
            // The end of a device is erased before it is a member.
            if (isReleased || BlockOperation.WRITE != request.operation() || offset < 0 || offset >= MEMBER_BYTES / 2)
            {
                return false;
            }
            polls = polls + 1;
            return true;
        }
    }

    /** Knows what it was asked for. */
    private static final class Asked extends Held
    {
        private final Queue<BlockOperation> operations = new ConcurrentLinkedQueue<>();

        Asked(final MemberDisk disk)
        {
            super(disk);
        }

        @Override
        boolean isHeld(final BlockRequest request)
        {
            operations.add(request.operation());
            return false;
        }
    }

    /** What is copied waits for the array to be known, and flushes wait as soon as it is complete. */
    private static final class NoFlush extends Held
    {
        private volatile RaidDevice array;
        private volatile boolean isOver;

        NoFlush(final MemberDisk disk)
        {
            super(disk);
        }

        @Override
        boolean isHeld(final BlockRequest request)
        {
            final RaidDevice present = array;
            if (null == present)
            {
                return BlockOperation.WRITE == request.operation() &&
                    request.lba() * BLOCK_BYTES >= RaidChannel.dataOffsetBytes() &&
                    request.lba() * BLOCK_BYTES < RaidChannel.dataOffsetBytes() + MEMBER_BYTES;
            }
            return BlockOperation.FLUSH == request.operation() && !isOver && present.view().isComplete();
        }
    }

    /** A flush of it ends when it was written meanwhile, or long after that was possible. */
    private static final class LateFlush extends Held
    {
        private static final int POLLS = 20_000;
        private static final int WRITES = 12;

        private final MemberDisk disk;
        private final Source source;
        private volatile boolean hasFlushed;
        private long writesBefore;
        private int polls;

        LateFlush(final MemberDisk disk, final Source source)
        {
            super(disk);
            this.disk = disk;
            this.source = source;
        }

        @Override
        boolean isHeld(final BlockRequest request)
        {
            return false;
        }

        @Override
        boolean isEndHeld(final BlockRequest request)
        {
            if (BlockOperation.FLUSH != request.operation() || hasFlushed)
            {
                return false;
            }
            if (0 == polls)
            {
                writesBefore = disk.writes();
            }
            polls++;
            // It has begun: what is copied now is not flushed.
            source.isReleased |= polls > POLLS / 2;
            hasFlushed = disk.writes() - writesBefore >= WRITES || polls > POLLS;
            return !hasFlushed;
        }
    }
}
