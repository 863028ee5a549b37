package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * What a script in the machine printed for the test to compare: lines {@code JSON name object} and
 * {@code VALUE name text}.
 */
final class Answers
{
    private final LabResult result;
    private final Map<String, String> json = new HashMap<>();
    private final Map<String, String> values = new HashMap<>();

    Answers(final LabResult result)
    {
        this.result = result;
        result.lines("JSON").forEach((line) -> put(json, line));
        result.lines("VALUE").forEach((line) -> put(values, line));
    }

    private static void put(final Map<String, String> into, final String line)
    {
        final int space = line.indexOf(' ');
        into.put(space < 0 ? line : line.substring(0, space), space < 0 ? "" : line.substring(space + 1).strip());
    }

    /** A text that the script printed. */
    String value(final String name)
    {
        assertNotNull(values.get(name), () -> "no value '" + name + "'\n" + result.description());
        return values.get(name);
    }

    /** Fails unless the named values are these: each line a name and the text, or nothing for an empty one. */
    void assertValues(final String expected)
    {
        final Map<String, String> wanted = new TreeMap<>();
        expected.lines().forEach((line) -> put(wanted, line));
        final Map<String, String> found = new TreeMap<>();
        wanted.keySet().forEach((name) -> found.put(name, values.getOrDefault(name, "(missing)")));
        assertEquals(lines(wanted), lines(found), () -> "logs in " + result.directory());
    }

    /** An answer of nvme-cli, or of what else prints JSON. */
    Object json(final String name)
    {
        assertNotNull(json.get(name), () -> "no JSON '" + name + "'\n" + result.description());
        return parse(json.get(name));
    }

    /**
     * Fails unless the fields of an answer have these values, each line a field and its value, and every other field is
     * zero or empty: what is not expected is not there.
     */
    void assertFields(final String name, final String expected)
    {
        assertFields(name, object(json(name)), expected);
    }

    /** As {@link #assertFields(String, String)}, for an object inside an answer. */
    static void assertFields(final String name, final Map<String, Object> fields, final String expected)
    {
        final Map<String, String> wanted = new TreeMap<>();
        expected.lines().forEach((line) -> put(wanted, line));
        final Map<String, String> found = new TreeMap<>();
        fields.forEach((field, value) ->
        {
            final String text = String.valueOf(value).strip();
            final boolean isPlain = !(value instanceof Map) && !(value instanceof List);
            if (wanted.containsKey(field) || isPlain && !text.matches("[0.-]*"))
            {
                found.put(field, text);
            }
        });
        assertEquals(lines(wanted), lines(found), name);
    }

    static Object parse(final String text)
    {
        return new Load(LoadSettings.builder().setAllowDuplicateKeys(true).build()).loadFromString(text);
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(final Object json)
    {
        return (Map<String, Object>)json;
    }

    static List<Map<String, Object>> objects(final Object json)
    {
        return ((List<?>)json).stream().map(Answers::object).toList();
    }

    /** A number that nvme-cli prints as one, or as text. */
    static long number(final Map<String, Object> fields, final String name)
    {
        return Long.parseLong(String.valueOf(fields.get(name)));
    }

    private static String lines(final Map<String, String> fields)
    {
        final StringBuilder text = new StringBuilder();
        fields.forEach((name, value) -> text.append(name).append(' ').append(value).append('\n'));
        return text.toString();
    }
}
