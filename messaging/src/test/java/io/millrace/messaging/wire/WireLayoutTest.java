package io.millrace.messaging.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where each field is, byte by byte, and what of a hello is valid. */
class WireLayoutTest
{
    private final Arena arena = Arena.ofConfined();
    private final long at = arena.allocate(64, 8).address();

    @AfterEach
    void free()
    {
        arena.close();
    }

    private String hex(final int bytes)
    {
        final byte[] copy = new byte[bytes];
        for (int i = 0; i < bytes; i++)
        {
            copy[i] = NativeMemory.getByte(at + i);
        }
        return HexFormat.of().formatHex(copy);
    }

    @Test
    void shouldLayOutAHello()
    {
        for (int i = 0; i < Hello.NONCE_BYTES; i++)
        {
            NativeMemory.putByte(at + Hello.NONCE_OFFSET + i, (byte)(0xA0 + i));
        }
        Hello.write(at, 0x0203, 0x04050607, 0x08090A0B, 0x0C0D0E0F10111213L, 0x1415161718191A1BL);
        assertEquals("4d524d47" + "0100" + "0302" + "07060504" + "0b0a0908" + "131211100f0e0d0c" +
            "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf" + "1b1a191817161514", hex(Hello.SIZE_BYTES));
    }

    @Test
    void shouldLayOutAFrameHeader()
    {
        FrameHeader.write(at, FrameHeader.OFFER, 0x01020304, 0x05060708090A0B0CL, 0x0D0E0F1011121314L,
            0x15161718191A1B1CL);
        assertEquals("04030201" + "02" + "000000" + "0c0b0a0908070605" + "14131211100f0e0d" + "1c1b1a1918171615",
            hex(FrameHeader.SIZE_BYTES));
    }

    @Test
    void shouldLayOutARegionDescriptor()
    {
        RegionDescriptor.write(at, 0x0102030405060708L, 0x090A0B0C0D0E0F10L, 0x1112131415161718L, 3);
        assertEquals("0807060504030201" + "100f0e0d0c0b0a09" + "1817161514131211" + "03000000" + "00000000",
            hex(RegionDescriptor.SIZE_BYTES));
    }

    @Test
    void shouldLayOutABulkHeader()
    {
        BulkHeader.write(at, BulkHeader.READ_DATA, BulkHeader.DENIED, 0x01020304, 0x05060708090A0B0CL,
            0x0D0E0F1011121314L, 0x15161718191A1B1CL, 0x1D1E1F20);
        assertEquals("04030201" + "11" + "01" + "0000" + "0c0b0a0908070605" + "14131211100f0e0d" +
            "1c1b1a1918171615" + "201f1e1d" + "00000000", hex(BulkHeader.SIZE_BYTES));
    }

    @Test
    void shouldRefuseSizesThatCannotBe()
    {
        Hello.write(at, 0, 4096, 1024, 1 << 20, 0);
        assertNull(Hello.invalid(at));
        Hello.write(at, 0, 0, 1024, 1 << 20, 0);
        assertTrue(Hello.invalid(at).contains("256 to 1048576"));
        Hello.write(at, 0, -1, 1024, 1 << 20, 0);
        assertTrue(Hello.invalid(at).contains("4294967295"));
        Hello.write(at, 0, 4096, Integer.MAX_VALUE, 1 << 20, 0);
        assertTrue(Hello.invalid(at).contains("32 to 16384"));
        Hello.write(at, 0, 4096, 1024, Long.MAX_VALUE, 0);
        assertTrue(Hello.invalid(at).contains("1073741824"));
        Hello.write(at, 16, 4096, 1024, 1 << 20, 0);
        assertTrue(Hello.invalid(at).contains("stream 16"));
        Hello.write(at, 0, 4096, 1024, 1 << 20, 0);
        NativeMemory.putShort(at + 4, (short)2);
        assertTrue(Hello.invalid(at).contains("version 2"));
    }

    @Test
    void shouldRefuseAnyBytesThatAreNoHello()
    {
        final Random random = TestSeeds.random();
        for (int run = 0; run < 100_000; run++)
        {
            Hello.write(at, 0, 4096, 1024, 1 << 20, 0);
            final int from = random.nextInt(24);
            for (int i = from; i < from + 1 + random.nextInt(4); i++)
            {
                NativeMemory.putByte(at + i, (byte)random.nextInt());
            }
            if (null == Hello.invalid(at))
            {
                assertTrue(Hello.slotBytes(at) >= 256 && Hello.slotBytes(at) <= 1 << 20);
                assertTrue(Hello.receiveDepth(at) >= 32 && Hello.receiveDepth(at) <= 16_384);
                assertTrue(Hello.messageBytesMax(at) >= 0 && Hello.messageBytesMax(at) <= 1 << 30);
                assertTrue(Hello.stream(at) < 16);
            }
        }
        Hello.write(at, 0, 4096, 1024, 1 << 20, 0);
        NativeMemory.putByte(at, (byte)0);
        assertNotNull(Hello.invalid(at));
    }
}
