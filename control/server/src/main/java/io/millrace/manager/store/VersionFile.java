package io.millrace.manager.store;

import io.millrace.control.codec.Code;
import io.millrace.control.message.CommandId;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.settings.ConfigException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version as a file: a header of lines, {@code ---}, and the state as {@link StateDocument} writes it. Both are YAML,
 * for people to read. The header ends with the SHA-256 of the whole file but that line: {@code grep -v ^sha256: FILE |
 * sha256sum} gives it too. Stateless.
 */
final class VersionFile
{
    private static final String INTRODUCTION =
        "# What a data plane should be, kept by its manager. An edited file is refused: change it with commands.\n";
    private static final String SHA256 = "sha256: ";
    private static final String BODY = "---\n";
    private static final Pattern COUNTS = Pattern.compile("\\{devices: (\\d{1,9}), subsystems: (\\d{1,9}), " +
        "namespaces: (\\d{1,9}), hosts: (\\d{1,9}), listeners: (\\d{1,9})}");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final int ID_DIGITS = 32;
    /** Of a refusal: id, code, text. */
    private static final int REFUSAL_PARTS = 3;

    /** Goes through the lines of a header. */
    private static final class Lines
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

        StoreException problem(final String what)
        {
            return new StoreException(where + ":" + Math.max(1, number) + ": " + what);
        }
    }

    private VersionFile()
    {
    }

    static byte[] write(final VersionHeader header, final DesiredState state)
    {
        final VersionHeader.Counts counts = header.counts();
        final String head = INTRODUCTION +
            "version: " + header.version() + '\n' +
            "time: " + header.time() + '\n' +
            "who: " + quoted(header.who()) + '\n' +
            "comment: " + quoted(header.comment()) + '\n' +
            "counts: {devices: " + counts.devices() + ", subsystems: " + counts.subsystems() + ", namespaces: " +
            counts.namespaces() + ", hosts: " + counts.hosts() + ", listeners: " + counts.listeners() + "}\n" +
            "commands: " + ids(header.commands()) + '\n' +
            "refused: " + refusals(header.refused()) + '\n';
        final String body = BODY + StateDocument.write(state);
        return (head + SHA256 + hash(head + body) + '\n' + body).getBytes(StandardCharsets.UTF_8);
    }

    /** Throws StoreException with file, line and what is wrong. */
    static Version read(final String where, final byte[] content)
    {
        final Lines lines = new Lines(where, text(where, content));
        final VersionHeader header = header(lines);
        final int headEnd = lines.at;
        final String kept = lines.value("sha256");
        final String body = lines.text.substring(lines.at);
        final String found = hash(lines.text.substring(0, headEnd) + body);
        if (!found.equals(kept))
        {
            throw lines.problem("sha256 is " + kept + ", the content gives " + found +
                ": the file was changed or damaged");
        }
        if (!body.startsWith(BODY))
        {
            throw lines.problem("'---' is expected after this line");
        }
        try
        {
            // As many lines as before it, so that messages name those of the file.
            return new Version(header, StateDocument.read(
                where, "\n".repeat(lines.number + 1) + body.substring(BODY.length())).state());
        }
        catch (final ConfigException e)
        {
            throw new StoreException(e.getMessage(), e);
        }
    }

    /** What a file says of itself, believed as it is. */
    static VersionHeader readHeader(final String where, final byte[] content)
    {
        return header(new Lines(where, text(where, content)));
    }

    private static String text(final String where, final byte[] content)
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

    private static VersionHeader header(final Lines lines)
    {
        if (!INTRODUCTION.equals(lines.next() + '\n'))
        {
            throw lines.problem("does not begin as a state that a manager kept");
        }
        final String version = lines.value("version");
        if (!NUMBER.matcher(version).matches())
        {
            throw lines.problem("version is no number");
        }
        return new VersionHeader(Long.parseLong(version), time(lines), unquoted(lines, lines.value("who")),
            unquoted(lines, lines.value("comment")), counts(lines), ids(lines, "commands"), refusals(lines));
    }

    private static Instant time(final Lines lines)
    {
        try
        {
            return Instant.parse(lines.value("time"));
        }
        catch (final DateTimeException e)
        {
            throw lines.problem("time is none");
        }
    }

    private static VersionHeader.Counts counts(final Lines lines)
    {
        final Matcher matcher = COUNTS.matcher(lines.value("counts"));
        if (!matcher.matches())
        {
            throw lines.problem("counts are none");
        }
        return new VersionHeader.Counts(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)),
            Integer.parseInt(matcher.group(3)), Integer.parseInt(matcher.group(4)),
            Integer.parseInt(matcher.group(5)));
    }

    private static String ids(final List<CommandId> ids)
    {
        final StringBuilder text = new StringBuilder(2 + ids.size() * (ID_DIGITS + 4)).append('[');
        for (final CommandId id : ids)
        {
            text.append(1 == text.length() ? "\"" : ", \"").append(digits(id)).append('"');
        }
        return text.append(']').toString();
    }

    private static String digits(final CommandId id)
    {
        final HexFormat hex = HexFormat.of();
        return hex.toHexDigits(id.high()) + hex.toHexDigits(id.low());
    }

    /** Throws IllegalArgumentException or IndexOutOfBoundsException when there is none. */
    private static CommandId id(final String text, final int at)
    {
        return new CommandId(HexFormat.fromHexDigitsToLong(text, at, at + ID_DIGITS / 2),
            HexFormat.fromHexDigitsToLong(text, at + ID_DIGITS / 2, at + ID_DIGITS));
    }

    private static List<CommandId> ids(final Lines lines, final String key)
    {
        final String value = lines.value(key);
        final List<CommandId> ids = new ArrayList<>();
        try
        {
            for (int at = value.indexOf('"'); at >= 0; at = value.indexOf('"', at + ID_DIGITS + 2))
            {
                ids.add(id(value, at + 1));
            }
            return ids;
        }
        catch (final IllegalArgumentException | IndexOutOfBoundsException e)
        {
            throw lines.problem(key + " has what is no id of a command");
        }
    }

    private static String refusals(final List<Refusal> refused)
    {
        final StringBuilder text = new StringBuilder("[");
        for (final Refusal each : refused)
        {
            text.append(1 == text.length() ? "" : ", ").append("[\"").append(digits(each.id())).append("\", \"")
                .append(each.code()).append("\", ").append(quoted(each.text())).append(']');
        }
        return text.append(']').toString();
    }

    private static List<Refusal> refusals(final Lines lines)
    {
        final String value = lines.value("refused");
        final List<String> parts = quotedParts(value);
        final List<Refusal> refused = new ArrayList<>(parts.size() / REFUSAL_PARTS);
        try
        {
            for (int i = 0; i < parts.size(); i += REFUSAL_PARTS)
            {
                refused.add(new Refusal(id(parts.get(i), 1), Code.valueOf(unquoted(lines, parts.get(i + 1))),
                    unquoted(lines, parts.get(i + 2))));
            }
            return refused;
        }
        catch (final IllegalArgumentException | IndexOutOfBoundsException e)
        {
            throw lines.problem("refused has what is no id of a command with its answer");
        }
    }

    /** What stands in quotes, with them; the last may lack its end. */
    private static List<String> quotedParts(final String text)
    {
        final List<String> parts = new ArrayList<>();
        for (int begin = text.indexOf('"'); begin >= 0; )
        {
            int end = begin + 1;
            while (end < text.length() && '"' != text.charAt(end))
            {
                end += '\\' == text.charAt(end) ? 2 : 1;
            }
            parts.add(text.substring(begin, Math.min(end + 1, text.length())));
            begin = text.indexOf('"', end + 1);
        }
        return parts;
    }

    /** Double-quoted, as JSON and YAML read it alike. */
    private static String quoted(final String text)
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

    private static String unquoted(final Lines lines, final String text)
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

    private static String hash(final String text)
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
}
