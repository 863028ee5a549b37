package io.millrace.control.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.JournalDeviceState;
import io.millrace.control.codec.MemberState;
import io.millrace.control.codec.MessageHeaderEncoder;
import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.ScrubMode;
import io.millrace.control.codec.ScrubState;
import io.millrace.control.codec.State;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.ScrubInfo;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.SessionRequest;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Layout of messages about devices, and what peers of other versions of the schema get. */
class DeviceMessagesTest
{
    private static final int AT = MessagePublication.MESSAGE_OFFSET;
    private static final CommandHeader IDS = new CommandHeader(1, 2, new CommandId(3, 4), 5);

    private final Recorder recorder = new Recorder();
    private final RequestAdapter requests = new RequestAdapter(recorder);
    private final ResponseAdapter responses = new ResponseAdapter(recorder);
    private final RequestWriter requestWriter = new RequestWriter();
    private final ResponseWriter responseWriter = new ResponseWriter();

    private static String hex(final byte[] bytes)
    {
        return HexFormat.of().formatHex(bytes);
    }

    private static String text(final String value)
    {
        return hex(new byte[]{(byte)value.length(), 0, 0, 0}) + hex(value.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldLayOutTheCreationOfADevice()
    {
        final int length = requestWriter.command(IDS, new Command.CreateDevice(
            new DeviceSpec("m", "memory", Map.of("size", "1MiB", "block-size", "512"), new UUID(6, 7)), true));
        assertEquals("39000b0044110700" +
            "0100000000000000" + "0200000000000000" + "0300000000000000" + "0400000000000000" + "0500000000000000" +
            "0600000000000000" + "0700000000000000" + "01" +
            "00000200" + text("block-size") + text("512") + text("size") + text("1MiB") + text("m") + text("memory"),
            hex(MessageBytes.of(requestWriter.buffer(), length)));
    }

    @Test
    void shouldLayOutTheChangeOfADevice()
    {
        final int length = requestWriter.command(IDS, new Command.ModifyDevice("f", Map.of("rules", "")));
        assertEquals("28000e0044110700" +
            "0100000000000000" + "0200000000000000" + "0300000000000000" + "0400000000000000" + "0500000000000000" +
            "00000100" + text("rules") + text("") + text("f"),
            hex(MessageBytes.of(requestWriter.buffer(), length)));
    }

    @Test
    void shouldLayOutTheOperationOfAnArray()
    {
        final int length = requestWriter.command(
            IDS, new Command.OperateArray("vol0", ArrayOperation.FAIL_MEMBER, "d1"));
        assertEquals("29002c0044110700" +
            "0100000000000000" + "0200000000000000" + "0300000000000000" + "0400000000000000" + "0500000000000000" +
            "04" + text("vol0") + text("d1"), hex(MessageBytes.of(requestWriter.buffer(), length)));
    }

    @Test
    void shouldLayOutTheRenameOfADevice()
    {
        final int length = requestWriter.command(IDS, new Command.RenameDevice("vol0", "vol1"));
        assertEquals("28002d0044110700" +
            "0100000000000000" + "0200000000000000" + "0300000000000000" + "0400000000000000" + "0500000000000000" +
            text("vol0") + text("vol1"), hex(MessageBytes.of(requestWriter.buffer(), length)));
    }

    @Test
    void shouldLayOutTheRecordOfAnArray()
    {
        final ArrayInfo.Member spare = new ArrayInfo.Member(-1, "d", new UUID(8, 9), MemberState.SPARE, 10, 11, 25, 34,
            35);
        final int length = responseWriter.resource(9, new ArrayInfo("v", new UUID(1, 2), "ec", 28, 3, 4, 5,
            DeviceHealth.DEGRADED, "r", "scrub", 6, 7, List.of(spare), 12, 13,
            new ScrubInfo(ScrubMode.REPAIR, ScrubState.STOPPED, 14, 15, 16, 17, 18, 19, 20, 21, 36,
                List.of(22L, 23L)),
            24, 26, 27, new ArrayInfo.Writes(30, 31, 32, 33), 29, "j", JournalDeviceState.FAILED, true, 37, true));
        assertEquals("de00860044110700" + "0900000000000000" + "01000000000000000200000000000000" + "03" + "06000000" +
            "0700000000000000" + "0300000000000000" + "0400000000000000" + "05000000" + "0c00000000000000" +
            "0d00000000000000" + "1800000000000000" + "02" + "04" + "0e00000000000000" + "0f00000000000000" +
            "1000000000000000" + "1100000000000000" + "1200000000000000" + "1300000000000000" + "1400000000000000" +
            "1500000000000000" + "1a00000000000000" + "1b00000000000000" + "1e00000000000000" + "1f00000000000000" +
            "2000000000000000" + "2100000000000000" + "1d00000000000000" +
            "1c000000" + "04" + "01" + "2400000000000000" + "25000000" + "01" + "3d000100" +
            "ffffffff" + "05" + "08000000000000000900000000000000" +
            "0a00000000000000" + "0b00000000000000" + "1900000000000000" + "2200000000000000" + "2300000000000000" +
            text("d") +
            text("v") + text("ec") +
            text("r") + text("scrub") + text("22 23") + text("j"),
            hex(MessageBytes.of(responseWriter.buffer(), length)));
    }

    @Test
    void shouldLayOutTheRecordOfADevice()
    {
        final int length = responseWriter.resource(9, new DeviceInfo(
            new DeviceSpec("f", "fault", Map.of("base", "m"), new UUID(6, 7)), 8, 512, 1, List.of("m"),
            DeviceState.RELEASING, DeviceHealth.DEGRADED, "it fails", "rebuild", 7));
        assertEquals("2e00710044110700" + "0900000000000000" + "0800000000000000" + "00020000" + "01000000" + "0303" +
            "07000000" + "0600000000000000" + "0700000000000000" +
            "00000100" + text("base") + text("m") + "00000100" + text("m") +
            text("f") + text("fault") + text("it fails") + text("rebuild"),
            hex(MessageBytes.of(responseWriter.buffer(), length)));
    }

    @Test
    void shouldRefuseAPropertyThatIsThereTwice()
    {
        final int length = requestWriter.command(IDS, new Command.CreateDevice(
            new DeviceSpec("m", "memory", Map.of("sizf", "1MiB", "size", "2MiB"))));
        assertTrue(requests.onMessage(requestWriter.buffer(), AT, length));
        assertNull(recorder.refusal());
        final byte[] bytes = MessageBytes.of(requestWriter.buffer(), length);
        final int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("sizf");
        bytes[at + 3] = 'e';
        recorder.clear();
        assertTrue(requests.onMessage(new UnsafeBuffer(bytes), 0, length));
        assertEquals(Code.MALFORMED, recorder.refusal());
        assertNull(recorder.command());
    }

    @Test
    void shouldCarryPropertiesUpToTheirBoundAndRefuseMore()
    {
        final DeviceSpec most = new DeviceSpec("f", "fault", Map.of("rules", "x".repeat(8 * 1024 - 5)));
        final int length = requestWriter.command(IDS, new Command.CreateDevice(most));
        assertTrue(requests.onMessage(requestWriter.buffer(), AT, length));
        assertEquals(new Command.CreateDevice(most), recorder.command());
        final int record = responseWriter.resource(
            9, new DeviceInfo(most, 0, 0, 0, List.of(), DeviceState.IN_USE, DeviceHealth.ONLINE, "", "", -1));
        assertTrue(responses.onMessage(responseWriter.buffer(), AT, record));
        assertEquals("settings of device f have 8193 bytes in UTF-8, more than 8192: shorten or join some",
            assertThrows(IllegalArgumentException.class, () -> requestWriter.command(
                IDS, new Command.CreateDevice(most.with("rules", "x".repeat(8 * 1024 - 4))))).getMessage());
    }

    @Test
    void shouldTellWhatThePeerKnows()
    {
        final PeerInfo peer =
            new PeerInfo(4, PeerType.MANAGER, Set.of(Kind.DEVICE, Kind.VERSION), Set.of("memory", "later"), "1.2.3");
        final SessionInfo session = new SessionInfo(8, Role.READ, 7, 6, new UUID(1, 2), 5, "new", peer);
        final int length = responseWriter.sessionOpened(9, session, new byte[32]);
        assertTrue(responses.onMessage(responseWriter.buffer(), AT, length));
        assertEquals(session, recorder.session());
        assertEquals("device type file", peer.missingFeature(new Command.CreateDevice(DeviceSpec.file("f", "/f", 0))));
        assertEquals("resources of kind ANA", peer.missingFeature(new Command.List(Kind.ANA, "")));
        assertNull(peer.missingFeature(new Command.CreateDevice(DeviceSpec.memory("m", 4096, 0))));
        final Command scrub = new Command.OperateArray("vol0", ArrayOperation.SCRUB_CHECK, "");
        assertEquals("operations of arrays", peer.missingFeature(scrub));
        assertNull(new PeerInfo(6, peer.type(), peer.kinds(), peer.deviceTypes(), "").missingFeature(scrub));
    }

    @Test
    void shouldNoticeAPeerOfAnEarlierVersion()
    {
        final int length = requestWriter.openSession(
            9, new SessionRequest(Role.OPERATOR, "aeron:ipc", 7, "old", "k", "dp"));
        // Versions 0 to 3 begin alike; version 0 ended after the third text.
        requestWriter.buffer().putShort(AT + 6, (short)3);
        assertTrue(requests.onMessage(requestWriter.buffer(), AT, length - 10));
        assertEquals("aeron:ipc 7 3", recorder.text());
        assertEquals(9, recorder.correlationId());
        assertFalse(requests.onMessage(requestWriter.buffer(), AT, 8 + 13 + 4 + 5));

        final int answer = responseWriter.answer(1, 2, Code.OK, 3, "");
        responseWriter.buffer().putShort(AT + 6, (short)2);
        assertTrue(responses.onMessage(responseWriter.buffer(), AT, answer));
        assertEquals("2", recorder.text());
        assertNull(recorder.code());
    }

    @Test
    void shouldSkipWhatALaterVersionAppended()
    {
        // As version 5 would send it: a longer block, an enum value not heard of.
        final int length = requestWriter.command(IDS, new Command.SetState(State.PAUSED));
        final byte[] bytes = new byte[length + 16];
        requestWriter.buffer().getBytes(AT, bytes, 0, length);
        final MutableDirectBuffer later = new UnsafeBuffer(bytes);
        MessageBytes.header(later, length - MessageHeaderEncoder.ENCODED_LENGTH + 16, 24, 5);
        assertTrue(requests.onMessage(later, 0, bytes.length));
        assertEquals(new Command.SetState(State.PAUSED), recorder.command());
        later.putByte(length - 1, (byte)99);
        assertTrue(requests.onMessage(later, 0, bytes.length));
        assertEquals(new Command.SetState(State.SBE_UNKNOWN), recorder.command());

        final int answer = responseWriter.answer(1, 2, Code.OK, 3, "");
        responseWriter.buffer().putShort(AT + 8 + 16, (short)999);
        assertTrue(responses.onMessage(responseWriter.buffer(), AT, answer));
        assertEquals(Code.SBE_UNKNOWN, recorder.code());
    }
}
