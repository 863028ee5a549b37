package io.millrace.bindings;

import io.millrace.bindings.generated.linux.linux_h;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Links functions of the C library so that their {@code errno} is kept. Stateless but for one small capture segment a
 * thread; any thread.
 */
public final class Native
{
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CAPTURE_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
        CAPTURE_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> CAPTURE =
        ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CAPTURE_LAYOUT));

    private Native()
    {
    }

    /**
     * A C library function whose {@code errno} matters. The handle takes {@link #capture()} first, then each argument
     * as a {@code long}, and answers a {@code long}: integers and addresses travel in 64-bit registers on both
     * processors, and a handle costs milliseconds to make for each new combination of types, so only their number
     * counts. The upper half of a narrower result is undefined: see {@link #intResult}.
     *
     * @param name       of the function.
     * @param descriptor of its arguments and result; integers and addresses only.
     * @param options    more linker options, such as the first variadic argument.
     * @return a handle for {@code invokeExact}.
     */
    public static MethodHandle linkErrno(
        final String name, final FunctionDescriptor descriptor, final Linker.Option... options)
    {
        return linkWith(name, widen(name, descriptor), options, Linker.Option.captureCallState("errno"));
    }

    /**
     * As {@link #linkErrno} for a function that never blocks: no thread-state transition, so no safepoint can happen
     * while it runs.
     *
     * @param name       of the function.
     * @param descriptor of its arguments and result; integers and addresses only.
     * @param options    more linker options, such as the first variadic argument.
     * @return a handle for {@code invokeExact}.
     */
    public static MethodHandle linkCriticalErrno(
        final String name, final FunctionDescriptor descriptor, final Linker.Option... options)
    {
        return linkWith(name, widen(name, descriptor), options,
            Linker.Option.captureCallState("errno"), Linker.Option.critical(false));
    }

    /**
     * A function whose address is only known at the call, one of a table of function pointers. The handle takes its
     * address as a segment, then {@link #capture()}, then each argument as a {@code long}, and answers a {@code long}:
     * see {@link #linkErrno}. One handle serves every function of so many arguments.
     *
     * @param arguments of the function; integers and addresses only.
     * @return a handle for {@code invokeExact}.
     */
    @SuppressWarnings("restricted")
    public static MethodHandle linkPointerErrno(final int arguments)
    {
        final MemoryLayout[] wide = new MemoryLayout[arguments];
        Arrays.fill(wide, ValueLayout.JAVA_LONG);
        return LINKER.downcallHandle(FunctionDescriptor.of(ValueLayout.JAVA_LONG, wide),
            Linker.Option.captureCallState("errno"));
    }

    /**
     * As {@link #linkPointerErrno} for functions that never block and report errors by their result: neither a capture
     * nor a thread-state transition, so no safepoint can happen while one runs.
     *
     * @param arguments of the function; integers and addresses only.
     * @return a handle for {@code invokeExact}: the function's address as a segment, then each argument as a
     *     {@code long}.
     */
    @SuppressWarnings("restricted")
    public static MethodHandle linkPointerCritical(final int arguments)
    {
        final MemoryLayout[] wide = new MemoryLayout[arguments];
        Arrays.fill(wide, ValueLayout.JAVA_LONG);
        return LINKER.downcallHandle(
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, wide), Linker.Option.critical(false));
    }

    /** As {@link #linkErrno(String, FunctionDescriptor, Linker.Option...)}, for a function that has been found. */
    @SuppressWarnings("restricted")
    static MethodHandle linkErrno(
        final String name, final MemorySegment function, final FunctionDescriptor descriptor)
    {
        return LINKER.downcallHandle(function, widen(name, descriptor), Linker.Option.captureCallState("errno"));
    }

    /** As {@link #linkPointerCritical}, for a function that has been found. */
    @SuppressWarnings("restricted")
    static MethodHandle linkCritical(
        final String name, final MemorySegment function, final FunctionDescriptor descriptor)
    {
        return LINKER.downcallHandle(function, widen(name, descriptor), Linker.Option.critical(false));
    }

    static FunctionDescriptor widen(final String name, final FunctionDescriptor descriptor)
    {
        final MemoryLayout[] wide = new MemoryLayout[descriptor.argumentLayouts().size()];
        for (int i = 0; i < wide.length; i++)
        {
            wide[i] = widen(name, descriptor.argumentLayouts().get(i));
        }
        // What a function without a result leaves in the result's register is ignored by its caller.
        return FunctionDescriptor.of(
            descriptor.returnLayout().map(layout -> widen(name, layout)).orElse(ValueLayout.JAVA_LONG), wide);
    }

    private static MemoryLayout widen(final String name, final MemoryLayout layout)
    {
        final boolean integer = layout instanceof ValueLayout &&
            !(layout instanceof ValueLayout.OfFloat) && !(layout instanceof ValueLayout.OfDouble);
        if (!integer)
        {
            throw new IllegalArgumentException(name + ": " + layout + " does not travel in a 64-bit integer register");
        }
        return ValueLayout.JAVA_LONG;
    }

    @SuppressWarnings("restricted")
    private static MethodHandle linkWith(
        final String name,
        final FunctionDescriptor descriptor,
        final Linker.Option[] options,
        final Linker.Option... fixed)
    {
        final Linker.Option[] all = Arrays.copyOf(options, options.length + fixed.length);
        System.arraycopy(fixed, 0, all, options.length, fixed.length);
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, all);
    }

    /**
     * A C library function whose {@code errno} does not matter, or not before it has failed.
     * <p>
     * A captured {@code errno} costs a slice of the capture segment on each call. The compiler mostly removes it, but
     * whether it does depends on what it has seen of the process; a call without capture allocates nothing in any case.
     * So a call that is made per I/O, seldom fails and may be repeated is linked in both ways, and made again with
     * capture when it fails.
     *
     * @param name       of the function.
     * @param descriptor of its arguments and result.
     * @param options    more linker options, such as the first variadic argument.
     * @return a handle for {@code invokeExact}.
     */
    @SuppressWarnings("restricted")
    public static MethodHandle link(
        final String name, final FunctionDescriptor descriptor, final Linker.Option... options)
    {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, options);
    }

    @SuppressWarnings("restricted")
    static MethodHandle link(final MemorySegment function, final FunctionDescriptor descriptor)
    {
        return LINKER.downcallHandle(function, descriptor);
    }

    /**
     * {@return this thread's segment into which a call leaves its {@code errno}}
     */
    public static MemorySegment capture()
    {
        return CAPTURE.get();
    }

    /**
     * Folds a C result and the captured {@code errno} into one number.
     *
     * @param capture that was handed to the call.
     * @param result  of the call; -1 is failure.
     * @return the result, or the negated {@code errno}.
     */
    public static long result(final MemorySegment capture, final long result)
    {
        return -1L == result ? -(int)ERRNO.get(capture, 0L) : result;
    }

    /**
     * As {@link #result} for a function that answers an {@code int}, of which only the lower half is looked at.
     *
     * @param capture that was handed to the call.
     * @param result  of the call; -1 is failure.
     * @return the result, or the negated {@code errno}.
     */
    public static int intResult(final MemorySegment capture, final long result)
    {
        return -1 == (int)result ? -(int)ERRNO.get(capture, 0L) : (int)result;
    }

    /**
     * As {@link #result} for a function that answers an address, and NULL when it fails.
     *
     * @param capture that was handed to the call.
     * @param result  of the call; 0 is failure.
     * @return the address, or the negated {@code errno}; never 0: {@code EIO} when the function left none.
     */
    public static long addressResult(final MemorySegment capture, final long result)
    {
        if (0L != result)
        {
            return result;
        }
        final int errno = (int)ERRNO.get(capture, 0L);
        return 0 == errno ? -Errno.EIO : -errno;
    }

    /**
     * A method handle threw what C cannot throw: the linkage itself is broken.
     *
     * @param thrown by {@code invokeExact}.
     * @return never; throws, so that callers can write {@code throw broken(t)}.
     */
    public static AssertionError broken(final Throwable thrown)
    {
        if (thrown instanceof final Error error)
        {
            throw error;
        }
        return new AssertionError("native call cannot be made", thrown);
    }

    @SuppressWarnings("restricted")
    static String strerror(final int errno)
    {
        try
        {
            final MemorySegment text = (MemorySegment)ErrorText.STRERROR.invokeExact(errno);
            return text.reinterpret(256).getString(0);
        }
        catch (final Throwable t)
        {
            throw broken(t);
        }
    }

    /**
     * Linked when the first error is described, not at start.
     */
    private static final class ErrorText
    {
        private static final MethodHandle STRERROR = link("strerror", linux_h.strerror$descriptor());
    }
}
