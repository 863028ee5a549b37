package io.millrace.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.linux.Files;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class NativeTest
{
    @Test
    void shouldWidenIntegersAndAddressesWhenLinked()
    {
        assertEquals(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Native.widen("f", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_SHORT, JAVA_LONG)));
    }

    @Test
    void shouldRefuseToLinkWhenArgumentTravelsElsewhere()
    {
        final MemoryLayout pair = MemoryLayout.structLayout(JAVA_LONG, JAVA_LONG);

        assertThrows(IllegalArgumentException.class,
            () -> Native.linkErrno("ldexp", FunctionDescriptor.of(JAVA_DOUBLE, JAVA_DOUBLE, JAVA_INT)));
        assertThrows(IllegalArgumentException.class, () -> Native.widen("f", FunctionDescriptor.of(JAVA_LONG, pair)));
    }

    @Test
    void shouldLookAtLowerHalfOnlyWhenResultIsAnInt()
    {
        assertEquals(-Errno.EBADF, Files.close(-1));
        final MemorySegment capture = Native.capture();

        assertEquals(-Errno.EBADF, Native.intResult(capture, 0x12345678_FFFFFFFFL));
        assertEquals(7, Native.intResult(capture, 0x12345678_00000007L));
        assertEquals(0x12345678_FFFFFFFFL, Native.result(capture, 0x12345678_FFFFFFFFL));
        assertEquals(-Errno.EBADF, Native.result(capture, -1L));
        assertEquals(-Errno.EBADF, Native.addressResult(capture, 0L));
        assertEquals(-1L, Native.addressResult(capture, -1L), "any address");
        capture.fill((byte)0);
        assertEquals(-Errno.EIO, Native.addressResult(capture, 0L), "a function that leaves no reason");
    }

    @Test
    void shouldKeepErrnoApartWhenThreadsDiffer() throws Exception
    {
        final AtomicReference<MemorySegment> other = new AtomicReference<>();
        final Thread thread = new Thread(() -> other.set(Native.capture()));
        thread.start();
        thread.join();

        assertNotSame(Native.capture(), other.get());
        assertSame(Native.capture(), Native.capture());
    }

    @Test
    void shouldDescribeErrorNumberWhenAsked()
    {
        assertEquals("No space left on device (errno 28)", Errno.describe(Errno.ENOSPC));
        assertTrue(Errno.describe(4095).startsWith("Unknown error"), Errno.describe(4095));
    }

    @Test
    void shouldCarryFunctionAndErrorNumberWhenCheckFails()
    {
        final NativeException thrown = assertThrows(NativeException.class,
            () -> NativeException.check("bind 127.0.0.1:4420", -Errno.EADDRINUSE));

        assertEquals("bind 127.0.0.1:4420: Address already in use (errno 98)", thrown.getMessage());
        assertEquals("bind 127.0.0.1:4420", thrown.function());
        assertEquals(Errno.EADDRINUSE, thrown.errno());
        assertEquals(5, NativeException.check("read", 5));
        assertEquals(1L << 40, NativeException.check("mmap", 1L << 40));
    }

    @Test
    void shouldRethrowErrorsWhenHandleIsBroken()
    {
        assertThrows(StackOverflowError.class, () -> Native.broken(new StackOverflowError()));
        assertEquals(IllegalStateException.class,
            Native.broken(new IllegalStateException()).getCause().getClass());
    }
}
