package io.millrace.block.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.FailureCause;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.DmaMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FaultDeviceTest
{
    private static final int BLOCK = 4096;
    private static final Set<BlockOperation> WRITES = Set.of(BlockOperation.WRITE);

    private final DmaMemory arena = DmaMemory.map(2 << 20);
    private FaultDevice device;
    private Initiator initiator;

    @AfterEach
    void close()
    {
        if (null != initiator)
        {
            initiator.close();
            device.close();
        }
        arena.close();
    }

    @Test
    void shouldNameTheRuleThatFailedARequest()
    {
        open(FaultPlan.of(1, FaultRule.error(BlockStatus.MEDIA_ERROR).withRange(10, 19),
            FaultRule.tornWrite().withStatus(BlockStatus.DEVICE_ERROR).withRange(30, 39)));
        for (final int lba : new int[]{10, 30, 50})
        {
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.WRITE, lba, 8, false, arena.address(), 8 * BLOCK);
            initiator.send(io);
            final boolean fails = BlockStatus.SUCCESS != initiator.await(io);
            assertEquals(50 != lba, fails);
            assertEquals(fails ? FailureCause.FAULT_RULE : FailureCause.NONE, io.request().cause());
            assertEquals(fails ? lba / 20 + 1 : 0, io.request().causeCode());
            assertNull(io.request().failedDevice());
        }
    }

    @Test
    void shouldFailOnlyTheNamedOperationsInTheRange()
    {
        open(FaultPlan.of(1, FaultRule.error(BlockStatus.MEDIA_ERROR).withRange(10, 19)
            .withOperations(Set.of(BlockOperation.READ, BlockOperation.FLUSH))));
        assertEquals(BlockStatus.SUCCESS, read(0, 10));
        assertEquals(BlockStatus.MEDIA_ERROR, read(0, 11));
        assertEquals(BlockStatus.MEDIA_ERROR, read(19, 1));
        assertEquals(BlockStatus.SUCCESS, read(20, 1));
        assertEquals(BlockStatus.SUCCESS, write(15, 1, 0x11));
        assertEquals(BlockStatus.MEDIA_ERROR, initiator.run(BlockOperation.FLUSH, 0, 0, false));
        assertEquals(3, device.faultCount(0));
    }

    @Test
    void shouldVerifyAsItsInnerDeviceDoesButForFaults()
    {
        open(FaultPlan.of(1, FaultRule.error(BlockStatus.MEDIA_ERROR)
            .withOperations(Set.of(BlockOperation.VERIFY)).withRange(10, 19)));
        assertTrue(device.geometry().supportsVerify());
        assertEquals(BlockStatus.MEDIA_ERROR, initiator.run(BlockOperation.VERIFY, 0, 11, false));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.VERIFY, 0, 10, false));
        assertEquals(BlockStatus.SUCCESS, read(10, 1));
        device.plan(FaultPlan.of(1, FaultRule.error(BlockStatus.DEVICE_ERROR))).join();
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.VERIFY, 0, 1, false));
    }

    /** What is emulated where a device does not do it: the rule's status reaches the submitter all the same. */
    @ParameterizedTest
    @EnumSource(names = {"COMPARE", "VERIFY", "WRITE_ZEROES"})
    void shouldEndAsNotSupportedByARule(final BlockOperation operation)
    {
        open(FaultPlan.of(1, FaultRule.error(BlockStatus.NOT_SUPPORTED).withOperations(Set.of(operation))));
        try (FaultDevice outer = FaultDevice.wrap("outer", device, FaultPlan.NONE);
            Initiator second = initiator.beside(outer))
        {
            for (final Initiator host : List.of(initiator, second))
            {
                final Initiator.Io io = host.io();
                Initiator.fill(io.request(), operation, 3, 1, false,
                    BlockOperation.COMPARE == operation ? new long[]{arena.address(), BLOCK} : new long[0]);
                host.send(io);
                assertEquals(BlockStatus.NOT_SUPPORTED, host.await(io));
                assertEquals(FailureCause.FAULT_RULE, io.request().cause());
            }
        }
    }

    @Test
    void shouldLoseAWriteAndReportSuccess()
    {
        open(FaultPlan.of(1, FaultRule.lostWrite().withCount(1)));
        assertEquals(BlockStatus.SUCCESS, write(3, 1, 0x11));
        assertBlock(3, 0);
        assertEquals(BlockStatus.SUCCESS, write(3, 1, 0x22));
        assertBlock(3, 0x22);
        assertEquals(1, device.faultCount(0));
    }

    @Test
    void shouldLoseACopyByWhatItOverwrites()
    {
        open(FaultPlan.of(1, FaultRule.lostWrite().withRange(20, 29)));
        assertEquals(BlockStatus.SUCCESS, write(3, 1, 0x11));
        assertEquals(BlockStatus.SUCCESS, initiator.copy(3, 20, 1, false));
        assertBlock(20, 0);
        assertEquals(BlockStatus.SUCCESS, initiator.copy(3, 30, 1, false));
        assertBlock(30, 0x11);
        assertEquals(BlockStatus.SUCCESS, initiator.copy(20, 30, 1, false));
        assertBlock(30, 0);
        assertEquals(1, device.faultCount(0));
    }

    @Test
    void shouldFailACopyByWhatItReadsToo()
    {
        open(FaultPlan.of(1, FaultRule.error(BlockStatus.MEDIA_ERROR).withRange(10, 19)));
        assertEquals(BlockStatus.MEDIA_ERROR, initiator.copy(8, 30, 3, false));
        assertEquals(BlockStatus.MEDIA_ERROR, initiator.copy(30, 19, 1, false));
        assertEquals(BlockStatus.SUCCESS, initiator.copy(20, 9, 1, false));
        assertEquals(2, device.faultCount(0));
    }

    @Test
    void shouldTearAWriteAtABlock()
    {
        open(FaultPlan.of(7, FaultRule.tornWrite().withStatus(BlockStatus.DEVICE_ERROR)));
        boolean wasSomeWritten = false;
        for (int round = 0; round < 20; round++)
        {
            final int lba = round * 8;
            assertEquals(BlockStatus.DEVICE_ERROR, write(lba, 8, 0x33));
            assertEquals(BlockStatus.SUCCESS, read(lba, 8));
            int written = 0;
            while (written < 8 && 0x33 == NativeMemory.getByte(arena.address() + (long)written * BLOCK))
            {
                written++;
            }
            assertTrue(written < 8, "nothing was torn off");
            wasSomeWritten |= written > 0;
            for (int offset = 0; offset < 8 * BLOCK; offset++)
            {
                assertEquals(offset < written * BLOCK ? 0x33 : 0, NativeMemory.getByte(arena.address() + offset));
            }
        }
        assertTrue(wasSomeWritten);
    }

    @Test
    void shouldDelayAndThenDoWhatFollows()
    {
        final long delayNs = 5_000_000;
        open(FaultPlan.of(1, FaultRule.delay(delayNs), FaultRule.delay(delayNs).withOperations(WRITES),
            FaultRule.error(BlockStatus.CAPACITY_EXCEEDED).withRange(9, 9)));
        final long startNs = initiator.nowNs();
        assertEquals(BlockStatus.SUCCESS, write(0, 1, 0x44));
        assertTrue(initiator.nowNs() - startNs >= 2 * delayNs, "delays did not add up");
        assertBlock(0, 0x44);
        final long errorNs = initiator.nowNs();
        assertEquals(BlockStatus.CAPACITY_EXCEEDED, write(9, 1, 0x44));
        assertTrue(initiator.nowNs() - errorNs >= 2 * delayNs, "the error was not delayed");
    }

    @Test
    void shouldLetOthersPassWhileOneIsDelayed()
    {
        open(FaultPlan.of(1, FaultRule.delay(60_000_000_000L).withRange(5, 5), FaultRule.hang().withRange(6, 6)));
        final Initiator.Io slow = initiator.io();
        Initiator.fill(slow.request(), BlockOperation.READ, 5, 1, false, arena.address(), BLOCK);
        final Initiator.Io hung = initiator.io();
        Initiator.fill(hung.request(), BlockOperation.READ, 6, 1, false, arena.address(), BLOCK);
        initiator.send(slow, hung);
        assertEquals(BlockStatus.SUCCESS, read(4, 1));
        assertFalse(slow.result().isDone());
        assertFalse(hung.result().isDone());
        assertEquals(2, initiator.call(initiator.channel()::inFlight));
        initiator.closeChannel();
        assertEquals(BlockStatus.ABORTED, initiator.await(slow));
        assertEquals(BlockStatus.ABORTED, initiator.await(hung));
    }

    @Test
    void shouldTakeEachNthMatchAndStopAfterTheCount()
    {
        open(FaultPlan.of(1, FaultRule.error(BlockStatus.DEVICE_ERROR).withEvery(3).withCount(2)));
        final List<Integer> failed = new ArrayList<>();
        for (int i = 1; i <= 12; i++)
        {
            if (BlockStatus.DEVICE_ERROR == read(0, 1))
            {
                failed.add(i);
            }
        }
        assertEquals(List.of(3, 6), failed);
    }

    @Test
    void shouldDecideTheSameForTheSameSeed()
    {
        final List<Integer> first = failuresWithSeed(42);
        final List<Integer> again = failuresWithSeed(42);
        final List<Integer> other = failuresWithSeed(43);
        assertEquals(first, again);
        assertNotEquals(first, other);
        assertTrue(first.size() > 30 && first.size() < 90, () -> first.size() + " of 200 failed, 30 % were asked for");
    }

    @Test
    void shouldPassOnWhatItsInnerDeviceRefusesForNow()
    {
        open(FaultPlan.of(1, FaultRule.delay(1_000_000).withOperations(WRITES)));
        try (Initiator borrower = new Initiator("borrower", device.inner()))
        {
            final Initiator.Io loan = borrower.io();
            loan.request().reset(BlockOperation.READ, 2, 1).lendable(true);
            borrower.send(loan);
            borrower.await(loan);
            final Initiator.Io write = initiator.io();
            NativeMemory.fill(arena.address(), BLOCK, (byte)0x55);
            Initiator.fill(write.request(), BlockOperation.WRITE, 2, 1, false, arena.address(), BLOCK);
            initiator.send(write);
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.FLUSH, 0, 0, false));
            assertFalse(write.result().isDone());
            borrower.call(() ->
            {
                borrower.channel().releaseLoan(loan.request());
                return null;
            });
            assertEquals(BlockStatus.SUCCESS, initiator.await(write));
        }
        assertBlock(2, 0x55);
    }

    @Test
    void shouldTakeItsOwnName()
    {
        try (FaultDevice named = FaultDevice.wrap("bad", MemoryDevice.create("good", BLOCK, BLOCK), FaultPlan.NONE))
        {
            assertEquals("bad", named.name());
            assertFalse(named.geometry().lendsReads());
            assertFalse(named.geometry().completesInline());
        }
    }

    @Test
    void shouldNameValueAndRemedyWhenARuleDoesNotFit()
    {
        final FaultRule rule = FaultRule.error(BlockStatus.MEDIA_ERROR);
        assertRefused("fault range 5 to 4 is empty: give a first block from 0 and a last block not below it",
            () -> rule.withRange(5, 4));
        assertRefused("fault probability 0.0 is outside (0, 1]: choose one inside", () -> rule.withProbability(0));
        assertRefused("fault every 0 is below 1: use 1 for each request", () -> rule.withEvery(0));
        assertRefused("fault count -1 is below 0: use 0 for no end", () -> rule.withCount(-1));
        assertRefused("fault status SUCCESS is not an error: choose another status",
            () -> FaultRule.error(BlockStatus.SUCCESS));
        assertRefused("fault delay 0 ns does not go with effect DELAY: a delay needs a time above 0, other " +
            "effects none", () -> FaultRule.delay(0));
    }

    private static void assertRefused(final String message, final Runnable action)
    {
        assertEquals(message, assertThrows(BlockDeviceException.class, action::run).getMessage());
    }

    private List<Integer> failuresWithSeed(final long seed)
    {
        final List<Integer> failed = new ArrayList<>();
        try (FaultDevice drawn = FaultDevice.wrap(MemoryDevice.create("memory", 64 * BLOCK, BLOCK),
            FaultPlan.of(seed, FaultRule.error(BlockStatus.MEDIA_ERROR).withProbability(0.3)));
            Initiator reader = new Initiator("reader", drawn))
        {
            for (int i = 0; i < 200; i++)
            {
                if (BlockStatus.SUCCESS != reader.run(BlockOperation.READ, i % 64, 1, false, arena.address(), BLOCK))
                {
                    failed.add(i);
                }
            }
        }
        return failed;
    }

    private void open(final FaultPlan plan)
    {
        device = FaultDevice.wrap(MemoryDevice.create("memory", 256 * BLOCK, BLOCK), plan);
        initiator = new Initiator("faulty", device);
    }

    private BlockStatus read(final long lba, final int blocks)
    {
        return initiator.run(BlockOperation.READ, lba, blocks, false, arena.address(), (long)blocks * BLOCK);
    }

    private BlockStatus write(final long lba, final int blocks, final int value)
    {
        NativeMemory.fill(arena.address(), (long)blocks * BLOCK, (byte)value);
        return initiator.run(BlockOperation.WRITE, lba, blocks, false, arena.address(), (long)blocks * BLOCK);
    }

    private void assertBlock(final long lba, final int value)
    {
        try (Initiator inner = new Initiator("inner", device.inner()))
        {
            inner.run(BlockOperation.READ, lba, 1, false, arena.address(), BLOCK);
        }
        for (int i = 0; i < BLOCK; i++)
        {
            assertEquals((byte)value, NativeMemory.getByte(arena.address() + i));
        }
    }
}
