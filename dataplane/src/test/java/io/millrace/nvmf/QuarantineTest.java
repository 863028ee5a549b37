package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.request.DeviceChannels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Buffers of commands that a device gave up on, and may still write to. */
class QuarantineTest
{
    private static final int BLOCK = 512;
    private static final int LARGE_BLOCKS = 128;
    private static final byte LATE = 0x5A;

    private final ManualDevice device = ManualDevice.create(64);
    private final TestTarget target = new TestTarget(1, device);
    private final TestHost host = target.io();

    @AfterEach
    void close()
    {
        target.close();
    }

    private CompletableFuture<Completion> read(final int blocks)
    {
        return host.submit((entry) -> entry.opcode(IoOpcode.READ).namespaceId(1).cdw12(blocks - 1)
            .sglLength(blocks * BLOCK));
    }

    private long used()
    {
        return target.reactor(0).call(() -> target.reactor(0).buffers().usedBytes());
    }

    private long quarantined()
    {
        return target.reactor(0).call(() -> target.reactor(0).pollGroup().quarantinedBytes());
    }

    @Test
    void shouldGiveNobodyABufferThatTheDeviceMayStillWriteTo()
    {
        final CompletableFuture<Completion> given = read(8);
        final long[] address = new long[1];
        final MemoryHold hold = target.reactor(0).call(() ->
        {
            address[0] = device.first().segments().address(0);
            return device.completeFirstHeld(BlockStatus.ABORTED);
        });
        assertEquals(NvmeStatus.ABORT_REQUESTED, TestHost.await(given).code());
        assertEquals(4096, quarantined());
        assertEquals(4096, used());
        // Whoever takes all that is left, again and again, does not get it.
        final BufferPool pool = target.reactor(0).buffers();
        for (int round = 0; round < 3; round++)
        {
            final Map<Long, BufferShare> taken = target.reactor(0).call(() -> takeAll(pool));
            assertFalse(taken.containsKey(address[0]));
            // The pool keeps the last one for who has nothing yet.
            assertEquals(pool.lengthBytes() / BufferPool.BUFFER_BYTES_MIN - 2, taken.size());
            // The device writes late: to nobody's memory.
            NativeMemory.fill(address[0], 4096, LATE);
            taken.keySet().forEach((other) -> assertEquals(0, NativeMemory.getByte(other + 4095)));
            target.reactor(0).run(() -> taken.forEach((other, share) -> pool.release(share, other, 4096)));
        }
        target.reactor(0).run(hold::release);
        assertEquals(0, quarantined());
        assertEquals(0, used());
        target.reactor(0).run(hold::release);
        assertEquals(0, used());
    }

    /** Each for a connection of its own, since none gets more than is free. */
    private static Map<Long, BufferShare> takeAll(final BufferPool pool)
    {
        final Map<Long, BufferShare> taken = new HashMap<>();
        while (true)
        {
            final BufferShare share = pool.newShare(new BufferGroup());
            final long next = pool.acquire(share, 4096);
            if (0 == next)
            {
                return taken;
            }
            NativeMemory.fill(next, 4096, (byte)0);
            taken.put(next, share);
        }
    }

    @Test
    void shouldKeepABufferWhoseConnectionIsGone()
    {
        read(8);
        host.close();
        final MemoryHold hold = target.reactor(0).call(() -> device.completeFirstHeld(BlockStatus.ABORTED));
        assertEquals(4096, used());
        assertEquals(0, target.reactor(0).pollGroup().requestsInUse());
        target.reactor(0).run(hold::release);
        assertEquals(0, used());
    }

    @Test
    void shouldGiveBackAtOnceWhatWasReleasedBeforeTheBufferWasGivenUp()
    {
        host.holdSends(true);
        final CompletableFuture<Completion> given = read(8);
        target.reactor(0).run(() -> device.completeFirstHeld(BlockStatus.ABORTED).release());
        host.holdSends(false);
        host.sendHeld();
        TestHost.await(given);
        assertEquals(0, used());
        assertEquals(0, quarantined());
    }

    /** A read that a device answers in other memory, and whose own it may still write to. */
    private MemoryHold completeLent(final DmaMemory memory)
    {
        return target.reactor(0).call(() -> device.completeFirstLent(memory.address()));
    }

    @Test
    void shouldSendWhatADeviceLendsInsteadOfTheBuffer()
    {
        try (DmaMemory memory = DmaMemory.map(4096))
        {
            NativeMemory.fill(memory.address(), 4096, LATE);
            final CompletableFuture<Completion> given = read(8);
            final long own = target.reactor(0).call(() -> device.first().segments().address(0));
            final MemoryHold hold = completeLent(memory);
            final Completion completion = TestHost.await(given);
            assertEquals(NvmeStatus.SUCCESS, completion.status());
            assertArrayEquals(NativeMemory.bytes(memory.address(), 4096), completion.data());
            assertEquals(0, device.loans());
            // The buffer is nobody's until the device is done with it.
            assertEquals(4096, used());
            assertEquals(0, NativeMemory.getByte(own));
            final CompletableFuture<Completion> next = read(8);
            assertNotEquals(own, target.reactor(0).call(() -> device.first().segments().address(0)));
            target.reactor(0).run(() -> device.completeFirst(BlockStatus.SUCCESS));
            TestHost.await(next);
            target.reactor(0).run(hold::release);
            assertEquals(0, used());
        }
    }

    /** A connection that cannot send now copies it. */
    @Test
    void shouldGiveBackALoanThatIsNotSentYet()
    {
        try (DmaMemory memory = DmaMemory.map(4096))
        {
            NativeMemory.fill(memory.address(), 4096, LATE);
            host.holdSends(true);
            final CompletableFuture<Completion> given = read(8);
            final MemoryHold hold = completeLent(memory);
            assertEquals(1, device.loans());
            assertTrue(host.copyHeldLoans());
            assertEquals(0, device.loans());
            assertEquals(8192, used());
            NativeMemory.fill(memory.address(), 4096, (byte)0);
            target.reactor(0).run(hold::release);
            host.holdSends(false);
            host.sendHeld();
            assertEquals(LATE, TestHost.await(given).data()[4095]);
            assertEquals(0, used());
        }
    }

    @Test
    void shouldGiveBackALoanWhoseConnectionIsGone()
    {
        try (DmaMemory memory = DmaMemory.map(4096))
        {
            read(8);
            host.close();
            final MemoryHold hold = completeLent(memory);
            assertEquals(0, device.loans());
            assertEquals(4096, used());
            target.reactor(0).run(hold::release);
            assertEquals(0, used());
            assertEquals(0, target.reactor(0).pollGroup().requestsInUse());
        }
    }

    /** A part is sent from its buffer. */
    @Test
    void shouldNotAskForALoanOfAPart()
    {
        final CompletableFuture<Completion> given = read(ManualDevice.MAX_TRANSFER_BYTES / BLOCK);
        for (boolean isFirst = true; !given.isDone(); isFirst = false)
        {
            final boolean isPart = target.reactor(0).call(() ->
            {
                final boolean isWhole = device.first().segments().totalBytes() == ManualDevice.MAX_TRANSFER_BYTES;
                assertEquals(isWhole, device.first().lendable());
                device.completeFirst(BlockStatus.SUCCESS);
                return !isWhole;
            });
            assertTrue(isPart || isFirst);
        }
    }

    @Test
    void shouldServeTheSlotsNextCommandFromAnotherBuffer()
    {
        final CompletableFuture<Completion> given = read(1);
        final MemoryHold hold = target.reactor(0).call(() -> device.completeFirstHeld(BlockStatus.ABORTED));
        TestHost.await(given);
        final CompletableFuture<Completion> next = read(1);
        target.reactor(0).run(() ->
        {
            assertNull(device.first().hold());
            device.completeFirst(BlockStatus.SUCCESS);
        });
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(next).status());
        assertEquals(4096, used());
        target.reactor(0).run(hold::release);
    }

    @Test
    void shouldRefuseCommandsToADeviceThatHasMoreThanItsShareInQuarantine()
    {
        final long share = target.reactor(0).buffers().lengthBytes() / DeviceChannels.QUARANTINE_SHARE;
        final List<MemoryHold> holds = new ArrayList<>();
        while (quarantined() <= share)
        {
            final CompletableFuture<Completion> given = read(LARGE_BLOCKS);
            holds.add(target.reactor(0).call(() -> device.completeFirstHeld(BlockStatus.ABORTED)));
            TestHost.await(given);
        }
        final Completion refused = TestHost.await(read(1));
        assertEquals(NvmeStatus.NAMESPACE_NOT_READY, refused.status());
        assertTrue(refused.isRetryable());
        assertEquals(1, target.log().stream().filter((line) -> line.contains("quarantine")).count(),
            () -> target.log().toString());
        target.reactor(0).run(() -> holds.removeLast().release());
        final CompletableFuture<Completion> served = read(1);
        target.reactor(0).run(() -> device.completeFirst(BlockStatus.SUCCESS));
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(served).status());
        target.reactor(0).run(() -> holds.forEach(MemoryHold::release));
        assertEquals(0, used());
    }
}
