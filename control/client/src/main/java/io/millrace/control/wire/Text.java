package io.millrace.control.wire;

import io.millrace.control.device.DeviceType;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * Rules of texts in messages: UTF-8, at most {@link #LENGTH_MAX_BYTES}, no control characters. Stateless.
 */
public final class Text
{
    /** Longest text, in bytes of UTF-8. */
    public static final int LENGTH_MAX_BYTES = 4096;
    /** Longest value of a property, in bytes of UTF-8. */
    static final int VALUE_LENGTH_MAX_BYTES = DeviceType.PROPERTIES_LENGTH_BYTES_MAX;
    /** Longest name of a device or its type, in bytes of UTF-8, where a message has much else. */
    static final int NAME_LENGTH_MAX_BYTES = 256;
    /** Longest name of one of many devices: longer names are none. */
    static final int MEMBER_LENGTH_MAX_BYTES = 64;
    /** Where a message has so many texts that not all can be long. */
    static final int SHORT_LENGTH_MAX_BYTES = 1024;

    private static final int CONTROL_BELOW = 0x20;
    private static final int DELETE = 0x7F;
    private static final int C1_END = 0xA0;
    private static final int CODE_POINT_MAX = 0x10FFFF;

    private Text()
    {
    }

    /**
     * Checks a text before it is sent.
     *
     * @param what  it is, for the error.
     * @param value to check.
     * @return the value.
     * @throws IllegalArgumentException when it cannot be sent; names what, bound and remedy.
     */
    static String check(final String what, final String value)
    {
        return check(what, value, LENGTH_MAX_BYTES);
    }

    static String check(final String what, final String value, final int lengthMaxBytes)
    {
        for (int i = 0; i < value.length(); i++)
        {
            final char c = value.charAt(i);
            if (isControl(c))
            {
                throw new IllegalArgumentException(what + " has a control character (0x" + Integer.toHexString(c) +
                    ") at index " + i + ": leave it out");
            }
            if (Character.isSurrogate(c))
            {
                if (!Character.isHighSurrogate(c) || i + 1 == value.length() ||
                    !Character.isLowSurrogate(value.charAt(i + 1)))
                {
                    throw new IllegalArgumentException(
                        what + " has half a character (an unpaired surrogate) at index " + i + ": leave it out");
                }
                i++;
            }
        }
        final int lengthBytes = value.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > lengthMaxBytes)
        {
            throw new IllegalArgumentException(what + " has " + lengthBytes + " bytes in UTF-8, more than " +
                lengthMaxBytes + ": shorten it");
        }
        return value;
    }

    /**
     * Makes any text fit: what cannot be sent becomes a question mark, and what is too long is cut.
     *
     * @param value any text, or null.
     * @return a text that can be sent.
     */
    public static String fit(final String value)
    {
        return fit(value, LENGTH_MAX_BYTES);
    }

    static String fit(final String value, final int lengthMaxBytes)
    {
        if (null == value)
        {
            return "";
        }
        final StringBuilder result = new StringBuilder(Math.min(value.length(), lengthMaxBytes));
        int lengthBytes = 0;
        for (int i = 0; i < value.length(); )
        {
            final int read = value.codePointAt(i);
            i += Character.charCount(read);
            final boolean isHalf = Character.MIN_SURROGATE <= read && read <= Character.MAX_SURROGATE;
            final int c = isHalf || isControl(read) ? '?' : read;
            lengthBytes += encodedLength(c);
            if (lengthBytes > lengthMaxBytes)
            {
                break;
            }
            result.appendCodePoint(c);
        }
        return result.toString();
    }

    private static int encodedLength(final int c)
    {
        return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    }

    /** Well-formed UTF-8 (shortest form, no surrogates) without control characters. */
    static boolean isValid(final DirectBuffer buffer, final int offset, final int length)
    {
        final int end = offset + length;
        for (int i = offset; i < end; )
        {
            final int first = buffer.getByte(i++) & 0xFF;
            if (first < 0x80)
            {
                if (isControl(first))
                {
                    return false;
                }
                continue;
            }
            final int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
            if (first < 0xC2 || first > 0xF4 || more > end - i)
            {
                return false;
            }
            int c = first & 0x3F >>> more;
            for (int k = 0; k < more; k++)
            {
                final int next = buffer.getByte(i++) & 0xFF;
                if (0x80 != (next & 0xC0))
                {
                    return false;
                }
                c = c << 6 | next & 0x3F;
            }
            if (encodedLength(c) != more + 1 || c > CODE_POINT_MAX || isControl(c) ||
                Character.MIN_SURROGATE <= c && c <= Character.MAX_SURROGATE)
            {
                return false;
            }
        }
        return true;
    }

    private static boolean isControl(final int c)
    {
        return c < CONTROL_BELOW || DELETE <= c && c < C1_END;
    }
}
