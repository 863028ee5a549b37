package io.millrace.control.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import io.aeron.protocol.DataHeaderFlyweight;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class MessageAssemblerTest
{
    private static final int TERM_LENGTH = 1 << 30;
    private static final int FRAGMENT = 1024;
    private static final byte MIDDLE = 0;

    private final List<Integer> lengths = new ArrayList<>();
    private final MessageAssembler assembler = new MessageAssembler((buffer, offset, length, header) ->
    {
        for (int i = 0; i < length; i++)
        {
            assertEquals((byte)(i / FRAGMENT), buffer.getByte(offset + i));
        }
        lengths.add(length);
    });
    private int termOffset;

    private void send(final int session, final byte flags, final int length, final int value)
    {
        final UnsafeBuffer frame = new UnsafeBuffer(new byte[DataHeaderFlyweight.HEADER_LENGTH + length]);
        final DataHeaderFlyweight fields = new DataHeaderFlyweight(frame);
        fields.sessionId(session).termOffset(termOffset).flags(flags).frameLength(frame.capacity());
        frame.setMemory(DataHeaderFlyweight.HEADER_LENGTH, length, (byte)value);
        final Header header = new Header(0, Integer.numberOfTrailingZeros(TERM_LENGTH));
        header.buffer(frame);
        header.offset(0);
        assembler.onFragment(frame, DataHeaderFlyweight.HEADER_LENGTH, length, header);
        termOffset = header.nextTermOffset();
    }

    private void message(final int session, final int fragments)
    {
        for (int i = 0; i < fragments; i++)
        {
            send(session, 0 == i ? FrameDescriptor.BEGIN_FRAG_FLAG :
                i == fragments - 1 ? FrameDescriptor.END_FRAG_FLAG : MIDDLE, FRAGMENT, i);
        }
    }

    @Test
    void shouldPutMessagesTogether()
    {
        send(1, FrameDescriptor.UNFRAGMENTED, 10, 0);
        message(1, 2);
        message(2, 16);
        message(1, 3);
        assertEquals(List.of(10, 2 * FRAGMENT, 16 * FRAGMENT, 3 * FRAGMENT), lengths);
        assertEquals(0, assembler.droppedCount());
    }

    @Test
    void shouldHoldNoMoreOfAnEndlessMessageThanOfTheLongest()
    {
        send(1, FrameDescriptor.BEGIN_FRAG_FLAG, FRAGMENT, 0);
        for (int i = 0; i < 100_000; i++)
        {
            send(1, MIDDLE, FRAGMENT, 1);
        }
        send(1, FrameDescriptor.END_FRAG_FLAG, FRAGMENT, 1);
        assertEquals(List.of(), lengths);
        assertEquals(1, assembler.droppedCount());
        assertTrue(assembler.heldBytes() <= 2 * MessageAssembler.LENGTH_MAX, assembler.heldBytes() + "");
        message(1, 2);
        assertEquals(List.of(2 * FRAGMENT), lengths);
        assembler.free(1);
        assertEquals(0, assembler.heldBytes());
    }

    @Test
    void shouldDropAFragmentThatIsTooLongByItself()
    {
        send(1, FrameDescriptor.UNFRAGMENTED, MessageAssembler.LENGTH_MAX + 1, 0);
        send(1, FrameDescriptor.BEGIN_FRAG_FLAG, MessageAssembler.LENGTH_MAX + 1, 0);
        send(1, FrameDescriptor.END_FRAG_FLAG, 1, 0);
        assertEquals(List.of(), lengths);
        assertEquals(2, assembler.droppedCount());
    }

    @Test
    void shouldDropAMessageWithAGap()
    {
        send(1, FrameDescriptor.BEGIN_FRAG_FLAG, FRAGMENT, 0);
        termOffset += 4096;
        send(1, FrameDescriptor.END_FRAG_FLAG, FRAGMENT, 1);
        send(2, FrameDescriptor.END_FRAG_FLAG, FRAGMENT, 1);
        assertEquals(List.of(), lengths);
        assertEquals(1, assembler.droppedCount());
    }
}
