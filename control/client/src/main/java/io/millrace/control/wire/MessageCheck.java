package io.millrace.control.wire;

import io.millrace.control.codec.CommandDecoder;
import io.millrace.control.codec.LatencyRecordDecoder;
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.OpenSessionDecoder;
import io.millrace.control.device.DeviceType;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import org.agrona.DirectBuffer;

/**
 * Looks at a message before it is decoded: schema, lengths of all parts, texts. What passes can be decoded without
 * reading outside. Belongs to one thread.
 */
final class MessageCheck
{
    /** What came of it. */
    enum Verdict
    {
        /** May be decoded. */
        VALID,
        /** Of a version of this schema that is not read any more. */
        OTHER_VERSION,
        /** Of this schema, but of no message that this version knows. */
        UNKNOWN,
        /** Not to be read. */
        MALFORMED
    }

    /** First version of the schema that is read. */
    static final int VERSION_MIN = 4;
    /** Longest value of a property, in bytes. */
    static final int VALUE_LENGTH_MAX_BYTES = DeviceType.PROPERTIES_LENGTH_BYTES_MAX;
    /** Most entries of a group. */
    static final int GROUP_MAX = 128;
    /** First template of commands. */
    private static final int COMMAND_FIRST = 11;
    /** Last template of commands, those of later versions included. */
    private static final int COMMAND_LAST = 99;
    private static final int GROUP_HEADER_LENGTH = 4;
    private static final int GROUP_COUNT_OFFSET = 2;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    Verdict check(final DirectBuffer buffer, final int offset, final int length)
    {
        if (length < MessageHeaderDecoder.ENCODED_LENGTH)
        {
            return Verdict.MALFORMED;
        }
        header.wrap(buffer, offset);
        if (MessageHeaderDecoder.SCHEMA_ID != header.schemaId())
        {
            return Verdict.MALFORMED;
        }
        if (header.version() < VERSION_MIN)
        {
            return Verdict.OTHER_VERSION;
        }
        final MessageLayout layout = MessageLayout.of(header.templateId());
        if (null == layout)
        {
            return Verdict.UNKNOWN;
        }
        final int end = offset + length;
        final int at = offset + MessageHeaderDecoder.ENCODED_LENGTH + header.blockLength();
        if (header.blockLength() < layout.blockLengthMin())
        {
            return Verdict.MALFORMED;
        }
        return isValid(buffer, at, end, layout) ? Verdict.VALID : Verdict.MALFORMED;
    }

    private static boolean isValid(
        final DirectBuffer buffer, final int from, final int end, final MessageLayout layout)
    {
        final String parts = layout.variable();
        int at = from;
        for (int i = 0; i < parts.length() && at >= 0 && at <= end; i++)
        {
            at = switch (parts.charAt(i))
            {
                case MessageLayout.GROUP -> group(buffer, at, end);
                case MessageLayout.PROPERTIES -> properties(buffer, at, end);
                case MessageLayout.NAMES -> names(buffer, at, end);
                case MessageLayout.TEXT -> data(buffer, at, end, Text.LENGTH_MAX_BYTES, true);
                default -> data(buffer, at, end, Text.LENGTH_MAX_BYTES, false);
            };
        }
        return at >= 0 && at <= end;
    }

    /** Whether the message looked at last, of an earlier version, opens a session; its beginning can be decoded. */
    boolean opensSession(final DirectBuffer buffer, final int offset, final int length)
    {
        final int at = offset + MessageHeaderDecoder.ENCODED_LENGTH + header.blockLength();
        return OpenSessionDecoder.TEMPLATE_ID == header.templateId() &&
            header.blockLength() >= OpenSessionDecoder.BLOCK_LENGTH &&
            at <= offset + length && data(buffer, at, offset + length, Text.LENGTH_MAX_BYTES, true) >= 0;
    }

    /** Of the message looked at last. */
    MessageHeaderDecoder header()
    {
        return header;
    }

    /** Whether the message looked at last, however broken, says at least which command of whom it is. */
    boolean namesCommand(final int length)
    {
        return length >= MessageHeaderDecoder.ENCODED_LENGTH + CommandDecoder.ENCODED_LENGTH &&
            MessageHeaderDecoder.SCHEMA_ID == header.schemaId() &&
            header.templateId() >= COMMAND_FIRST && header.templateId() <= COMMAND_LAST &&
            header.blockLength() >= CommandDecoder.ENCODED_LENGTH;
    }

    /** Where the group ends, or below 0. */
    private static int group(final DirectBuffer buffer, final int at, final int end)
    {
        if (end - at < GROUP_HEADER_LENGTH)
        {
            return -1;
        }
        final int entryLength = entryLength(buffer, at);
        final int count = count(buffer, at);
        return entryLength < LatencyRecordDecoder.BucketsDecoder.sbeBlockLength() || count > GROUP_MAX ? -1 :
            at + GROUP_HEADER_LENGTH + entryLength * count;
    }

    private static int entryLength(final DirectBuffer buffer, final int at)
    {
        return buffer.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    private static int count(final DirectBuffer buffer, final int at)
    {
        return buffer.getShort(at + GROUP_COUNT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Where the group of keys and values ends, or below 0, also when a key is there twice. */
    private static int properties(final DirectBuffer buffer, final int from, final int end)
    {
        if (end - from < GROUP_HEADER_LENGTH || count(buffer, from) > GROUP_MAX)
        {
            return -1;
        }
        final Set<String> keys = new HashSet<>();
        int at = from + GROUP_HEADER_LENGTH;
        for (int i = count(buffer, from); i > 0; i--)
        {
            final int key = at + entryLength(buffer, from);
            final int value = key > end ? -1 : data(buffer, key, end, Text.LENGTH_MAX_BYTES, true);
            if (value < 0 || !keys.add(buffer.getStringWithoutLengthUtf8(
                key + Integer.BYTES, value - key - Integer.BYTES)))
            {
                return -1;
            }
            at = data(buffer, value, end, VALUE_LENGTH_MAX_BYTES, true);
            if (at < 0)
            {
                return -1;
            }
        }
        return at;
    }

    /** Where the group of names ends, or below 0. */
    private static int names(final DirectBuffer buffer, final int from, final int end)
    {
        if (end - from < GROUP_HEADER_LENGTH || count(buffer, from) > GROUP_MAX)
        {
            return -1;
        }
        int at = from + GROUP_HEADER_LENGTH;
        for (int i = count(buffer, from); i > 0 && at >= 0; i--)
        {
            final int name = at + entryLength(buffer, from);
            at = name > end ? -1 : data(buffer, name, end, Text.LENGTH_MAX_BYTES, true);
        }
        return at;
    }

    /** Where the text or the bytes end, or below 0. */
    private static int data(
        final DirectBuffer buffer, final int at, final int end, final int lengthMax, final boolean isText)
    {
        if (end - at < Integer.BYTES)
        {
            return -1;
        }
        final int length = buffer.getInt(at, ByteOrder.LITTLE_ENDIAN);
        final int from = at + Integer.BYTES;
        if (length < 0 || length > lengthMax || length > end - from || isText && !Text.isValid(buffer, from, length))
        {
            return -1;
        }
        return from + length;
    }
}
