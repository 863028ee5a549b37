package io.millrace.bindings.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;
import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThreadsTest
{
    private static final int MASK_BYTES = 1024;

    private final Arena arena = Arena.ofShared();
    private final long scratch = arena.allocate(4096, 64).address();

    @AfterEach
    void close()
    {
        arena.close();
    }

    @Test
    void shouldBindTheCallingThreadOnlyWhenBound() throws Exception
    {
        final BigInteger before = allowed();

        assertEquals(BigInteger.ONE.shiftLeft(before.getLowestSetBit()), onOwnThread(this::bindToLowestAllowed));

        assertEquals(before, allowed());
    }

    @Test
    void shouldAnswerInvalidWhenNoProcessorIsLeft()
    {
        NativeMemory.fill(scratch, MASK_BYTES, (byte)0);

        assertEquals(-Errno.EINVAL, Threads.schedSetaffinity(0, MASK_BYTES, scratch));
    }

    @Test
    void shouldReadLimitsAndSetThemToTheSame()
    {
        NativeMemory.fill(scratch, ResourceLimit.SIZE_BYTES, (byte)0xA5);
        NativeException.check("getrlimit", Threads.getrlimit(Threads.RLIMIT_NOFILE, scratch));
        final long soft = ResourceLimit.soft(scratch);
        final long hard = ResourceLimit.hard(scratch);
        assertTrue(soft >= 64 && Long.compareUnsigned(soft, hard) <= 0, () -> soft + " of " + hard);

        ResourceLimit.set(scratch + 64, soft, hard);
        assertEquals(0, Threads.setrlimit(Threads.RLIMIT_NOFILE, scratch + 64));
        assertEquals(0, Threads.getrlimit(Threads.RLIMIT_MEMLOCK, scratch));
        assertNotEquals(0xA5A5A5A5A5A5A5A5L, ResourceLimit.soft(scratch));
        assertEquals(-Errno.EINVAL, Threads.getrlimit(-1, scratch));
    }

    @Test
    void shouldAnswerInvalidWhenSoftLimitIsAboveHard()
    {
        ResourceLimit.set(scratch, 2, 1);

        assertEquals(-Errno.EINVAL, Threads.setrlimit(Threads.RLIMIT_NOFILE, scratch));
    }

    @Test
    void shouldScheduleTheCallingThreadAsAsked() throws Exception
    {
        assertEquals(List.of(SchedulingAttributes.SCHED_BATCH, 3), onOwnThread(() ->
        {
            SchedulingAttributes.set(scratch, SchedulingAttributes.SCHED_BATCH, 3, 200_000);
            NativeException.check("sched_setattr", Threads.schedSetattr(0, scratch));
            NativeMemory.fill(scratch, SchedulingAttributes.SIZE_BYTES, (byte)0xA5);
            NativeException.check("sched_getattr", Threads.schedGetattr(0, scratch));
            final long sliceNs = SchedulingAttributes.sliceNs(scratch);
            // 0 from kernels before Linux 6.12.
            assertTrue(0 == sliceNs || 200_000 == sliceNs, () -> "slice " + sliceNs);
            return List.of(SchedulingAttributes.policy(scratch), SchedulingAttributes.nice(scratch));
        }));
        SchedulingAttributes.set(scratch, 77, 0, 0);
        assertEquals(-Errno.EINVAL, Threads.schedSetattr(0, scratch));
    }

    private BigInteger bindToLowestAllowed()
    {
        final int cpu = allowed().getLowestSetBit();
        NativeMemory.fill(scratch, MASK_BYTES, (byte)0);
        NativeMemory.putByte(scratch + cpu / 8, (byte)(1 << cpu % 8));
        NativeException.check("sched_setaffinity", Threads.schedSetaffinity(0, MASK_BYTES, scratch));
        return allowed();
    }

    private BigInteger allowed()
    {
        NativeMemory.fill(scratch, MASK_BYTES, (byte)0);
        NativeException.check("sched_getaffinity", Threads.schedGetaffinity(0, MASK_BYTES, scratch));
        final byte[] bytes = new byte[MASK_BYTES];
        for (int i = 0; i < MASK_BYTES; i++)
        {
            bytes[MASK_BYTES - 1 - i] = NativeMemory.getByte(scratch + i);
        }
        return new BigInteger(1, bytes);
    }

    private static <T> T onOwnThread(final Supplier<T> work) throws Exception
    {
        final CompletableFuture<T> result = new CompletableFuture<>();
        final Thread thread = new Thread(() -> result.completeAsync(work, Runnable::run));
        thread.start();
        return result.get(10, TimeUnit.SECONDS);
    }
}
