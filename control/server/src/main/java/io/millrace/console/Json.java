package io.millrace.console;

import java.util.List;
import java.util.Map;

/**
 * Writes JSON (RFC 8259) from maps, lists, strings, numbers, booleans and null. Stateless.
 */
public final class Json
{
    private Json()
    {
    }

    /**
     * {@return a value as JSON, indented by two}
     *
     * @param value a {@link Map} with string keys, a {@link List}, a {@link CharSequence}, a finite {@link Number}, a
     *              {@link Boolean} or null.
     */
    public static String write(final Object value)
    {
        final StringBuilder out = new StringBuilder();
        write(out, value, "\n", "  ");
        return out.toString();
    }

    /**
     * {@return a value as JSON in one line}
     *
     * @param value as for {@link #write(Object)}.
     */
    public static String line(final Object value)
    {
        final StringBuilder out = new StringBuilder();
        write(out, value, "", "");
        return out.toString();
    }

    private static void write(
        final StringBuilder out, final Object value, final String newLine, final String indent)
    {
        final String comma = newLine.isEmpty() ? ", " : ",";
        switch (value)
        {
            case null -> out.append("null");
            case final Map<?, ?> map ->
            {
                String separator = newLine + indent;
                out.append('{');
                for (final Map.Entry<?, ?> entry : map.entrySet())
                {
                    out.append(separator);
                    string(out, (String)entry.getKey());
                    out.append(": ");
                    write(out, entry.getValue(), newLine + indent, indent);
                    separator = comma + newLine + indent;
                }
                out.append(map.isEmpty() ? "}" : newLine + "}");
            }
            case final List<?> list ->
            {
                String separator = newLine + indent;
                out.append('[');
                for (final Object item : list)
                {
                    out.append(separator);
                    write(out, item, newLine + indent, indent);
                    separator = comma + newLine + indent;
                }
                out.append(list.isEmpty() ? "]" : newLine + "]");
            }
            case final CharSequence text -> string(out, text);
            case final Boolean bool -> out.append(bool);
            case final Number number -> number(out, number);
            default -> throw new IllegalArgumentException("no JSON value: " + value.getClass());
        }
    }

    private static void number(final StringBuilder out, final Number number)
    {
        if (!Double.isFinite(number.doubleValue()))
        {
            throw new IllegalArgumentException("JSON has no " + number);
        }
        out.append(number);
    }

    private static void string(final StringBuilder out, final CharSequence text)
    {
        out.append('"');
        for (int i = 0; i < text.length(); i++)
        {
            final char c = text.charAt(i);
            switch (c)
            {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                default ->
                {
                    if (c < 0x20 || Character.isSurrogate(c) || '\u2028' == c || '\u2029' == c)
                    {
                        out.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
                    }
                    else
                    {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
