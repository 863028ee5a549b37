package io.millrace.bindings;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibraryTest
{
    private static final String REMEDY = "install libnothere1";

    @Test
    void shouldBeOnWhenLibraryHasAllFunctions()
    {
        final NativeLibrary library =
            NativeLibrary.probe("C library", REMEDY, List.of("libc.so.6"), List.of("getpid", "recv"));

        assertEquals(Capability.on("C library", "libc.so.6"), library.capability());
        assertNotEquals(0L, library.address("recv").address());
    }

    @Test
    void shouldCallWhatItHasFound() throws Throwable
    {
        final NativeLibrary library =
            NativeLibrary.probe("C library", REMEDY, List.of("libc.so.6"), List.of("getpid"));

        final MethodHandle getpid = library.link("getpid", FunctionDescriptor.of(JAVA_INT));
        assertEquals(ProcessHandle.current().pid(), (int)getpid.invokeExact());
    }

    @Test
    void shouldKeepErrnoWhenACallOfItFails() throws Throwable
    {
        final NativeLibrary library = NativeLibrary.probe("C library", REMEDY, List.of("libc.so.6"), List.of("close"));

        final MethodHandle close = library.linkErrno("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
        final MemorySegment capture = Native.capture();
        assertEquals(-Errno.EBADF, Native.intResult(capture, (long)close.invokeExact(capture, -1L)));
    }

    @Test
    void shouldTakeTheNextCandidateWhenTheFirstIsMissing()
    {
        final NativeLibrary library =
            NativeLibrary.probe("C library", REMEDY, List.of("libnothere.so.1", "libc.so.6"), List.of("recv"));

        assertTrue(library.capability().isAvailable(), library.capability()::toString);
    }

    @Test
    void shouldSayWhyAndWhatToDoWhenFileIsMissing()
    {
        final NativeLibrary library =
            NativeLibrary.probe("nothing", REMEDY, List.of("libnothere.so.1", "libnothere.so"), List.of("open"));

        assertEquals("nothing is off: " +
            "libnothere.so.1: cannot open shared object file: No such file or directory; " +
            "libnothere.so: cannot open shared object file: No such file or directory; install libnothere1",
            library.capability().toString());
    }

    @Test
    void shouldNameFunctionsWhenTheyAreMissing()
    {
        final NativeLibrary library = NativeLibrary.probe("C library", "install a newer one", List.of("libc.so.6"),
            List.of("recv", "recv_by_telepathy", "send_by_telepathy"));

        assertFalse(library.capability().isAvailable());
        assertEquals("libc.so.6 lacks recv_by_telepathy, send_by_telepathy", library.capability().reason());
    }

    @Test
    void shouldSayWhatTheLoaderSaysWhenFileIsNoLibrary(@TempDir final Path folder) throws Exception
    {
        final Path file = Files.writeString(folder.resolve("libtext.so"), "no library at all");

        final NativeLibrary library = NativeLibrary.probe("text", REMEDY, List.of(file.toString()), List.of("recv"));

        assertEquals(file + ": file too short", library.capability().reason());
    }

    @Test
    void shouldRefuseAddressesWhenOffOrNotProbed()
    {
        final NativeLibrary off = NativeLibrary.probe("nothing", REMEDY, List.of("libnothere.so"), List.of("recv"));
        assertThrows(IllegalStateException.class, () -> off.address("recv"));

        final NativeLibrary on = NativeLibrary.probe("C library", REMEDY, List.of("libc.so.6"), List.of("recv"));
        assertThrows(IllegalArgumentException.class, () -> on.address("send"));
    }

    @Test
    void shouldRefuseCapabilityWhenRemedyDoesNotFit()
    {
        assertThrows(IllegalArgumentException.class, () -> new Capability("x", true, "found", "install it"));
        assertThrows(IllegalArgumentException.class, () -> new Capability("x", false, "missing", ""));
    }
}
