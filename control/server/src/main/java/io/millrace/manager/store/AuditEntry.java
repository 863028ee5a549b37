package io.millrace.manager.store;

import io.millrace.console.Json;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.AuditInfo;
import io.millrace.control.setting.SettingType;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An entry of the audit log. Immutable.
 *
 * @param sequence   from 1; 0: not in the log yet.
 * @param time       when it was answered.
 * @param dataPlane  that it was about; empty: none in particular.
 * @param clientName as the client calls itself.
 * @param keyName    which it proved; empty: none, it came over IPC.
 * @param role       of its session.
 * @param command    in words.
 * @param version    that came of it; 0: none.
 * @param code       how it went.
 * @param text       one sentence of the answer, or empty.
 */
public record AuditEntry(
    long sequence,
    Instant time,
    String dataPlane,
    String clientName,
    String keyName,
    Role role,
    String command,
    long version,
    Code code,
    String text)
{
    private static final String TEXT = "\"((?:[^\"\\\\]|\\\\.)*+)\"";
    private static final Pattern LINE = Pattern.compile("\\{\"sequence\": (\\d{1,18}), \"time\": " + TEXT +
        ", \"data-plane\": " + TEXT + ", \"client\": " + TEXT + ", \"key\": " + TEXT + ", \"role\": \"([A-Za-z]+)\"" +
        ", \"command\": " + TEXT + ", \"version\": (\\d{1,18}), \"result\": \"([A-Za-z_-]+)\"" +
        ", \"message\": " + TEXT + "}");

    /**
     * Rejects null.
     */
    public AuditEntry
    {
        Objects.requireNonNull(time, "time");
        Objects.requireNonNull(dataPlane, "dataPlane");
        Objects.requireNonNull(clientName, "clientName");
        Objects.requireNonNull(keyName, "keyName");
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(command, "command");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(text, "text");
    }

    AuditEntry numbered(final long number)
    {
        return new AuditEntry(
            number, time, dataPlane, clientName, keyName, role, command, version, code, text);
    }

    /**
     * {@return the record of it}
     */
    public AuditInfo info()
    {
        return new AuditInfo(sequence, TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano(), version, role,
            code, dataPlane, client(clientName, keyName), command, text);
    }

    /**
     * {@return who somebody is, for people}
     *
     * @param clientName as the client calls itself.
     * @param keyName    which it proved; empty: none.
     */
    public static String client(final String clientName, final String keyName)
    {
        return keyName.isEmpty() ? clientName : clientName + " (key " + keyName + ')';
    }

    String line()
    {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("sequence", sequence);
        fields.put("time", time.toString());
        fields.put("data-plane", dataPlane);
        fields.put("client", clientName);
        fields.put("key", keyName);
        fields.put("role", SettingType.word(role));
        fields.put("command", command);
        fields.put("version", version);
        fields.put("result", SettingType.word(code));
        fields.put("message", text);
        return Json.line(fields);
    }

    /** Null when the line is none. */
    static AuditEntry parse(final String line)
    {
        final Matcher matcher = LINE.matcher(line);
        if (!matcher.matches())
        {
            return null;
        }
        try
        {
            return new AuditEntry(Long.parseLong(matcher.group(1)), Instant.parse(matcher.group(2)),
                plain(matcher.group(3)), plain(matcher.group(4)), plain(matcher.group(5)),
                Role.valueOf(constant(matcher.group(6))), plain(matcher.group(7)), Long.parseLong(matcher.group(8)),
                Code.valueOf(constant(matcher.group(9))), plain(matcher.group(10)));
        }
        catch (final RuntimeException e)
        {
            return null;
        }
    }

    /** Entries of earlier builds have the names of the constants. */
    private static String constant(final String word)
    {
        return word.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private static String plain(final String escaped)
    {
        final StringBuilder text = new StringBuilder(escaped.length());
        for (int i = 0; i < escaped.length(); i++)
        {
            final char c = escaped.charAt(i);
            if ('\\' != c)
            {
                text.append(c);
                continue;
            }
            final char next = escaped.charAt(++i);
            switch (next)
            {
                case 'n' -> text.append('\n');
                case 't' -> text.append('\t');
                case 'u' ->
                {
                    text.append((char)Integer.parseInt(escaped, i + 1, i + 5, 16));
                    i += 4;
                }
                default -> text.append(next);
            }
        }
        return text.toString();
    }
}
