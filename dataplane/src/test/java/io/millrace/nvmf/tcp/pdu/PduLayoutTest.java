package io.millrace.nvmf.tcp.pdu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * Bytes as the figures of the specification draw them, written out by hand.
 */
class PduLayoutTest
{
    private static final int START = 16;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);

    @Test
    void shouldLayOutInitializeConnectionRequest()
    {
        buffer.setMemory(0, 256, (byte)0xEE);
        final ICPdu pdu = new ICPdu();
        pdu.wrap(buffer, START);
        pdu.build(PduType.IC_REQ, 0x1F,
            ICPdu.DIGEST_HEADER | ICPdu.DIGEST_DATA, 0x01020304);

        assertBytes("00008000" + "80000000" + "0000" + "1f" + "03" + "04030201" + "00".repeat(112) + "ee");
        assertEquals(0, pdu.formatVersion());
        assertEquals(0x1F, pdu.dataAlignment());
        assertEquals(3, pdu.digests());
        assertEquals(0x01020304, pdu.maxReadyToTransfer());
    }

    @Test
    void shouldLayOutInitializeConnectionResponse()
    {
        final ICPdu pdu = new ICPdu();
        pdu.wrap(buffer, START);
        pdu.build(PduType.IC_RESP, 0, ICPdu.DIGEST_DATA, 131072);

        assertBytes("01008000" + "80000000" + "0000" + "00" + "02" + "00000200");
        assertEquals(131072, pdu.maxH2CDataBytes());
    }

    @Test
    void shouldLayOutTerminationRequestWithHeaderCopy()
    {
        buffer.setMemory(0, 256, (byte)0xEE);
        final UnsafeBuffer source = new UnsafeBuffer(HexFormat.of().parseHex("0a0b0c0d0e0f1011"));
        final TerminationRequest pdu = new TerminationRequest();
        pdu.wrap(buffer, START);
        final int length = pdu.build(PduType.C2H_TERM_REQ,
            FatalErrorStatus.INVALID_HEADER_FIELD, 0x11223344, source, 0, 8);

        assertEquals(32, length);
        assertBytes("03001800" + "20000000" + "0100" + "44332211" + "00".repeat(10) + "0a0b0c0d0e0f1011" + "ee");
        assertSame(FatalErrorStatus.INVALID_HEADER_FIELD, pdu.status());
        assertEquals(0x11223344, pdu.information());
    }

    @Test
    void shouldCutTheHeaderCopyAtItsLimit()
    {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[200]);
        final TerminationRequest pdu = new TerminationRequest();
        pdu.wrap(buffer, START);

        assertEquals(152, pdu.build(PduType.H2C_TERM_REQ,
            FatalErrorStatus.LIMIT_EXCEEDED, 0, source, 0, 200));
        assertEquals(152, pdu.pduLength());
    }

    @Test
    void shouldLayOutCapsules()
    {
        final CapsuleCommand command = new CapsuleCommand();
        command.wrap(buffer, START);
        command.build(CommonHeader.FLAG_HEADER_DIGEST | CommonHeader.FLAG_DATA_DIGEST, 76, 76 + 4096 + 4);
        assertBytes("0403484c" + "50100000");

        final CapsuleResponse response = new CapsuleResponse();
        response.wrap(buffer, START);
        response.build(true);
        assertBytes("05011800" + "1c000000");
        response.build(false);
        assertBytes("05001800" + "18000000");
        assertEquals(8, CapsuleCommand.ENTRY_OFFSET);
        assertEquals(8, CapsuleResponse.ENTRY_OFFSET);
    }

    @Test
    void shouldLayOutData()
    {
        buffer.setMemory(0, 256, (byte)0xEE);
        final DataPdu pdu = new DataPdu();
        pdu.wrap(buffer, START);
        pdu.set(PduType.C2H_DATA, CommonHeader.FLAG_LAST | CommonHeader.FLAG_SUCCESS, 24, 24, 24 + 4096);
        pdu.setTransfer(0xABCD, 0x8123, 0x10203040, 4096);

        assertBytes("070c1818" + "18100000" + "cdab" + "2381" + "40302010" + "00100000" + "00000000" + "ee");
        assertEquals(0xABCD, pdu.commandId());
        assertEquals(0x8123, pdu.transferTag());
        assertEquals(0x10203040, pdu.bufferOffset());
        assertEquals(4096, pdu.dataLength());
    }

    @Test
    void shouldLayOutReadyToTransfer()
    {
        buffer.setMemory(0, 256, (byte)0xEE);
        final ReadyToTransfer pdu = new ReadyToTransfer();
        pdu.wrap(buffer, START);
        pdu.build(false, 0xABCD, 0x8123, 0x1000, 0x20000);

        assertBytes("09001800" + "18000000" + "cdab" + "2381" + "00100000" + "00000200" + "00000000" + "ee");
        pdu.build(true, 1, 2, 3, 4);
        assertBytes("09011800" + "1c000000");
        assertEquals(1, pdu.commandId());
        assertEquals(2, pdu.transferTag());
        assertEquals(3, pdu.bufferOffset());
        assertEquals(4, pdu.dataLength());
    }

    @Test
    void shouldReadTheCommonHeaderUnsigned()
    {
        buffer.putBytes(START, HexFormat.of().parseHex("fffefdfcfbffffff"));
        final CommonHeader header = new CommonHeader();
        header.wrap(buffer, START);

        assertEquals(0xFF, header.type());
        assertEquals(0xFE, header.flags());
        assertEquals(0xFD, header.headerLength());
        assertEquals(0xFC, header.dataOffset());
        assertEquals(-5, header.pduLength());
    }

    @Test
    void shouldMapFatalErrorStatusBothWays()
    {
        for (final FatalErrorStatus status : FatalErrorStatus.values())
        {
            assertSame(status, FatalErrorStatus.of(status.code()));
        }
        assertSame(FatalErrorStatus.RESERVED, FatalErrorStatus.of(7));
        assertSame(FatalErrorStatus.RESERVED, FatalErrorStatus.of(0xFFFF));
    }

    private void assertBytes(final String hex)
    {
        final byte[] expected = HexFormat.of().parseHex(hex);
        final byte[] actual = new byte[expected.length];
        buffer.getBytes(START, actual);
        assertArrayEquals(expected, actual, () -> HexFormat.of().formatHex(actual));
    }
}
