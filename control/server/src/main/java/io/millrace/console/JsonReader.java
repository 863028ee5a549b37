package io.millrace.console;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads JSON (RFC 8259) to what {@link Json} writes: maps in the order of the text, lists, strings, numbers, booleans
 * and null. Of keys that repeat the last counts. The text may be a peer's: depth and digits are bounded. One thread.
 */
public final class JsonReader
{
    /** Most objects and arrays inside each other: the stack is small. */
    static final int DEPTH_MAX = 200;
    /** Most characters of a number: longer ones take time to read that grows with their square. */
    static final int NUMBER_LENGTH_MAX = 400;
    private static final int LONG_LENGTH_MAX = 18;
    private static final int UNICODE_DIGITS = 4;
    private static final int HEXADECIMAL = 16;
    private static final char END = (char)-1;
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*+)(\\.\\d++)?+([eE][+-]?\\d++)?+");

    private final String text;
    private int position;
    private int depth;

    private JsonReader(final String text)
    {
        this.text = text;
    }

    /**
     * {@return the value of a text: a {@link Map}, a {@link List}, a {@link String}, a {@link Long}, a
     * {@link BigInteger} or {@link BigDecimal}, a {@link Boolean} or null}
     *
     * @param text with one value.
     * @throws JsonException if it is no JSON, deeper than {@value #DEPTH_MAX}, or has a number of more than
     *     {@value #NUMBER_LENGTH_MAX} characters or beyond a double.
     */
    public static Object read(final String text)
    {
        final JsonReader reader = new JsonReader(text);
        final Object value = reader.value();
        reader.blanks();
        if (reader.position < text.length())
        {
            throw reader.wrong("more text behind the value");
        }
        return value;
    }

    private Object value()
    {
        blanks();
        final char c = next();
        return switch (c)
        {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object()
    {
        enter();
        final Map<String, Object> object = new LinkedHashMap<>();
        if (!taken('}'))
        {
            do
            {
                blanks();
                if ('"' != next())
                {
                    throw wrong("no key");
                }
                final String key = string();
                if (!taken(':'))
                {
                    throw wrong("no colon behind a key");
                }
                object.put(key, value());
            }
            while (taken(','));
            leave('}');
        }
        depth--;
        return object;
    }

    private List<Object> array()
    {
        enter();
        final List<Object> array = new ArrayList<>();
        if (!taken(']'))
        {
            do
            {
                array.add(value());
            }
            while (taken(','));
            leave(']');
        }
        depth--;
        return array;
    }

    private void enter()
    {
        position++;
        if (++depth > DEPTH_MAX)
        {
            throw wrong("more than " + DEPTH_MAX + " objects and arrays inside each other");
        }
    }

    private void leave(final char end)
    {
        if (!taken(end))
        {
            throw wrong("neither a comma nor '" + end + "'");
        }
    }

    private String string()
    {
        position++;
        int start = position;
        StringBuilder unescaped = null;
        for (char c = next(); '"' != c; c = next())
        {
            if (c < ' ' || END == c && position >= text.length())
            {
                throw wrong(END == c ? "a string without its end" : "a control character in a string");
            }
            if ('\\' == c)
            {
                unescaped = null == unescaped ? new StringBuilder() : unescaped;
                unescaped.append(text, start, position);
                position++;
                unescaped.append(escaped());
                start = position;
            }
            else
            {
                position++;
            }
        }
        final String end = text.substring(start, position++);
        return null == unescaped ? end : unescaped.append(end).toString();
    }

    private char escaped()
    {
        final char c = next();
        position++;
        return switch (c)
        {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default ->
            {
                position--;
                throw wrong("an unknown escape");
            }
        };
    }

    private char unicode()
    {
        int code = 0;
        for (int i = 0; i < UNICODE_DIGITS; i++)
        {
            final char c = next();
            // Character.digit takes digits of all scripts.
            final int digit = c < 0x80 ? Character.digit(c, HEXADECIMAL) : -1;
            if (digit < 0)
            {
                throw wrong("no four hexadecimal digits");
            }
            code = code * HEXADECIMAL + digit;
            position++;
        }
        return (char)code;
    }

    private Object word(final String word, final Object value)
    {
        if (!text.startsWith(word, position))
        {
            throw wrong("no value");
        }
        position += word.length();
        return value;
    }

    private Number number()
    {
        final Matcher matcher = NUMBER.matcher(text);
        matcher.region(position, Math.min(text.length(), position + NUMBER_LENGTH_MAX + 1));
        if (!matcher.lookingAt())
        {
            throw wrong("no value");
        }
        final String digits = matcher.group();
        if (digits.length() > NUMBER_LENGTH_MAX)
        {
            throw wrong("a number of more than " + NUMBER_LENGTH_MAX + " characters");
        }
        final Number number =
            null != matcher.group(2) || null != matcher.group(3) ? decimal(digits) : whole(digits);
        if (!Double.isFinite(number.doubleValue()))
        {
            throw wrong("a number beyond a double");
        }
        position += digits.length();
        return number;
    }

    private static Number whole(final String digits)
    {
        return digits.length() <= LONG_LENGTH_MAX ? (Number)Long.valueOf(digits) : new BigInteger(digits);
    }

    private Number decimal(final String digits)
    {
        try
        {
            final BigDecimal decimal = new BigDecimal(digits);
            // Written without a point (1.5e1 as 15): read as what that is read as.
            return 0 == decimal.scale() ? whole(decimal.toString()) : decimal;
        }
        catch (final NumberFormatException e)
        {
            throw wrong("a number with too large an exponent");
        }
    }

    private boolean taken(final char c)
    {
        blanks();
        if (c != next())
        {
            return false;
        }
        position++;
        return true;
    }

    private void blanks()
    {
        while (position < text.length() && " \t\n\r".indexOf(text.charAt(position)) >= 0)
        {
            position++;
        }
    }

    private char next()
    {
        return position < text.length() ? text.charAt(position) : END;
    }

    private JsonException wrong(final String problem)
    {
        return new JsonException(problem, Math.min(position, text.length()));
    }
}
