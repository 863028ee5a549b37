package io.millrace.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A shared library that may or may not be on this machine. Probing loads it and resolves the required functions; it
 * never throws, but records why the library cannot be used. A library once loaded stays for the life of the process.
 * Set-up only; immutable, any thread.
 */
public final class NativeLibrary
{
    private static final int RTLD_NOW = 2;

    private final Capability capability;
    private final Map<String, MemorySegment> symbols;

    private NativeLibrary(final Capability capability, final Map<String, MemorySegment> symbols)
    {
        this.capability = capability;
        this.symbols = Map.copyOf(symbols);
    }

    /**
     * Loads a library when it is there.
     *
     * @param name       what it is called in messages.
     * @param remedy     what to do when it is missing, for example {@code "install libibverbs1"}.
     * @param candidates file names or paths, the preferred first, as {@code dlopen(3)} takes them.
     * @param functions  that are needed of it; all must be in the same library.
     * @return the library, whose capability shows whether it can be used.
     */
    public static NativeLibrary probe(
        final String name, final String remedy, final List<String> candidates, final List<String> functions)
    {
        final List<String> reasons = new ArrayList<>();
        try (Arena arena = Arena.ofConfined())
        {
            for (final String candidate : candidates)
            {
                final MemorySegment handle = Loader.open(arena.allocateFrom(candidate));
                if (MemorySegment.NULL.equals(handle))
                {
                    reasons.add(Loader.error(candidate + " cannot be loaded"));
                    continue;
                }
                final Map<String, MemorySegment> found = new TreeMap<>();
                final List<String> missing = resolve(arena, handle, functions, found);
                if (missing.isEmpty())
                {
                    return new NativeLibrary(Capability.on(name, candidate), found);
                }
                reasons.add(candidate + " lacks " + String.join(", ", missing));
            }
        }
        return new NativeLibrary(Capability.off(name, String.join("; ", reasons), remedy), Map.of());
    }

    /**
     * {@return whether the library can be used, and why}
     */
    public Capability capability()
    {
        return capability;
    }

    /**
     * Address of a function.
     *
     * @param function one of those that were probed for.
     * @return its address.
     * @throws IllegalStateException    when the library cannot be used.
     * @throws IllegalArgumentException when it was not probed for.
     */
    public MemorySegment address(final String function)
    {
        if (!capability.isAvailable())
        {
            throw new IllegalStateException(function + ": " + capability);
        }
        final MemorySegment address = symbols.get(function);
        if (null == address)
        {
            throw new IllegalArgumentException(function + ": not among the probed functions of " + capability.name());
        }
        return address;
    }

    /**
     * A function of the library, as {@link Native#link} has those of the C library.
     *
     * @param function   one of those that were probed for.
     * @param descriptor of its arguments and result.
     * @return a handle for {@code invokeExact}.
     * @throws IllegalStateException    when the library cannot be used.
     * @throws IllegalArgumentException when it was not probed for.
     */
    public MethodHandle link(final String function, final FunctionDescriptor descriptor)
    {
        return Native.link(address(function), descriptor);
    }

    /**
     * A function of the library whose {@code errno} matters, as {@link Native#linkErrno} has those of the C library:
     * the handle takes {@link Native#capture()} first, then each argument as a {@code long}.
     *
     * @param function   one of those that were probed for.
     * @param descriptor of its arguments and result; integers and addresses only.
     * @return a handle for {@code invokeExact}.
     * @throws IllegalStateException    when the library cannot be used.
     * @throws IllegalArgumentException when it was not probed for.
     */
    public MethodHandle linkErrno(final String function, final FunctionDescriptor descriptor)
    {
        return Native.linkErrno(function, address(function), descriptor);
    }

    /**
     * A function of the library that never blocks and takes a short time: neither a capture of {@code errno} nor a
     * thread-state transition, so no safepoint can happen while it runs. The handle takes each argument as a
     * {@code long} and answers a {@code long}, whose upper half is undefined for a narrower result.
     *
     * @param function   one of those that were probed for.
     * @param descriptor of its arguments and result; integers and addresses only.
     * @return a handle for {@code invokeExact}.
     * @throws IllegalStateException    when the library cannot be used.
     * @throws IllegalArgumentException when it was not probed for.
     */
    public MethodHandle linkCritical(final String function, final FunctionDescriptor descriptor)
    {
        return Native.linkCritical(function, address(function), descriptor);
    }

    private static List<String> resolve(
        final Arena arena,
        final MemorySegment handle,
        final List<String> functions,
        final Map<String, MemorySegment> found)
    {
        final List<String> missing = new ArrayList<>();
        for (final String function : functions)
        {
            final MemorySegment address = Loader.symbol(handle, arena.allocateFrom(function));
            if (MemorySegment.NULL.equals(address))
            {
                missing.add(function);
            }
            else
            {
                found.put(function, address);
            }
        }
        return missing;
    }

    /**
     * The dynamic loader, called directly because it reports the problem, a missing dependency for example.
     */
    private static final class Loader
    {
        private static final MethodHandle DLOPEN =
            Native.link("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
        private static final MethodHandle DLSYM =
            Native.link("dlsym", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
        private static final MethodHandle DLERROR = Native.link("dlerror", FunctionDescriptor.of(ADDRESS));

        private static MemorySegment open(final MemorySegment file)
        {
            try
            {
                return (MemorySegment)DLOPEN.invokeExact(file, RTLD_NOW);
            }
            catch (final Throwable t)
            {
                throw Native.broken(t);
            }
        }

        private static MemorySegment symbol(final MemorySegment handle, final MemorySegment name)
        {
            try
            {
                return (MemorySegment)DLSYM.invokeExact(handle, name);
            }
            catch (final Throwable t)
            {
                throw Native.broken(t);
            }
        }

        /** The text is the loader's until its next call on this thread. */
        @SuppressWarnings("restricted")
        private static String error(final String otherwise)
        {
            try
            {
                final MemorySegment text = (MemorySegment)DLERROR.invokeExact();
                return MemorySegment.NULL.equals(text) ? otherwise : text.reinterpret(Integer.MAX_VALUE).getString(0);
            }
            catch (final Throwable t)
            {
                throw Native.broken(t);
            }
        }
    }
}
