package io.millrace.block;

import static io.millrace.block.ManualEmulation.BUFFER_BLOCKS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Emulated requests that are withdrawn or cancelled, as their host is gone. */
class EmulationCancelTest
{
    private static final int SLOTS = 8;

    private final ManualEmulation manual = new ManualEmulation(true);
    private final Emulation emulation = manual.emulation;

    @AfterEach
    void close()
    {
        manual.close();
    }

    private BlockRequest submit(final BlockOperation operation, final int blocks)
    {
        final BlockRequest request = manual.request(operation, 0, blocks);
        assertTrue(emulation.submit(request));
        return request;
    }

    @Test
    void shouldWithdrawOnlyRequestsThatAreNotBegun()
    {
        final List<BlockRequest> requests = new ArrayList<>();
        for (int i = 0; i < SLOTS + 3; i++)
        {
            requests.add(submit(BlockOperation.WRITE_ZEROES, 1));
        }
        assertFalse(emulation.withdraw(requests.getFirst()));
        assertFalse(emulation.withdraw(requests.get(SLOTS - 1)));
        assertTrue(emulation.withdraw(requests.get(SLOTS + 1)));
        assertTrue(emulation.withdraw(requests.get(SLOTS)));
        assertEquals(SLOTS + 1, emulation.inFlight());
        manual.completeAll();
        assertEquals(SLOTS + 1, manual.completed.size());
        assertFalse(manual.completed.contains(requests.get(SLOTS)));
        assertFalse(manual.completed.contains(requests.get(SLOTS + 1)));
    }

    @Test
    void shouldBeginNoOtherBeforeThePollWhenOneIsWithdrawn()
    {
        manual.takeSharedBuffers();
        final List<BlockRequest> requests = new ArrayList<>();
        for (int i = 0; i < SLOTS + 2; i++)
        {
            requests.add(submit(BlockOperation.VERIFY, 1));
        }
        manual.releaseSharedBuffers();
        for (int i = 0; i < SLOTS; i++)
        {
            assertTrue(emulation.withdraw(requests.get(i)));
        }
        assertTrue(manual.submitted.isEmpty());
        assertFalse(emulation.canSleep());
        assertTrue(emulation.withdraw(requests.get(SLOTS)));
        emulation.poll();
        assertEquals(1, manual.submitted.size());
        manual.completeAll();
        assertEquals(List.of(requests.getLast()), manual.completed);
    }

    @Test
    void shouldSendNoFurtherPartOfACancelledRequest()
    {
        final BlockRequest request = submit(BlockOperation.WRITE_ZEROES, 9 * BUFFER_BLOCKS);
        assertFalse(emulation.withdraw(request));
        emulation.cancel(request);
        final long usedBytes = manual.pool().usedBytes();
        for (int left = EmulatedRequest.PARTS_MAX; left > 0; left--)
        {
            assertEquals(left, manual.submitted.size());
            assertTrue(manual.completed.isEmpty());
            assertEquals(usedBytes, manual.pool().usedBytes());
            manual.completeFirst(BlockStatus.SUCCESS);
            emulation.poll();
        }
        assertEquals(FailureCause.CANCELLED, request.cause());
        assertEquals(BlockStatus.ABORTED, manual.outcome());
        assertTrue(manual.submitted.isEmpty());
    }

    @Test
    void shouldNotSubmitPartsThatTheChannelRefusedBefore()
    {
        manual.capacity = 2;
        final BlockRequest request = submit(BlockOperation.WRITE_ZEROES, 4 * BUFFER_BLOCKS);
        emulation.cancel(request);
        emulation.poll();
        assertTrue(manual.completed.isEmpty(), "the device has two");
        manual.completeAll();
        assertEquals(BlockStatus.ABORTED, manual.outcome());
        assertEquals(0, emulation.poll());
        assertTrue(emulation.canSleep());
    }

    @Test
    void shouldSucceedWhenAllPartsWereSentBefore()
    {
        final BlockRequest request = submit(BlockOperation.WRITE_ZEROES, 2 * BUFFER_BLOCKS);
        emulation.cancel(request);
        manual.completeAll();
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }

    @Test
    void shouldEndACancelledVerifyWithTheErrorOfThePartInFlight()
    {
        final BlockRequest request = submit(BlockOperation.VERIFY, 3 * BUFFER_BLOCKS);
        emulation.cancel(request);
        manual.completeFirst(BlockStatus.MEDIA_ERROR);
        assertEquals(FailureCause.NONE, request.cause(), "is an error of the device");
        assertEquals(BlockStatus.MEDIA_ERROR, manual.outcome());
        assertTrue(manual.submitted.isEmpty());
    }

    @Test
    void shouldKeepMemoryOfACancelledRequestThatTheDeviceMayStillUse()
    {
        final BlockRequest request = submit(BlockOperation.WRITE_ZEROES, 9 * BUFFER_BLOCKS);
        emulation.cancel(request);
        final MemoryHold hold = new MemoryQuarantine().completeHeld(manual.submitted.remove(), BlockStatus.ABORTED);
        manual.completeAll();
        assertEquals(BlockStatus.ABORTED, manual.outcome());
        assertEquals(ManualEmulation.BUFFER_BYTES, manual.pool().usedBytes());
        submit(BlockOperation.VERIFY, 1);
        assertEquals(2 * ManualEmulation.BUFFER_BYTES, manual.pool().usedBytes(), "not the same buffer");
        manual.completeAll();
        hold.release();
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }

    @Test
    void shouldEndACancelledRequestOnceWhenTheChannelIsClosed()
    {
        manual.capacity = 1;
        final BlockRequest request = submit(BlockOperation.WRITE_ZEROES, 9 * BUFFER_BLOCKS);
        emulation.cancel(request);
        emulation.close();
        emulation.cancel(request);
        assertTrue(manual.completed.isEmpty());
        manual.completeAll();
        assertEquals(BlockStatus.ABORTED, manual.outcome());
    }

    @ParameterizedTest
    @EnumSource(names = {"VERIFY", "WRITE_ZEROES"})
    void shouldNotBeginWhatTheDeviceRefusesAfterTheCancel(final BlockOperation operation)
    {
        try (ManualEmulation able = new ManualEmulation(false))
        {
            final BlockRequest request = able.request(operation, 0, 3);
            assertTrue(able.emulation.submit(request));
            assertFalse(able.emulation.withdraw(request));
            able.emulation.cancel(request);
            able.completeFirst(BlockStatus.NOT_SUPPORTED);
            assertEquals(FailureCause.CANCELLED, request.cause());
            assertEquals(BlockStatus.ABORTED, able.outcome());
            assertTrue(able.submitted.isEmpty());

            assertTrue(able.emulation.submit(request.reset(operation, 0, 3)));
            able.completeFirst(BlockStatus.NOT_SUPPORTED);
            able.completeAll();
            assertEquals(BlockStatus.SUCCESS, able.outcome());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VERIFY", "WRITE_ZEROES"})
    void shouldNotBeginWhatTheDeviceRefusesAfterTheClose(final BlockOperation operation)
    {
        try (ManualEmulation able = new ManualEmulation(false))
        {
            assertTrue(able.emulation.submit(able.request(operation, 0, 3)));
            able.emulation.close();
            able.completeFirst(BlockStatus.NOT_SUPPORTED);
            assertEquals(0, able.emulation.inFlight());
            assertEquals(0, able.pool().usedBytes());
            assertEquals(BlockStatus.ABORTED, able.outcome());
        }
    }

    @Test
    void shouldLeaveRequestsThatTheDeviceDoesAlone()
    {
        final BlockRequest write = submit(BlockOperation.WRITE, 3);
        assertFalse(emulation.withdraw(write));
        emulation.cancel(write);
        manual.completeAll();
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }
}
