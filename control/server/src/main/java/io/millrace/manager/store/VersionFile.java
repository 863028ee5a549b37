package io.millrace.manager.store;

import io.millrace.control.codec.Code;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.Terms;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.settings.ConfigException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A version as a file: a header of lines, {@code ---}, and the state as {@link StateDocument} keeps it. Both are YAML,
 * for people to read. The header ends with the SHA-256 of the whole file but that line: {@code grep -v ^sha256: FILE |
 * sha256sum} gives it too. Stateless.
 */
final class VersionFile
{
    private static final String INTRODUCTION =
        "# Desired state of a data plane, stored by its manager. An edited file is refused: change it with commands.\n";
    private static final Pattern COUNTS = Pattern.compile("\\{devices: (\\d{1,9}), subsystems: (\\d{1,9}), " +
        "namespaces: (\\d{1,9}), hosts: (\\d{1,9}), listeners: (\\d{1,9})}");
    private static final String REVERTED = "reverted";
    private static final Pattern NUMBERS = Pattern.compile("\\[\\d{1,18}(, \\d{1,18})*]");
    private static final byte[] BODY = ('\n' + HeaderText.BODY).getBytes(StandardCharsets.UTF_8);
    private static final int ID_DIGITS = 32;
    /** Of a refusal: id, code, text. */
    private static final int REFUSAL_PARTS = 3;

    private VersionFile()
    {
    }

    static byte[] write(final VersionHeader header, final DesiredState state)
    {
        final VersionHeader.Counts counts = header.counts();
        final String head = INTRODUCTION +
            "version: " + header.version() + '\n' +
            "lineage: " + HeaderText.digits(header.lineage()) + '\n' +
            "term: " + header.term() + '\n' +
            "time: " + header.time() + '\n' +
            "author: " + HeaderText.quoted(header.author()) + '\n' +
            "comment: " + HeaderText.quoted(header.comment()) + '\n' +
            "counts: {devices: " + counts.devices() + ", subsystems: " + counts.subsystems() + ", namespaces: " +
            counts.namespaces() + ", hosts: " + counts.hosts() + ", listeners: " + counts.listeners() + "}\n" +
            "commands: " + ids(header.commands()) + '\n' +
            "refused: " + refusals(header.refused()) + '\n' +
            // Most have none, and those of before had no such line.
            (header.reverted().isEmpty() ? "" : REVERTED + ": " + header.reverted() + '\n');
        final String body = HeaderText.BODY + StateDocument.writePersisted(state);
        return (head + HeaderText.SHA256 + HeaderText.hash(head + body) + '\n' + body).getBytes(StandardCharsets.UTF_8);
    }

    /** Throws StoreException with file, line and what is wrong. */
    static Version read(final String where, final byte[] content)
    {
        final HeaderText.Lines lines = new HeaderText.Lines(where, HeaderText.text(where, content));
        final VersionHeader header = header(lines);
        final String body = HeaderText.body(lines);
        try
        {
            return new Version(header, StateDocument.readPersisted(where, body));
        }
        catch (final ConfigException e)
        {
            throw new StoreException(e.getMessage(), e);
        }
    }

    /** What a file says of itself, believed as it is. */
    static VersionHeader readHeader(final String where, final byte[] content)
    {
        return header(new HeaderText.Lines(where, HeaderText.text(where, content)));
    }

    private static VersionHeader header(final HeaderText.Lines lines)
    {
        if (!INTRODUCTION.equals(lines.next() + '\n'))
        {
            throw lines.problem("does not begin as a state that a manager kept");
        }
        final long version = HeaderText.number(lines, "version", StatePosition.VERSION_MAX);
        // Files of before have neither.
        final UUID lineage = lines.has("lineage") ? HeaderText.id(lines, "lineage") : StatePosition.NO_LINEAGE;
        final long term = lines.has("term") ? HeaderText.number(lines, "term", Terms.MAX) : 0;
        return new VersionHeader(version, lineage, term, time(lines), HeaderText.unquoted(lines,
            lines.value("author")),
            HeaderText.unquoted(lines, lines.value("comment")), counts(lines), ids(lines, "commands"), refusals(lines),
            lines.has(REVERTED) ? reverted(lines) : List.of());
    }

    private static Instant time(final HeaderText.Lines lines)
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

    private static VersionHeader.Counts counts(final HeaderText.Lines lines)
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

    private static List<Long> reverted(final HeaderText.Lines lines)
    {
        final String value = lines.value(REVERTED);
        if (!NUMBERS.matcher(value).matches())
        {
            throw lines.problem(REVERTED + " has what is no version");
        }
        return Stream.of(value.substring(1, value.length() - 1).split(", ")).map(Long::valueOf).toList();
    }

    /** Whether both files hold the same state, whatever their headers say. */
    static boolean isSameState(final byte[] one, final byte[] other)
    {
        final int begin = bodyOf(one);
        final int otherBegin = bodyOf(other);
        return begin >= 0 && otherBegin >= 0 &&
            Arrays.equals(one, begin, one.length, other, otherBegin, other.length);
    }

    /** Where the state begins; a line of the header begins with a letter, but for its comment. */
    private static int bodyOf(final byte[] content)
    {
        for (int i = 0; i + BODY.length <= content.length; i++)
        {
            if (Arrays.equals(BODY, 0, BODY.length, content, i, i + BODY.length))
            {
                return i;
            }
        }
        return -1;
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

    private static List<CommandId> ids(final HeaderText.Lines lines, final String key)
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
                .append(each.code()).append("\", ").append(HeaderText.quoted(each.text())).append(']');
        }
        return text.append(']').toString();
    }

    private static List<Refusal> refusals(final HeaderText.Lines lines)
    {
        final String value = lines.value("refused");
        final List<String> parts = quotedParts(value);
        final List<Refusal> refused = new ArrayList<>(parts.size() / REFUSAL_PARTS);
        try
        {
            for (int i = 0; i < parts.size(); i += REFUSAL_PARTS)
            {
                refused.add(new Refusal(id(parts.get(i), 1), Code.valueOf(HeaderText.unquoted(lines, parts.get(i + 1))),
                    HeaderText.unquoted(lines, parts.get(i + 2))));
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
}
