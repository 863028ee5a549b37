package io.millrace.bindings.spdk;

import io.millrace.bindings.Errno;
import io.millrace.bindings.Native;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.generated.spdk.spdk_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * Calls of {@code native/spdk/millrace_spdk.h}: a reactor that hosts SPDK threads, and SPDK's subsystems. Each call of
 * a reactor is made on its thread. {@link SpdkLibrary#capability} is available, and the environment started.
 */
public final class SpdkReactorCalls
{
    /** Level of a message of {@link #readLog} that says how many were lost. */
    public static final int LOG_LOST = -2;
    /** {@code enum spdk_log_level}: an error. */
    public static final int LOG_ERROR = 0;
    /** {@code enum spdk_log_level}: a warning. */
    public static final int LOG_WARNING = 1;
    private static final int LOG_NONE = -1;

    private SpdkReactorCalls()
    {
    }

    /** Has messages of SPDK kept for {@link #readLog}; before the environment is started. */
    public static void openLog()
    {
        try
        {
            Handles.LOG_OPEN.invokeExact();
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Takes the oldest message of SPDK. Any thread.
     *
     * @param text room for it.
     * @return its level, {@link #LOG_LOST}, or -1 for no message; the text is UTF-8 that ends with 0.
     */
    public static int readLog(final MemorySegment text)
    {
        try
        {
            return (int)Handles.LOG_READ.invokeExact(text, (int)text.byteSize());
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@return whether {@link #readLog} returned no message}
     *
     * @param level that it returned.
     */
    public static boolean isNoMessage(final int level)
    {
        return LOG_NONE == level;
    }

    /** Begins SPDK's thread library, once a process, after the environment. */
    public static void startThreads()
    {
        try
        {
            check("spdk_thread_lib_init_ext", (int)Handles.THREADS_START.invokeExact());
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Makes the pools smaller that SPDK has by default, of requests and of buffers: before
     * {@link #startSubsystems}, whose configuration may set others.
     *
     * @param divisor of what they have; a power of two from 1 to 16.
     * @throws NativeException when SPDK refuses.
     */
    public static void dividePools(final int divisor)
    {
        try
        {
            check("millrace_spdk_pools_divide", (int)Handles.POOLS_DIVIDE.invokeExact(divisor));
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Finds what SPDK takes in a configuration without a word: of several JSON values it reads the first. Any thread;
     * SPDK need not have started.
     *
     * @param json SPDK's configuration.
     * @return 0, or the line, from 1, in which text follows the JSON object.
     * @throws NativeException with {@link Errno#ENODATA} when there are blanks and comments alone, or
     *                         {@link Errno#EBADMSG} when there is no JSON object, or its {@code subsystems} are no
     *                         array.
     */
    public static int checkConfiguration(final String json)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            final int result = (int)Handles.CONFIGURATION_CHECK.invokeExact(
                arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), (long)bytes.length);
            check("millrace_spdk_configuration_check", result);
            return result;
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Makes a reactor with an SPDK thread; that of the first is SPDK's application thread.
     *
     * @param name of the SPDK thread.
     * @return the reactor.
     * @throws NativeException when there is no memory for it.
     */
    public static MemorySegment create(final String name)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment error = arena.allocate(ValueLayout.JAVA_INT);
            final MemorySegment reactor =
                (MemorySegment)Handles.CREATE.invokeExact(arena.allocateFrom(name), error);
            if (MemorySegment.NULL.equals(reactor))
            {
                throw new NativeException("millrace_spdk_reactor_create", -error.get(ValueLayout.JAVA_INT, 0));
            }
            return reactor;
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    static long queues(final MemorySegment reactor)
    {
        try
        {
            return ((MemorySegment)Handles.QUEUES.invokeExact(reactor)).address();
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Takes requests, and polls SPDK's threads. Allocates nothing.
     *
     * @param reactor that is polled.
     * @param again   whether SPDK takes the time of the last poll, which was a moment ago, instead of reading a clock.
     * @return how much was done, and {@code MILLRACE_SPDK_HOSTED} for each thread of SPDK's modules that had work.
     */
    public static int poll(final MemorySegment reactor, final boolean again)
    {
        try
        {
            return (int)Handles.POLL.invokeExact(reactor, again ? 1 : 0);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@return nanoseconds until a timed poller of SPDK is due; {@link Long#MAX_VALUE} without timed pollers}
     *
     * @param reactor with the pollers.
     */
    public static long idleNs(final MemorySegment reactor)
    {
        try
        {
            return (long)Handles.IDLE_NS.invokeExact(reactor);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@return count of SPDK threads that a reactor hosts}
     *
     * @param reactor that hosts them.
     */
    public static int threads(final MemorySegment reactor)
    {
        return number(Handles.THREADS, reactor);
    }

    /**
     * Begins to end the reactor's SPDK thread; everything opened on it is closed. It is polled until {@link #hasEnded}.
     *
     * @param reactor to end.
     */
    public static void exit(final MemorySegment reactor)
    {
        run(Handles.EXIT, reactor);
    }

    /**
     * {@return whether a reactor has no SPDK threads any more}
     *
     * @param reactor to look at.
     */
    public static boolean hasEnded(final MemorySegment reactor)
    {
        return 0 != number(Handles.ENDED, reactor);
    }

    /**
     * Frees a reactor that has ended, and its queues.
     *
     * @param reactor to free.
     */
    public static void free(final MemorySegment reactor)
    {
        run(Handles.FREE, reactor);
    }

    /**
     * Starts SPDK's subsystems on the first reactor. A message says when they are.
     *
     * @param reactor   the first.
     * @param json      SPDK's configuration; empty: none.
     * @param operation number that the message has.
     * @throws NativeException when there is no memory.
     */
    public static void startSubsystems(final MemorySegment reactor, final String json, final int operation)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            final MemorySegment text =
                json.isEmpty() ? MemorySegment.NULL : arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            check("millrace_spdk_subsystems_start",
                (int)Handles.SUBSYSTEMS_START.invokeExact(reactor, text, (long)bytes.length, operation));
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Stops SPDK's subsystems. A message says when they are.
     *
     * @param reactor   the first.
     * @param operation number that the message has.
     * @throws NativeException when there is no memory.
     */
    public static void stopSubsystems(final MemorySegment reactor, final int operation)
    {
        try
        {
            check("millrace_spdk_subsystems_stop", (int)Handles.SUBSYSTEMS_STOP.invokeExact(reactor, operation));
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Serves SPDK's JSON-RPC on a Unix domain socket.
     *
     * @param reactor the first.
     * @param path    of the socket.
     * @throws NativeException when the socket cannot be made.
     */
    public static void listenRpc(final MemorySegment reactor, final String path)
    {
        try (Arena arena = Arena.ofConfined())
        {
            check("spdk_rpc_initialize", (int)Handles.RPC_LISTEN.invokeExact(reactor, arena.allocateFrom(path)));
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Ends {@link #listenRpc}.
     *
     * @param reactor the first.
     */
    public static void closeRpc(final MemorySegment reactor)
    {
        run(Handles.RPC_CLOSE, reactor);
    }

    private static int number(final MethodHandle handle, final MemorySegment reactor)
    {
        try
        {
            return (int)handle.invokeExact(reactor);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static void run(final MethodHandle handle, final MemorySegment reactor)
    {
        try
        {
            handle.invokeExact(reactor);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static void check(final String call, final int result)
    {
        if (result < 0)
        {
            throw new NativeException(call, -result);
        }
    }

    private static final class Handles
    {
        private static final MethodHandle LOG_OPEN =
            SpdkLibrary.link("millrace_spdk_log_open", spdk_h.millrace_spdk_log_open$descriptor());
        private static final MethodHandle LOG_READ =
            SpdkLibrary.link("millrace_spdk_log_read", spdk_h.millrace_spdk_log_read$descriptor());
        private static final MethodHandle THREADS_START =
            SpdkLibrary.link("millrace_spdk_threads_start", spdk_h.millrace_spdk_threads_start$descriptor());
        private static final MethodHandle POOLS_DIVIDE =
            SpdkLibrary.link("millrace_spdk_pools_divide", spdk_h.millrace_spdk_pools_divide$descriptor());
        private static final MethodHandle CONFIGURATION_CHECK = SpdkLibrary.link(
            "millrace_spdk_configuration_check", spdk_h.millrace_spdk_configuration_check$descriptor());
        private static final MethodHandle CREATE =
            SpdkLibrary.link("millrace_spdk_reactor_create", spdk_h.millrace_spdk_reactor_create$descriptor());
        private static final MethodHandle QUEUES =
            SpdkLibrary.link("millrace_spdk_reactor_queues", spdk_h.millrace_spdk_reactor_queues$descriptor());
        private static final MethodHandle POLL =
            SpdkLibrary.link("millrace_spdk_reactor_poll", spdk_h.millrace_spdk_reactor_poll$descriptor());
        private static final MethodHandle IDLE_NS =
            SpdkLibrary.link("millrace_spdk_reactor_idle_ns", spdk_h.millrace_spdk_reactor_idle_ns$descriptor());
        private static final MethodHandle THREADS =
            SpdkLibrary.link("millrace_spdk_reactor_threads", spdk_h.millrace_spdk_reactor_threads$descriptor());
        private static final MethodHandle EXIT =
            SpdkLibrary.link("millrace_spdk_reactor_exit", spdk_h.millrace_spdk_reactor_exit$descriptor());
        private static final MethodHandle ENDED =
            SpdkLibrary.link("millrace_spdk_reactor_ended", spdk_h.millrace_spdk_reactor_ended$descriptor());
        private static final MethodHandle FREE =
            SpdkLibrary.link("millrace_spdk_reactor_free", spdk_h.millrace_spdk_reactor_free$descriptor());
        private static final MethodHandle SUBSYSTEMS_START =
            SpdkLibrary.link("millrace_spdk_subsystems_start", spdk_h.millrace_spdk_subsystems_start$descriptor());
        private static final MethodHandle SUBSYSTEMS_STOP =
            SpdkLibrary.link("millrace_spdk_subsystems_stop", spdk_h.millrace_spdk_subsystems_stop$descriptor());
        private static final MethodHandle RPC_LISTEN =
            SpdkLibrary.link("millrace_spdk_rpc_listen", spdk_h.millrace_spdk_rpc_listen$descriptor());
        private static final MethodHandle RPC_CLOSE =
            SpdkLibrary.link("millrace_spdk_rpc_close", spdk_h.millrace_spdk_rpc_close$descriptor());
    }
}
