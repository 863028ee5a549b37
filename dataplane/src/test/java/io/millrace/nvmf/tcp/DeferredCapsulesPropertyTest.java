package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvmf.tcp.pdu.CapsuleCommand;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class DeferredCapsulesPropertyTest
{
    private static final int BLOCK_BYTES = 24 << 10;
    private static final int CAPSULE_BYTES_MAX = 8 << 10;

    /** Capsules come out as they went in, whoever else adds and takes, and everything is given back. */
    @Property(tries = 100)
    void shouldKeepCapsulesInOrder(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        try (Arena arena = Arena.ofConfined(); SlabPool pool = new SlabPool(BLOCK_BYTES, 16, () -> {}))
        {
            final long capsule = arena.allocate(CAPSULE_BYTES_MAX, 8).address();
            final DeferralBlocks blocks = new DeferralBlocks(pool);
            final List<DeferredCapsules> all = new ArrayList<>();
            final List<ArrayDeque<Long>> expected = new ArrayList<>();
            for (int i = 0; i < 8; i++)
            {
                all.add(new DeferredCapsules(blocks, "192.0.2." + i % 3));
                expected.add(new ArrayDeque<>());
            }
            for (int step = 0; step < 3000; step++)
            {
                final int index = random.nextInt(all.size());
                final DeferredCapsules deferred = all.get(index);
                final int length = CapsuleCommand.SIZE_BYTES + 8 * random.nextInt(CAPSULE_BYTES_MAX / 16);
                if (0 != random.nextInt(3) && deferred.hasRoom(length))
                {
                    NativeMemory.putInt(capsule + CommonHeader.PDU_LENGTH_OFFSET, length);
                    NativeMemory.putLong(capsule + 8, step);
                    NativeMemory.putLong(capsule + length - 8, step);
                    deferred.add(capsule, length);
                    expected.get(index).add((long)step);
                }
                else if (!deferred.isEmpty())
                {
                    final long start = deferred.address();
                    final long want = expected.get(index).remove();
                    assertEquals(want, NativeMemory.getLong(start + 8));
                    assertEquals(want, NativeMemory.getLong(start + WireHeader.pduLength(start) - 8));
                    assertEquals(start - deferred.viewAddress() + deferred.view().addressOffset(), start);
                    deferred.remove();
                }
                assertEquals(expected.get(index).size(), deferred.count());
                assertEquals(pool.usedCount(), blocks.used());
            }
            all.forEach(DeferredCapsules::close);
            assertEquals(0, blocks.used());
            assertEquals(0, pool.usedCount());
        }
    }

    /** Whoever puts aside what they can leave some to connections at another address. */
    @Example
    void shouldLeaveBlocksToOtherAddresses()
    {
        try (Arena arena = Arena.ofConfined(); SlabPool pool = new SlabPool(BLOCK_BYTES, 16, () -> {}))
        {
            final int length = CAPSULE_BYTES_MAX;
            final long capsule = arena.allocate(length, 8).address();
            NativeMemory.putInt(capsule + CommonHeader.PDU_LENGTH_OFFSET, length);
            final DeferralBlocks blocks = new DeferralBlocks(pool);
            final List<DeferredCapsules> all = new ArrayList<>();
            for (int i = 0; i < 1000; i++)
            {
                fill(blocks, all, capsule, length, "192.0.2.1");
            }
            assertTrue(blocks.used() <= blocks.max() / 2 + 1, blocks.used() + " of " + blocks.max());
            final int before = blocks.used();
            fill(blocks, all, capsule, length, "192.0.2.2");
            assertTrue(blocks.used() - before > blocks.max() / 10, blocks.used() - before + " of " + blocks.max());
            all.forEach(DeferredCapsules::close);
            assertEquals(0, blocks.used());
        }
    }

    /** However many connections at however many addresses put aside what they may: the memory has a bound. */
    @Example
    void shouldTakeNoMoreMemoryThanAReactorHasForThem()
    {
        try (Arena arena = Arena.ofConfined(); SlabPool pool = new SlabPool(BLOCK_BYTES, 16, () -> {}))
        {
            final int length = CAPSULE_BYTES_MAX;
            final long capsule = arena.allocate(length, 8).address();
            NativeMemory.putInt(capsule + CommonHeader.PDU_LENGTH_OFFSET, length);
            final DeferralBlocks blocks = new DeferralBlocks(pool);
            final List<DeferredCapsules> all = new ArrayList<>();
            int before = Integer.MAX_VALUE;
            for (int i = 0; i < 2000; i++)
            {
                final int usedBefore = blocks.used();
                fill(blocks, all, capsule, length, "192.0.2." + i);
                final int got = blocks.used() - usedBefore;
                assertTrue(got <= before, "connection " + i + " got " + got + " blocks, the one before " + before);
                assertTrue(got > 0 || blocks.max() == usedBefore, "connection " + i + " got none of those left");
                before = got;
                assertTrue((long)pool.usedCount() * BLOCK_BYTES <= DeferralBlocks.BYTES_MAX,
                    "connection " + i + ": " + pool.usedCount() + " blocks");
            }
            assertEquals(blocks.max(), blocks.used());
            // What one gives back another may have.
            all.getFirst().close();
            final int freed = blocks.max() - blocks.used();
            assertTrue(freed > 0);
            final DeferredCapsules late = new DeferredCapsules(blocks, "192.0.2.9999");
            all.add(late);
            assertTrue(late.hasRoom(length));
            all.forEach(DeferredCapsules::close);
            assertEquals(0, blocks.used());
        }
    }

    /** A block that has room takes another capsule, also when there is no block left; a full one does not. */
    @Example
    void shouldHaveRoomInItsLastBlockWhenNoneIsLeft()
    {
        try (Arena arena = Arena.ofConfined(); SlabPool pool = new SlabPool(BLOCK_BYTES, 16, () -> {}))
        {
            final int length = BLOCK_BYTES / 2;
            final long capsule = arena.allocate(length, 8).address();
            NativeMemory.putInt(capsule + CommonHeader.PDU_LENGTH_OFFSET, length);
            final DeferralBlocks blocks = new DeferralBlocks(pool);
            final List<DeferredCapsules> all = new ArrayList<>();
            final DeferredCapsules first = new DeferredCapsules(blocks, "192.0.2.1");
            all.add(first);
            first.add(capsule, length);
            for (int i = 0; blocks.used() < blocks.max(); i++)
            {
                fill(blocks, all, capsule, length, "198.51.100." + i);
            }
            assertTrue(first.hasRoom(length));
            assertFalse(first.hasRoom(length + 8));
            first.add(capsule, length);
            assertFalse(first.hasRoom(CapsuleCommand.SIZE_BYTES));
            assertEquals(blocks.max(), blocks.used());
            all.forEach(DeferredCapsules::close);
        }
    }

    private static void fill(
        final DeferralBlocks blocks,
        final List<DeferredCapsules> all,
        final long capsule,
        final int length,
        final String address)
    {
        final DeferredCapsules deferred = new DeferredCapsules(blocks, address);
        all.add(deferred);
        while (deferred.hasRoom(length))
        {
            deferred.add(capsule, length);
        }
    }
}
