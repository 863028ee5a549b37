package io.millrace.control.client;

import io.millrace.control.message.Command;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a document into what one message carries. Stateless.
 */
final class DocumentParts
{
    private static final int ONE_BYTE_MAX = 0x7F;
    private static final int TWO_BYTES_MAX = 0x7FF;
    private static final int THREE_BYTES = 3;

    private DocumentParts()
    {
    }

    /** The commands that carry a document, in order; one at least. */
    static List<Command.AddDocumentPart> of(final String document)
    {
        final List<Command.AddDocumentPart> parts = new ArrayList<>();
        long position = 0;
        int at = 0;
        do
        {
            final int end = end(document, at);
            final String part = document.substring(at, end);
            parts.add(new Command.AddDocumentPart(position, part));
            position += part.getBytes(StandardCharsets.UTF_8).length;
            at = end;
        }
        while (at < document.length());
        return parts;
    }

    /** Where the part that begins at an index ends, between two characters. */
    static int end(final String document, final int from)
    {
        int lengthBytes = 0;
        int at = from;
        while (at < document.length())
        {
            final char c = document.charAt(at);
            final boolean isPair = Character.isHighSurrogate(c) && at + 1 < document.length() &&
                Character.isLowSurrogate(document.charAt(at + 1));
            lengthBytes += isPair ? 1 + THREE_BYTES : c <= ONE_BYTE_MAX ? 1 : c <= TWO_BYTES_MAX ? 2 : THREE_BYTES;
            if (lengthBytes > Command.AddDocumentPart.CONTENT_MAX_BYTES)
            {
                return at;
            }
            at += isPair ? 2 : 1;
        }
        return at;
    }
}
