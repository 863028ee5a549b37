package io.millrace.control.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.Samples;
import io.millrace.control.message.SessionRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class WireTest
{
    private static final int AT = MessagePublication.MESSAGE_OFFSET;
    private static final CommandHeader IDS = new CommandHeader(1, 2, new CommandId(3, 4), 5);
    private final Recorder recorder = new Recorder();
    private final RequestAdapter requests = new RequestAdapter(recorder);
    private final ResponseAdapter responses = new ResponseAdapter(recorder);
    private final RequestWriter requestWriter = new RequestWriter();
    private final ResponseWriter responseWriter = new ResponseWriter();

    @Property(tries = 200)
    void shouldReadEveryCommandAsItWasWritten(@ForAll final long seed)
    {
        for (final Command command : new Samples(seed).commands())
        {
            assertTrue(requests.onMessage(requestWriter.buffer(), AT, requestWriter.command(IDS, command)));
            assertEquals(IDS, recorder.header());
            assertEquals(command, recorder.command());
        }
    }

    @Property(tries = 200)
    void shouldReadEveryResourceAsItWasWritten(@ForAll final long seed)
    {
        for (final Resource resource : new Samples(seed).resources())
        {
            assertTrue(responses.onMessage(responseWriter.buffer(), AT, responseWriter.resource(9, resource)));
            assertEquals(resource, recorder.resource());
            assertEquals(9, recorder.correlationId());
        }
    }

    @Test
    void shouldReadAnOpeningAsItWasWritten()
    {
        final int length = requestWriter.openSession(
            9, new SessionRequest(Role.OPERATOR, "aeron:ipc", 7, "program", "key", "plane"));
        final byte[] bytes = MessageBytes.of(requestWriter.buffer(), length);
        assertTrue(requests.onMessage(new UnsafeBuffer(bytes), 0, length));
        assertEquals(Role.OPERATOR, recorder.role());
        assertEquals("aeron:ipc 7 program key plane", recorder.text());
        for (int cut = 0; cut < length; cut++)
        {
            assertFalse(requests.onMessage(new UnsafeBuffer(bytes, 0, cut), 0, cut));
        }
    }

    /** Cut short anywhere, a message is refused as a whole, and nothing behind its end is read. */
    @Property(tries = 20)
    void shouldRefuseAnyMessageThatWasCut(@ForAll final long seed)
    {
        for (final Command command : new Samples(seed).commands())
        {
            final int length = requestWriter.command(IDS, command);
            for (int cut = 0; cut < length; cut += 1 + cut / 100)
            {
                final byte[] bytes = new byte[cut];
                requestWriter.buffer().getBytes(AT, bytes);
                recorder.clear();
                final boolean isNamed = cut >= 48;
                assertEquals(isNamed, requests.onMessage(new UnsafeBuffer(bytes), 0, cut));
                assertEquals(isNamed ? Code.MALFORMED : null, recorder.refusal());
                assertEquals(null, recorder.command());
            }
        }
        for (final Resource resource : new Samples(seed).resources())
        {
            final int length = responseWriter.resource(9, resource);
            for (int cut = 0; cut < length; cut++)
            {
                final byte[] bytes = new byte[cut];
                responseWriter.buffer().getBytes(AT, bytes);
                assertFalse(responses.onMessage(new UnsafeBuffer(bytes), 0, cut));
            }
        }
    }

    @Property(tries = 5000)
    void shouldNeverThrowWhateverTheBytes(
        @ForAll @Size(max = 300) final byte[] bytes, @ForAll final byte template, @ForAll final boolean looksRight)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        if (looksRight && bytes.length >= MessageHeaderDecoder.ENCODED_LENGTH)
        {
            MessageBytes.header(buffer, bytes[0] & 0x7F, template & 0xFF, 3 + (bytes[2] & 3));
        }
        requests.onMessage(buffer, 0, bytes.length);
        responses.onMessage(buffer, 0, bytes.length);
    }

    /** One byte of a sound message is another. */
    @Property(tries = 500)
    void shouldNeverThrowWhenAByteIsAnother(@ForAll final long seed, @ForAll final int place, @ForAll final byte value)
    {
        for (final Command command : new Samples(seed).commands())
        {
            final byte[] bytes = MessageBytes.of(requestWriter.buffer(), requestWriter.command(IDS, command));
            bytes[(place & Integer.MAX_VALUE) % bytes.length] = value;
            requests.onMessage(new UnsafeBuffer(bytes), 0, bytes.length);
        }
        for (final Resource resource : new Samples(seed).resources())
        {
            final byte[] bytes = MessageBytes.of(responseWriter.buffer(), responseWriter.resource(9, resource));
            bytes[(place & Integer.MAX_VALUE) % bytes.length] = value;
            responses.onMessage(new UnsafeBuffer(bytes), 0, bytes.length);
        }
    }

    @Property(tries = 2000)
    void shouldTakeATextExactlyWhenItIsUtf8WithoutControlCharacters(@ForAll @Size(max = 12) final byte[] bytes)
    {
        final String read = new String(bytes, StandardCharsets.UTF_8);
        final boolean isUtf8 = Arrays.equals(bytes, read.getBytes(StandardCharsets.UTF_8));
        final boolean isPlain = read.codePoints().noneMatch(Character::isISOControl);
        assertEquals(isUtf8 && isPlain, Text.isValid(new UnsafeBuffer(bytes), 0, bytes.length));
    }

    @Property(tries = 2000)
    void shouldMakeAnyTextFit(@ForAll final String text)
    {
        final String fit = Text.fit(text);
        assertEquals(fit, Text.check("fit", fit));
        if (Text.LENGTH_MAX_BYTES >= 4 * text.length() && text.equals(fit))
        {
            assertEquals(text, Text.check("text", text));
        }
    }

    @Test
    void shouldCutALongTextAtACharacter()
    {
        assertEquals(4096, Text.fit("x".repeat(5000)).length());
        assertEquals(1365, Text.fit("漢".repeat(5000)).length());
        assertEquals("a?b", Text.fit("a\nb"));
        assertEquals("?", Text.fit("\ud800"));
        assertEquals("", Text.fit(null));
        final int length = responseWriter.answer(1, 2, Code.FAILED, 0, "gone\n\u0000wrong".repeat(1000));
        assertTrue(responses.onMessage(responseWriter.buffer(), AT, length));
    }

    @Test
    void shouldRefuseATextWithAControlCharacterFromThePeer()
    {
        final int length = requestWriter.command(IDS, new Command.DeleteDevice("mem0"));
        final MutableDirectBuffer buffer = requestWriter.buffer();
        buffer.putByte(AT + length - 1, (byte)0x1B);
        assertTrue(requests.onMessage(buffer, AT, length));
        assertEquals(Code.MALFORMED, recorder.refusal());
    }

    @Test
    void shouldAnswerACommandOfALaterVersionAsUnknown()
    {
        final int length = requestWriter.command(IDS, new Command.DeleteDevice("mem0"));
        requestWriter.buffer().putShort(AT + 2, (short)98);
        assertTrue(requests.onMessage(requestWriter.buffer(), AT, length));
        assertEquals(Code.UNKNOWN_COMMAND, recorder.refusal());
        assertEquals(2, recorder.correlationId());
        requestWriter.buffer().putShort(AT + 2, (short)100);
        assertFalse(requests.onMessage(requestWriter.buffer(), AT, length));
    }

    @Test
    void shouldDropWhatIsOfAnotherSchemaOrNotForItsSide()
    {
        final int length = requestWriter.command(IDS, new Command.DeleteDevice("mem0"));
        assertFalse(responses.onMessage(requestWriter.buffer(), AT, length));
        requestWriter.buffer().putShort(AT + 4, (short)1);
        assertFalse(requests.onMessage(requestWriter.buffer(), AT, length));
        final int other = responseWriter.resource(9, new HostInfo("a", "b"));
        assertFalse(requests.onMessage(responseWriter.buffer(), AT, other));
    }

    @Test
    void shouldRefuseToWriteWhatCannotBeSent()
    {
        for (final String text : new String[]{"a\tb", "\u007f", "\u0085", "\udc00", "x\ud800", "漢".repeat(1366)})
        {
            final String message = assertThrows(IllegalArgumentException.class,
                () -> requestWriter.command(IDS, new Command.DeleteDevice(text))).getMessage();
            assertTrue(message.startsWith("device name has "), message);
        }
    }
}
