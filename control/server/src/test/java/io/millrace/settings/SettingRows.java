package io.millrace.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Holds a page of documentation to the settings of a kind of file. */
public final class SettingRows
{
    /** Where in docs/configuration.md the settings of the manager's file begin. */
    public static final String MANAGER = "\n## The manager's file\n";

    private static final Pattern ROW = Pattern.compile("\\| `([a-z][a-z0-9.\\[\\]-]*)` \\| ([^|]*) \\| ([^|]*) \\|.*");

    private SettingRows()
    {
    }

    /**
     * Each setting has a row with its type and its default, and there are no others.
     *
     * @param page  to look at.
     * @param table of the settings.
     */
    public static void check(final String page, final SettingTable table)
    {
        final Map<String, Matcher> rows = new LinkedHashMap<>();
        page.lines().forEach((line) ->
        {
            final Matcher matcher = ROW.matcher(line);
            if (matcher.matches())
            {
                assertEquals(null, rows.put(matcher.group(1), matcher), () -> "documented twice: " + line);
            }
        });
        final Map<String, Setting<?>> settings = new TreeMap<>();
        for (final Setting<?> setting : table.all())
        {
            if (null != setting.type())
            {
                settings.put(setting.key(), setting);
            }
        }
        assertEquals(settings.keySet(), new TreeSet<>(rows.keySet()));
        settings.values().forEach((setting) -> check(setting, rows.get(setting.key())));
    }

    private static void check(final Setting<?> setting, final Matcher row)
    {
        if (null != setting.def())
        {
            assertEquals("`" + setting.def() + "`", row.group(3).strip(), setting.key());
            setting.type().parse(setting.def());
        }
        assertEquals(setting.required(), "required".equals(row.group(3).strip()), setting.key());
        final String type = setting.type().name();
        final String written = row.group(2).strip();
        assertTrue(written.startsWith(type) || written.startsWith("list of " + type) ||
            "text".equals(type) && written.contains("NQN"), () -> setting.key() + ": " + written + ", is " + type);
    }
}
