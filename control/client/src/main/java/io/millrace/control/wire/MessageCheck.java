package io.millrace.control.wire;

import io.millrace.control.codec.CommandDecoder;
import io.millrace.control.codec.MessageHeaderDecoder;
import java.nio.ByteOrder;
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
        /** Of this schema, but of no message that this version knows. */
        UNKNOWN,
        /** Not to be read. */
        MALFORMED
    }

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
        final MessageLayout layout = MessageLayout.of(header.templateId());
        if (null == layout)
        {
            return Verdict.UNKNOWN;
        }
        final int end = offset + length;
        final int at = offset + MessageHeaderDecoder.ENCODED_LENGTH + header.blockLength();
        if (header.blockLength() < layout.blockLengthMin(header.version()))
        {
            return Verdict.MALFORMED;
        }
        return isValid(buffer, at, end, layout, header.version()) ? Verdict.VALID : Verdict.MALFORMED;
    }

    private static boolean isValid(
        final DirectBuffer buffer, final int from, final int end, final MessageLayout layout, final int version)
    {
        final String parts = layout.variable(version);
        int at = from;
        for (int i = 0; i < parts.length() && at >= 0 && at <= end; i++)
        {
            at = switch (parts.charAt(i))
            {
                case MessageLayout.GROUP -> group(buffer, at, end, layout.entryLengthMin(version));
                case MessageLayout.RULES -> rules(buffer, at, end);
                default -> data(buffer, at, end, MessageLayout.TEXT == parts.charAt(i));
            };
        }
        return at >= 0 && at <= end;
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
    private static int group(
        final DirectBuffer buffer, final int at, final int end, final int entryLengthMin)
    {
        if (end - at < GROUP_HEADER_LENGTH)
        {
            return -1;
        }
        final int entryLength = buffer.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
        final int count = buffer.getShort(at + GROUP_COUNT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
        return entryLength < entryLengthMin || count > GROUP_MAX ? -1 : at + GROUP_HEADER_LENGTH + entryLength * count;
    }

    /** Where the text or the bytes end, or below 0. */
    private static int data(final DirectBuffer buffer, final int at, final int end, final boolean isText)
    {
        if (end - at < Integer.BYTES)
        {
            return -1;
        }
        final int length = buffer.getInt(at, ByteOrder.LITTLE_ENDIAN);
        final int from = at + Integer.BYTES;
        if (length < 0 || length > Text.LENGTH_MAX_BYTES || length > end - from ||
            isText && !Text.isValid(buffer, from, length))
        {
            return -1;
        }
        return from + length;
    }

    /** Where a message of fault rules within another ends, or below 0. */
    private static int rules(final DirectBuffer buffer, final int at, final int end)
    {
        if (end - at < Integer.BYTES)
        {
            return -1;
        }
        final int length = buffer.getInt(at, ByteOrder.LITTLE_ENDIAN);
        final int from = at + Integer.BYTES;
        if (length < 0 || length > end - from)
        {
            return -1;
        }
        return 0 == length || isRules(buffer, from, length) ? from + length : -1;
    }

    private static boolean isRules(final DirectBuffer buffer, final int from, final int length)
    {
        if (length < MessageHeaderDecoder.ENCODED_LENGTH)
        {
            return false;
        }
        final MessageHeaderDecoder inner = new MessageHeaderDecoder().wrap(buffer, from);
        return MessageHeaderDecoder.SCHEMA_ID == inner.schemaId() &&
            MessageLayout.SET_FAULT_RULES.templateId() == inner.templateId() &&
            inner.blockLength() >= MessageLayout.SET_FAULT_RULES.blockLengthMin(inner.version()) &&
            isValid(buffer, from + MessageHeaderDecoder.ENCODED_LENGTH + inner.blockLength(), from + length,
            MessageLayout.SET_FAULT_RULES, inner.version());
    }
}
