package io.millrace.manager.store;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/**
 * Texts of a header of lines {@code key: value}, which is YAML for people, and the sum over a file that it ends with.
 * Stateless.
 */
final class HeaderText
{
    static final String SHA256 = "sha256: ";
    static final String BODY = "---\n";

    /** Of an id in quotes. */
    private static final int ID_LENGTH = 34;
    private static final int NUMBER_LENGTH_MAX = 18;

    /** Goes through the lines of a header. */
    static final class Lines
    {
        private final String where;
        private final String text;
        private int at;
        private int number;

        Lines(final String where, final String text)
        {
            this.where = where;
            this.text = text;
        }

        String next()
        {
            final int end = text.indexOf('\n', at);
            if (end < 0)
            {
                throw problem("the file ends here, and was longer");
            }
            final String line = text.substring(at, end);
            at = end + 1;
            number++;
            return line;
        }

        String value(final String key)
        {
            final int start = at;
            final String line = next();
            if (!line.startsWith(key + ": "))
            {
                at = start;
                throw problem("'" + key + ": ' is expected here");
            }
            return line.substring(key.length() + 2);
        }

        /** Whether the next line has that key. */
        boolean has(final String key)
        {
            return text.startsWith(key + ": ", at);
        }

        int at()
        {
            return at;
        }

        /** Of the line that was read last, from 1. */
        int number()
        {
            return number;
        }

        String head(final int end)
        {
            return text.substring(0, end);
        }

        String rest()
        {
            return text.substring(at);
        }

        StoreException problem(final String what)
        {
            return new StoreException(where + ":" + Math.max(1, number) + ": " + what);
        }
    }

    private HeaderText()
    {
    }

    static String text(final String where, final byte[] content)
    {
        try
        {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        }
        catch (final CharacterCodingException e)
        {
            throw new StoreException(where + ":1: is not a text in UTF-8: the file was changed or damaged", e);
        }
    }

    /** Double-quoted, as JSON and YAML read it alike. */
    static String quoted(final String text)
    {
        final StringBuilder result = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++)
        {
            final char c = text.charAt(i);
            if ('"' == c || '\\' == c)
            {
                result.append('\\').append(c);
            }
            else if (c < 0x20 || c > 0x7E && !Character.isLetterOrDigit(c))
            {
                result.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            }
            else
            {
                result.append(c);
            }
        }
        return result.append('"').toString();
    }

    static String unquoted(final Lines lines, final String text)
    {
        final StringBuilder result = new StringBuilder(text.length());
        int i = 1;
        for (; i < text.length() - 1; i++)
        {
            final char c = text.charAt(i);
            if ('\\' != c)
            {
                result.append(c);
            }
            else if ('u' == text.charAt(i + 1) && i + 5 < text.length() - 1 &&
                text.substring(i + 2, i + 6).chars().allMatch(HexFormat::isHexDigit))
            {
                result.append((char)HexFormat.fromHexDigits(text, i + 2, i + 6));
                i += 5;
            }
            else
            {
                result.append(text.charAt(++i));
            }
        }
        if (i != text.length() - 1 || '"' != text.charAt(0) || '"' != text.charAt(i))
        {
            throw lines.problem("a text has no quotes around it");
        }
        return result.toString();
    }

    static String hash(final String text)
    {
        try
        {
            return HexFormat.of().formatHex(
                MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** 32 hexadecimal digits. */
    static String digits(final UUID id)
    {
        final HexFormat hex = HexFormat.of();
        return '"' + hex.toHexDigits(id.getMostSignificantBits()) + hex.toHexDigits(id.getLeastSignificantBits()) + '"';
    }

    static UUID id(final Lines lines, final String key)
    {
        final String value = lines.value(key);
        try
        {
            if (ID_LENGTH == value.length())
            {
                return new UUID(
                    HexFormat.fromHexDigitsToLong(value, 1, 1 + ID_LENGTH / 2 - 1),
                    HexFormat.fromHexDigitsToLong(value, ID_LENGTH / 2, ID_LENGTH - 1));
            }
        }
        catch (final IllegalArgumentException _)
        {
            // As one of another length.
        }
        throw lines.problem(key + " has not 32 hexadecimal digits in quotes");
    }

    /** A number from 0 to a bound. */
    static long number(final Lines lines, final String key, final long max)
    {
        final String value = lines.value(key);
        if (value.isEmpty() || value.length() > NUMBER_LENGTH_MAX || !value.chars().allMatch(HeaderText::isDigit) ||
            Long.parseLong(value) > max)
        {
            throw lines.problem(key + " is no number from 0 to " + max);
        }
        return Long.parseLong(value);
    }

    private static boolean isDigit(final int character)
    {
        return character >= '0' && character <= '9';
    }

    /** Reads the line of the sum, and answers what is behind it without its first line. */
    static String body(final Lines lines)
    {
        final int headEnd = lines.at();
        final String kept = lines.value("sha256");
        final String body = lines.rest();
        final String found = hash(lines.head(headEnd) + body);
        if (!found.equals(kept))
        {
            throw lines.problem("sha256 is " + kept + ", the content gives " + found +
                ": the file was changed or damaged");
        }
        if (!body.startsWith(BODY))
        {
            throw lines.problem("'---' is expected after this line");
        }
        // As many lines as before it, so that messages name those of the file.
        return "\n".repeat(lines.number() + 1) + body.substring(BODY.length());
    }
}
