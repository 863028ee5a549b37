package io.millrace.control.wire;

import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.MessageHeaderEncoder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

final class MessageBytes
{
    private MessageBytes()
    {
    }

    static void header(final MutableDirectBuffer buffer, final int block, final int template, final int version)
    {
        new MessageHeaderEncoder().wrap(buffer, 0)
            .blockLength(block).templateId(template).schemaId(MessageHeaderDecoder.SCHEMA_ID).version(version);
    }

    static byte[] of(final DirectBuffer buffer, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(MessagePublication.MESSAGE_OFFSET, bytes);
        return bytes;
    }
}
