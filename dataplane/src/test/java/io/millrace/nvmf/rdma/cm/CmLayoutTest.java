package io.millrace.nvmf.rdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Bytes as the figures of the specification draw them, written out by hand.
 */
class CmLayoutTest
{
    private static final HexFormat HEX = HexFormat.of();

    @Test
    void shouldLayOutConnectRequest()
    {
        final ConnectRequest request = new ConnectRequest(0x0102, 0x0304, 0x0506, 0x0708);
        final String bytes = "0000" + "0201" + "0403" + "0505" + "0807" + "00".repeat(22);
        assertEquals(bytes, HEX.formatHex(request.toBytes()));
        assertEquals(request, ConnectRequest.read(HEX.parseHex(bytes)));
    }

    @Test
    void shouldReadTheLargestValuesAndIgnoreReservedBytes()
    {
        assertEquals(new ConnectRequest(65535, 65535, 65536, 65535),
            ConnectRequest.read(HEX.parseHex("0000" + "ffff" + "ffff" + "ffff" + "ffff" + "ee".repeat(22))));
    }

    @Test
    void shouldReadAnAdminQueueOfOneCapsuleFromPaddedData()
    {
        assertEquals(new ConnectRequest(0, 1, 1, 0),
            ConnectRequest.read(HEX.parseHex("0000" + "0000" + "0100" + "00".repeat(50))));
    }

    @Test
    void shouldRefuseWhatIsShortOrOfAnotherFormatOrWithoutReceiveQueue()
    {
        final byte[] data = new ConnectRequest(1, 32, 32, 1).toBytes();
        assertNull(ConnectRequest.refusal(data));
        assertSame(RejectStatus.INVALID_LENGTH, ConnectRequest.refusal(Arrays.copyOf(data, 31)));
        assertSame(RejectStatus.INVALID_LENGTH, ConnectRequest.refusal(new byte[0]));
        final byte[] format = data.clone();
        format[1] = 1;
        assertSame(RejectStatus.INVALID_FORMAT, ConnectRequest.refusal(format));
        final byte[] queue = data.clone();
        queue[4] = 0;
        assertSame(RejectStatus.INVALID_RECEIVE_QUEUE_SIZE, ConnectRequest.refusal(queue));
    }

    @Test
    void shouldLayOutConnectAccept()
    {
        final String bytes = "0000" + "0201" + "00".repeat(28);
        assertEquals(bytes, HEX.formatHex(new ConnectAccept(0x0102).toBytes()));
        assertEquals(new ConnectAccept(0x0102), ConnectAccept.read(HEX.parseHex(bytes + "00".repeat(164))));
        assertNull(ConnectAccept.read(HEX.parseHex("0100" + "0201" + "00".repeat(28))));
        assertNull(ConnectAccept.read(new byte[31]));
    }

    @Test
    void shouldLayOutConnectReject()
    {
        assertEquals("00000400",
            HEX.formatHex(new ConnectReject(RejectStatus.INVALID_SEND_QUEUE_SIZE).toBytes()));
        assertEquals(new ConnectReject(RejectStatus.INVALID_SEND_QUEUE_SIZE),
            ConnectReject.read(HEX.parseHex("00000400" + "00".repeat(144))));
        assertSame(RejectStatus.UNKNOWN, ConnectReject.read(HEX.parseHex("01000400")).status());
        assertSame(RejectStatus.UNKNOWN, ConnectReject.read(HEX.parseHex("00000a00")).status());
        assertSame(RejectStatus.UNKNOWN, ConnectReject.read(HEX.parseHex("000004")).status());
    }

    @Test
    void shouldHaveTheCodesOfTheSpecification()
    {
        final RejectStatus[] inOrder =
        {
            RejectStatus.UNKNOWN, RejectStatus.INVALID_LENGTH, RejectStatus.INVALID_FORMAT,
            RejectStatus.INVALID_QUEUE_ID,
            RejectStatus.INVALID_SEND_QUEUE_SIZE, RejectStatus.INVALID_RECEIVE_QUEUE_SIZE, RejectStatus.NO_RESOURCES,
            RejectStatus.INVALID_READS_SERVED, RejectStatus.INVALID_READS_INITIATED, RejectStatus.INVALID_CONTROLLER_ID
        };
        for (int code = 0; code < inOrder.length; code++)
        {
            assertEquals(code, inOrder[code].code());
            assertSame(inOrder[code], RejectStatus.of(code));
        }
        assertEquals(inOrder.length, RejectStatus.values().length);
    }

    @Test
    void shouldNotMakeWhatFitsNoField()
    {
        assertThrows(IllegalArgumentException.class, () -> new ConnectRequest(65536, 1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new ConnectRequest(0, 0, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new ConnectRequest(0, 1, 65537, 0));
        assertThrows(IllegalArgumentException.class, () -> new ConnectRequest(0, 1, 1, -1));
        assertThrows(IllegalArgumentException.class, () -> new ConnectAccept(65536));
    }
}
