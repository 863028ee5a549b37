package io.millrace.bindings.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketAddressTest
{
    private final Arena arena = Arena.ofConfined();
    private final long address = arena.allocate(SocketAddress.SIZE_BYTES_MAX, 8).address();

    @AfterEach
    void close()
    {
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 4420, 16", "192.168.255.1, 65535, 16", "::1, 8009, 28", "2001:db8::ff:1, 0, 28"})
    void shouldReadWhatWasWritten(final String host, final int port, final int lengthBytes) throws Exception
    {
        final InetSocketAddress expected = new InetSocketAddress(InetAddress.getByName(host), port);

        assertEquals(lengthBytes, SocketAddress.write(address, expected));
        assertEquals(expected, SocketAddress.read(address));
    }

    @Test
    void shouldPutPortAndAddressInNetworkOrder() throws Exception
    {
        NativeMemory.fill(address, SocketAddress.SIZE_BYTES_MAX, (byte)0xFF);
        SocketAddress.write(address, new InetSocketAddress(InetAddress.getByName("1.2.3.4"), 0x1144));

        assertEquals(Sockets.AF_INET, NativeMemory.getShort(address));
        assertEquals(0x11, NativeMemory.getByte(address + 2));
        assertEquals(0x44, NativeMemory.getByte(address + 3));
        assertEquals(0x04030201, NativeMemory.getInt(address + 4));
        assertEquals(0L, NativeMemory.getLong(address + 8));
    }

    @Test
    void shouldWriteTheInterfaceOfALinkLocalAddress() throws Exception
    {
        final byte[] bytes = InetAddress.getByName("fe80::1").getAddress();
        SocketAddress.write(address, new InetSocketAddress(Inet6Address.getByAddress(null, bytes, 7), 4420));

        // sin6_scope_id is behind family, port, flow information and address.
        assertEquals(7, NativeMemory.getInt(address + 24));
    }

    @Test
    void shouldTellFamilyWhenSocketIsToBeMade() throws Exception
    {
        assertEquals(Sockets.AF_INET, SocketAddress.family(new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 1)));
        assertEquals(Sockets.AF_INET6, SocketAddress.family(new InetSocketAddress(InetAddress.getByName("::"), 1)));
    }
}
