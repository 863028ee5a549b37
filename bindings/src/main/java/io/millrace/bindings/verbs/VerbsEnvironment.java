package io.millrace.bindings.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.millrace.bindings.Native;
import io.millrace.bindings.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * What libibverbs reads from the environment when it is first used, set before it, or a library that needs it, is
 * loaded. Set-up only; any thread.
 */
public final class VerbsEnvironment
{
    /**
     * Has calls that destroy succeed for a device that is gone, as the kernel has freed it: without it they answer
     * {@code EIO} and keep what they should free in the process (ibv_open_device(3)).
     */
    public static final String ALLOW_DISASSOCIATED_DESTROY = "RDMAV_ALLOW_DISASSOC_DESTROY";

    private VerbsEnvironment()
    {
    }

    /**
     * Loads a library of rdma-core when it is there.
     *
     * @param name      what it is called in messages.
     * @param remedy    what to do when it is missing.
     * @param file      name of the library.
     * @param functions that are needed of it.
     * @return the library, whose capability shows whether it can be used.
     */
    public static NativeLibrary probe(
        final String name, final String remedy, final String file, final List<String> functions)
    {
        setDefault(ALLOW_DISASSOCIATED_DESTROY, "1");
        return NativeLibrary.probe(name, remedy, List.of(file), functions);
    }

    /** Sets a variable of the process unless the user has set it. */
    static void setDefault(final String variable, final String value)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment name = arena.allocateFrom(variable);
            // Memory for the variable is all that it needs; without it the library does what it does by default.
            final int ignored = (int)Handles.SETENV.invokeExact(name, arena.allocateFrom(value), 0);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static final class Handles
    {
        private static final MethodHandle SETENV =
            Native.link("setenv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    }
}
