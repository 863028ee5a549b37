package io.millrace.bench;

import io.millrace.bindings.Native;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.EpollEvent;
import io.millrace.bindings.linux.Files;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of calls into C. {@code labs} does next to nothing, so its times are the call itself: plain, with {@code errno}
 * kept, with the thread's own capture segment looked up each time as the bindings do, and as a critical call without
 * thread state transition. {@code epoll_wait} with a time-out of 0 shows how much of that is left of a real system
 * call, which is also what a spinning reactor pays to ask for ready descriptors.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE})
public class NativeCallBenchmark
{
    private static final FunctionDescriptor LABS_DESCRIPTOR =
        FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    private static final MethodHandle LABS = Native.link("labs", LABS_DESCRIPTOR);
    private static final MethodHandle LABS_ERRNO = Native.linkErrno("labs", LABS_DESCRIPTOR);
    private static final MethodHandle LABS_CRITICAL = Native.linkCriticalErrno("labs", LABS_DESCRIPTOR);

    private Arena arena;
    private MemorySegment capture;
    private long eventsAddress;
    private int epollFd;
    private int eventFd;
    private long value = -42;

    /**
     * Makes an epoll instance with one descriptor that is not ready.
     */
    @Setup
    public void setUp()
    {
        arena = Arena.ofShared();
        capture = Native.capture();
        eventsAddress = arena.allocate(EpollEvent.SIZE_BYTES, Long.BYTES).address();
        epollFd = NativeException.check("epoll_create1", Epoll.create(Epoll.EPOLL_CLOEXEC));
        eventFd = NativeException.check("eventfd", Files.eventfd(0, Files.EFD_CLOEXEC | Files.EFD_NONBLOCK));
        EpollEvent.set(eventsAddress, Epoll.EPOLLIN, eventFd);
        NativeException.check("epoll_ctl", Epoll.control(epollFd, Epoll.EPOLL_CTL_ADD, eventFd, eventsAddress));
    }

    /**
     * Closes both.
     */
    @TearDown
    public void tearDown()
    {
        Files.close(eventFd);
        Files.close(epollFd);
        arena.close();
    }

    /**
     * A call whose {@code errno} is not kept.
     *
     * @return the absolute value.
     * @throws Throwable never.
     */
    @Benchmark
    public long plain() throws Throwable
    {
        return (long)LABS.invokeExact(value);
    }

    /**
     * A call whose {@code errno} is kept in a segment that is at hand.
     *
     * @return the absolute value.
     * @throws Throwable never.
     */
    @Benchmark
    public long errno() throws Throwable
    {
        return (long)LABS_ERRNO.invokeExact(capture, value);
    }

    /**
     * A call whose {@code errno} is kept in the thread's segment.
     *
     * @return the absolute value.
     * @throws Throwable never.
     */
    @Benchmark
    public long errnoThreadLocal() throws Throwable
    {
        return (long)LABS_ERRNO.invokeExact(Native.capture(), value);
    }

    /**
     * A critical call whose {@code errno} is kept in the thread's segment.
     *
     * @return the absolute value.
     * @throws Throwable never.
     */
    @Benchmark
    public long criticalThreadLocal() throws Throwable
    {
        return (long)LABS_CRITICAL.invokeExact(Native.capture(), value);
    }

    /**
     * {@code epoll_wait} by the call that may block.
     *
     * @return count of events, 0.
     */
    @Benchmark
    public int epollWait()
    {
        return Epoll.waitFor(epollFd, eventsAddress, 1, 0);
    }

    /**
     * {@code epoll_wait} by the critical call.
     *
     * @return count of events, 0.
     */
    @Benchmark
    public int epollPoll()
    {
        return Epoll.poll(epollFd, eventsAddress, 1);
    }
}
