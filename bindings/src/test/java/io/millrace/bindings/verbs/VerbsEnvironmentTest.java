package io.millrace.bindings.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.millrace.bindings.Native;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerbsEnvironmentTest
{
    private static final MethodHandle GETENV = Native.link("getenv", FunctionDescriptor.of(ADDRESS, ADDRESS));

    @SuppressWarnings("restricted")
    private static String variable(final String name) throws Throwable
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment value = (MemorySegment)GETENV.invokeExact(arena.allocateFrom(name));
            return MemorySegment.NULL.equals(value) ? null : value.reinterpret(Integer.MAX_VALUE).getString(0);
        }
    }

    @Test
    void shouldKeepWhatTheUserHasSet() throws Throwable
    {
        VerbsEnvironment.setDefault("MILLRACE_TEST_OF_A_DEFAULT", "first");
        VerbsEnvironment.setDefault("MILLRACE_TEST_OF_A_DEFAULT", "second");
        assertEquals("first", variable("MILLRACE_TEST_OF_A_DEFAULT"));
    }

    /** Also when the library is missing: another one may load it. */
    @Test
    void shouldBeSetBeforeALibraryIsLoaded() throws Throwable
    {
        VerbsEnvironment.probe("no library", "none", "libmillrace-is-none.so.1", List.of("none"));
        assertNotNull(variable(VerbsEnvironment.ALLOW_DISASSOCIATED_DESTROY));
        assertNotNull(VerbsCalls.capability());
    }
}
