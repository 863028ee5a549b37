package io.millrace.control.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.LatencyRecordDecoder;
import io.millrace.control.codec.ListenerRecordDecoder;
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.QueuePairRecordDecoder;
import io.millrace.control.codec.VarDataEncodingDecoder;
import io.millrace.control.codec.VarStringEncodingDecoder;
import io.millrace.control.codec.VarValueEncodingDecoder;
import java.io.File;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What is checked before messages are decoded is what the schema says. */
class MessageCheckTest
{
    private static final int MAX = Text.LENGTH_MAX_BYTES;
    /** Opened by a seal, and read again as what is inside. */
    private static final Set<String> SEALS = Set.of("Sealed", "Encrypted");

    private final MessageCheck requests = new RequestAdapter(new Recorder()).check();
    private final MessageCheck responses = new ResponseAdapter(new Recorder()).check();

    private static Map<Integer, Element> messages() throws Exception
    {
        final Map<Integer, Element> found = new TreeMap<>();
        final NodeList nodes = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(new File("src/main/sbe/millrace-control.xml")).getElementsByTagName("sbe:message");
        for (int i = 0; i < nodes.getLength(); i++)
        {
            final Element message = (Element)nodes.item(i);
            if (!SEALS.contains(message.getAttribute("name")))
            {
                found.put(Integer.parseInt(message.getAttribute("id")), message);
            }
        }
        return found;
    }

    private static String parts(final Element parent)
    {
        final StringBuilder parts = new StringBuilder();
        for (Node node = parent.getFirstChild(); null != node; node = node.getNextSibling())
        {
            if (node instanceof final Element part)
            {
                parts.append(switch (part.getNodeName())
                {
                    case "group" -> '(' + parts(part) + ')';
                    case "data" -> data(part);
                    default -> "";
                });
            }
        }
        return parts.toString();
    }

    private static String data(final Element part)
    {
        return switch (part.getAttribute("type"))
        {
            case "varStringEncoding" -> isKey(part) ? "K" : "T";
            case "varValueEncoding" -> "V";
            case "varDataEncoding" -> "B";
            default -> throw new IllegalStateException(part.getAttribute("type") + ": not known to MessageCheck");
        };
    }

    private static boolean isKey(final Element part)
    {
        return "key".equals(part.getAttribute("name")) && "group".equals(part.getParentNode().getNodeName());
    }

    @Test
    void shouldCheckEveryPartOfEveryMessageOnOneSide() throws Exception
    {
        final Map<String, String> expected = new TreeMap<>();
        final Map<String, String> actual = new TreeMap<>();
        messages().forEach((id, message) ->
        {
            final String name = message.getAttribute("name");
            expected.put(name, parts(message));
            final String request = requests.parts(id);
            final String response = responses.parts(id);
            assertTrue(null == request || null == response, name + " is read on both sides");
            actual.put(name, null == request ? response : request);
        });
        assertTrue(expected.size() > 50, expected::toString);
        assertEquals(expected, actual);
    }

    @Test
    void shouldHaveTheBoundsOfTheSchema()
    {
        assertEquals(VarStringEncodingDecoder.lengthMaxValue(), MAX);
        assertEquals(VarDataEncodingDecoder.lengthMaxValue(), MAX);
        assertEquals(VarValueEncodingDecoder.lengthMaxValue(), Text.VALUE_LENGTH_MAX_BYTES);
    }

    @Test
    void shouldRefuseEntriesThatAreShorterThanTheirFields()
    {
        final int length = MessageHeaderDecoder.ENCODED_LENGTH + LatencyRecordDecoder.BLOCK_LENGTH + 64;
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[length]);
        MessageBytes.header(buffer, LatencyRecordDecoder.BLOCK_LENGTH, LatencyRecordDecoder.TEMPLATE_ID, 4);
        final int group = MessageHeaderDecoder.ENCODED_LENGTH + LatencyRecordDecoder.BLOCK_LENGTH;
        final int entryLength = LatencyRecordDecoder.BucketsDecoder.sbeBlockLength();
        buffer.putInt(group, entryLength + (1 << 16));
        assertEquals(MessageCheck.Verdict.VALID, responses.check(buffer, 0, length));
        buffer.putInt(group, entryLength - 1 + (1 << 16));
        assertEquals(MessageCheck.Verdict.MALFORMED, responses.check(buffer, 0, length));
    }

    private static int blockLength(final Element message)
    {
        try
        {
            return Class.forName(MessageHeaderDecoder.class.getPackageName() + '.' + message.getAttribute("name") +
                "Decoder").getField("BLOCK_LENGTH").getInt(null);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new AssertionError(e);
        }
    }

    /** In memory that ends with the message, where nothing behind it may be read, and with a shorter block. */
    @Test
    void shouldRefuseEveryMessageWhereverItIsCut() throws Exception
    {
        messages().forEach((id, message) ->
        {
            final MessageCheck check = null == requests.parts(id) ? responses : requests;
            final String parts = check.parts(id).replaceAll("\\([^)]*\\)", "G");
            final int block = blockLength(message);
            final int at = MessageHeaderDecoder.ENCODED_LENGTH + block;
            final byte[] bytes = new byte[at + parts.length() * Integer.BYTES];
            final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
            MessageBytes.header(buffer, block, id, 4);
            for (int i = 0; i < parts.length(); i++)
            {
                // A group without entries, which says how long they would be.
                buffer.putInt(at + i * Integer.BYTES, 'G' == parts.charAt(i) ? 512 : 0);
            }
            final String name = message.getAttribute("name");
            assertEquals(MessageCheck.Verdict.VALID, check.check(buffer, 0, bytes.length), name);
            for (int length = 0; length < bytes.length; length++)
            {
                assertEquals(MessageCheck.Verdict.MALFORMED, check.check(
                    new UnsafeBuffer(Arrays.copyOf(bytes, length)), 0, length), name + " cut at " + length);
            }
            if (block > 0)
            {
                MessageBytes.header(buffer, block - 1, id, MessageHeaderDecoder.SCHEMA_VERSION);
                assertEquals(MessageCheck.Verdict.MALFORMED, check.check(buffer, 0, bytes.length), name);
            }
        });
    }

    /** What version 6 added to a block is null in the messages of version 5, which end before it. */
    @Test
    void shouldReadShorterBlocksOfEarlierVersions()
    {
        final int[][] blocks = {
            {ListenerRecordDecoder.TEMPLATE_ID, ListenerRecordDecoder.listeningEncodingOffset()},
            {QueuePairRecordDecoder.TEMPLATE_ID, QueuePairRecordDecoder.rdmaPortEncodingOffset()}};
        for (final int[] each : blocks)
        {
            final int length = MessageHeaderDecoder.ENCODED_LENGTH + each[1] + 3 * Integer.BYTES;
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[length]);
            MessageBytes.header(buffer, each[1], each[0], 5);
            assertEquals(MessageCheck.Verdict.VALID, responses.check(buffer, 0, length));
            MessageBytes.header(buffer, each[1], each[0], 6);
            assertEquals(MessageCheck.Verdict.MALFORMED, responses.check(buffer, 0, length));
            MessageBytes.header(buffer, each[1] - 1, each[0], 5);
            assertEquals(MessageCheck.Verdict.MALFORMED, responses.check(buffer, 0, length));
        }
    }

    /** Each length, one above its bound or above what is left, has the message refused. */
    @Test
    void shouldRefuseEveryMessageWhoseFirstPartIsTooLong() throws Exception
    {
        messages().forEach((id, message) ->
        {
            final MessageCheck check = null == requests.parts(id) ? responses : requests;
            final String parts = check.parts(id);
            final int block = 512;
            final byte[] bytes = new byte[block + 10 * MAX];
            final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
            MessageBytes.header(buffer, block, id, 4);
            final int at = MessageHeaderDecoder.ENCODED_LENGTH + block;
            final boolean isGroup = parts.startsWith("(");
            buffer.putInt(at, isGroup ? block : 0);
            assertEquals(MessageCheck.Verdict.VALID, check.check(buffer, 0, bytes.length), parts);
            if (!parts.isEmpty())
            {
                // Of a group: the upper half is the number of entries.
                final int above = isGroup ? block / 8 + (MessageCheck.GROUP_MAX + 1 << 16) : MAX + 1;
                for (final int length : new int[]{above, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
                {
                    buffer.putInt(at, length);
                    assertEquals(MessageCheck.Verdict.MALFORMED, check.check(buffer, 0, bytes.length),
                        message.getAttribute("name") + ' ' + length);
                }
                assertEquals(MessageCheck.Verdict.MALFORMED, check.check(buffer, 0, at + 3));
            }
            assertEquals(MessageCheck.Verdict.MALFORMED, check.check(buffer, 0, at - 1));
        });
    }
}
