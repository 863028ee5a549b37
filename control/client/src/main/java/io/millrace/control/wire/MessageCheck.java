package io.millrace.control.wire;

import io.millrace.control.codec.CommandDecoder;
import io.millrace.control.codec.GroupSizeEncodingDecoder;
import io.millrace.control.codec.ListenerRecordDecoder;
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.OpenSessionDecoder;
import io.millrace.control.codec.QueuePairRecordDecoder;
import io.millrace.control.codec.VarStringEncodingDecoder;
import io.millrace.control.codec.VarValueEncodingDecoder;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.sbe.MessageDecoderFlyweight;

/**
 * Looks at a message before it is decoded: schema, lengths of all parts, texts. What passes can be decoded without
 * reading outside, and its decoder is wrapped around it. {@code sbeSkip} of the decoders is no such check: it goes by
 * the lengths in the message without a bound, and reads outside where Agrona's bounds checks are turned off. Belongs to
 * one thread.
 */
final class MessageCheck
{
    /** What came of it. */
    enum Verdict
    {
        /** Its decoder is ready. */
        VALID,
        /** Of a version of this schema that is not read any more. */
        OTHER_VERSION,
        /** Of this schema, but of no message that this side knows. */
        UNKNOWN,
        /** Not to be read. */
        MALFORMED
    }

    /** First version of the schema that is read. */
    static final int VERSION_MIN = 4;
    /** Most entries of a group. */
    static final int GROUP_MAX = 128;
    /** First template of commands. */
    private static final int COMMAND_FIRST = 11;
    /** Last template of commands, those of later versions included. */
    private static final int COMMAND_LAST = 99;
    private static final int INVALID = -1;

    private record Layout(MessageDecoderFlyweight decoder, String parts, int entryLengthMin)
    {
    }

    private final Int2ObjectHashMap<Layout> layouts = new Int2ObjectHashMap<>();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final GroupSizeEncodingDecoder group = new GroupSizeEncodingDecoder();

    /**
     * Adds a message that is read.
     *
     * @param decoder of the message.
     * @param parts   that follow its block, in their order: {@code T} text, {@code V} value, a longer text, {@code B}
     *                bytes, in brackets the parts of each entry of a group, where {@code K} is a text that no two
     *                entries share.
     * @return the decoder.
     */
    <D extends MessageDecoderFlyweight> D add(final D decoder, final String parts)
    {
        return add(decoder, parts, 0);
    }

    /** With the least length of the block of an entry, in bytes. */
    <D extends MessageDecoderFlyweight> D add(final D decoder, final String parts, final int entryLengthMin)
    {
        layouts.put(decoder.sbeTemplateId(), new Layout(decoder, parts, entryLengthMin));
        return decoder;
    }

    /** Null when it is not read. */
    String parts(final int templateId)
    {
        final Layout layout = layouts.get(templateId);
        return null == layout ? null : layout.parts();
    }

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
        final Layout layout = layouts.get(header.templateId());
        if (null == layout)
        {
            return Verdict.UNKNOWN;
        }
        final MessageDecoderFlyweight decoder = layout.decoder();
        final int block = offset + MessageHeaderDecoder.ENCODED_LENGTH;
        if (header.blockLength() < decoder.sbeBlockLength() - addedSince(header.version(), layout) || INVALID == skip(
            buffer, block + header.blockLength(), offset + length, layout.parts(), layout.entryLengthMin(), Set.of()))
        {
            return Verdict.MALFORMED;
        }
        decoder.wrap(buffer, block, header.blockLength(), header.version());
        return Verdict.VALID;
    }

    /** How much of a block peers of an earlier version do not know, and so leave out. */
    private static int addedSince(final int version, final Layout layout)
    {
        return version >= 6 ? 0 : switch (layout.decoder().sbeTemplateId())
        {
            case ListenerRecordDecoder.TEMPLATE_ID ->
                ListenerRecordDecoder.BLOCK_LENGTH - ListenerRecordDecoder.listeningEncodingOffset();
            case QueuePairRecordDecoder.TEMPLATE_ID ->
                QueuePairRecordDecoder.BLOCK_LENGTH - QueuePairRecordDecoder.rdmaPortEncodingOffset();
            default -> 0;
        };
    }

    /** Whether the message looked at last, of an earlier version, opens a session; its beginning can be decoded. */
    boolean opensSession(final DirectBuffer buffer, final int offset, final int length)
    {
        final int at = offset + MessageHeaderDecoder.ENCODED_LENGTH + header.blockLength();
        return OpenSessionDecoder.TEMPLATE_ID == header.templateId() &&
            header.blockLength() >= OpenSessionDecoder.BLOCK_LENGTH &&
            INVALID != skip(buffer, at, offset + length, "T", 0, Set.of());
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

    /** Where the parts end, or INVALID. */
    private int skip(
        final DirectBuffer buffer,
        final int from,
        final int end,
        final String parts,
        final int entryLengthMin,
        final Set<String> keys)
    {
        int at = from > end ? INVALID : from;
        for (int i = 0; i < parts.length() && INVALID != at; i++)
        {
            if ('(' == parts.charAt(i))
            {
                final int close = parts.indexOf(')', i);
                at = skipGroup(buffer, at, end, parts.substring(i + 1, close), entryLengthMin);
                i = close;
            }
            else
            {
                at = skipData(buffer, at, end, parts.charAt(i), keys);
            }
        }
        return at;
    }

    private int skipGroup(
        final DirectBuffer buffer, final int from, final int end, final String parts, final int entryLengthMin)
    {
        if (end - from < GroupSizeEncodingDecoder.ENCODED_LENGTH)
        {
            return INVALID;
        }
        group.wrap(buffer, from);
        final int entryLength = group.blockLength();
        final int count = group.numInGroup();
        int at = entryLength < entryLengthMin || count > GROUP_MAX ? INVALID :
            from + GroupSizeEncodingDecoder.ENCODED_LENGTH;
        final Set<String> keys = new HashSet<>();
        for (int i = 0; i < count && INVALID != at; i++)
        {
            at = skip(buffer, at + entryLength, end, parts, 0, keys);
        }
        return at;
    }

    private static int skipData(
        final DirectBuffer buffer, final int at, final int end, final char part, final Set<String> keys)
    {
        if (end - at < Integer.BYTES)
        {
            return INVALID;
        }
        final long length = buffer.getInt(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF_FFFFL;
        final int from = at + Integer.BYTES;
        final long lengthMax = 'V' == part ? VarValueEncodingDecoder.lengthMaxValue() :
            VarStringEncodingDecoder.lengthMaxValue();
        if (length > Math.min(lengthMax, end - from) ||
            'B' != part && !Text.isValid(buffer, from, (int)length) ||
            'K' == part && !keys.add(buffer.getStringWithoutLengthUtf8(from, (int)length)))
        {
            return INVALID;
        }
        return from + (int)length;
    }
}
