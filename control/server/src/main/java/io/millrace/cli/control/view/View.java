package io.millrace.cli.control.view;

import io.millrace.console.Table;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Resource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Output of a kind of resource: columns of tables, keys of JSON and YAML. Immutable.
 *
 * @param kind    of the resources.
 * @param plural  what they are called.
 * @param type    of the records.
 * @param columns in order.
 * @param layout  of a table of them.
 * @param more    keys and values of a record beside those of the columns, not in the table.
 * @param <T>     type of the records.
 */
public record View<T extends Resource>(
    Kind kind,
    String plural,
    Class<T> type,
    List<Column<T>> columns,
    Function<List<T>, Table> layout,
    Function<T, Map<String, Object>> more)
{
    /** Records of columns alone. */
    View(
        final Kind kind,
        final String plural,
        final Class<T> type,
        final List<Column<T>> columns,
        final Function<List<T>, Table> layout)
    {
        this(kind, plural, type, columns, layout, (record) -> Map.of());
    }

    /** The view with more keys and values of a record. */
    View<T> with(final Function<T, Map<String, Object>> values)
    {
        return new View<>(kind, plural, type, columns, layout, values);
    }

    /** A line for each record. */
    View(final Kind kind, final String plural, final Class<T> type, final List<Column<T>> columns)
    {
        this(kind, plural, type, columns, (records) -> linePerRecord(columns, records));
    }

    /**
     * A column.
     *
     * @param heading of the table, {@code >} in front of one that is set flush right; null: not in the table.
     * @param key     in JSON and YAML.
     * @param value   for programs: a string, number, boolean or null.
     * @param text    for people.
     * @param <T>     type of the records.
     */
    public record Column<T>(String heading, String key, Function<T, Object> value, Function<T, String> text)
    {
        static <T> Column<T> of(final String heading, final String key, final Function<T, Object> value)
        {
            return new Column<>(heading, key, value, (record) ->
            {
                final Object found = value.apply(record);
                return null == found || "".equals(found) ? "-" : found.toString();
            });
        }
    }

    /**
     * {@return the view with the data plane of each record in front}
     *
     * @param dataPlanes names by record, compared by identity.
     */
    public View<T> withDataPlane(final Map<T, String> dataPlanes)
    {
        final List<Column<T>> all = new ArrayList<>();
        all.add(Column.of("DATA PLANE", "data-plane", dataPlanes::get));
        columns.stream().filter((each) -> !"data-plane".equals(each.key())).forEach(all::add);
        return new View<>(kind, plural, type, all).with(more);
    }

    Table table(final List<T> resources)
    {
        return layout.apply(resources);
    }

    private static <T> Table linePerRecord(final List<Column<T>> columns, final List<T> resources)
    {
        final List<Column<T>> shown = columns.stream().filter((each) -> null != each.heading()).toList();
        final Table table = new Table(shown.stream().map(Column::heading).toArray(String[]::new));
        for (final T each : resources)
        {
            table.row(shown.stream().map((column) -> column.text().apply(each)).toArray(String[]::new));
        }
        return table;
    }

    /** One record, a line for each column. */
    List<String> lines(final T resource)
    {
        int width = 0;
        for (final Column<T> each : columns)
        {
            width = Math.max(width, label(each).length());
        }
        final Map<String, Object> others = more.apply(resource);
        for (final String each : others.keySet())
        {
            width = Math.max(width, each.length());
        }
        final List<String> lines = new ArrayList<>();
        for (final Column<T> each : columns)
        {
            final String label = label(each);
            lines.add(label + ":" + " ".repeat(width - label.length() + 1) + each.text().apply(resource));
        }
        final int column = width + 1;
        others.forEach((key, value) ->
            lines.add(key.replace('-', ' ') + ":" + " ".repeat(column - key.length()) + (null == value ? "-" : value)));
        return lines;
    }

    private static String label(final Column<?> column)
    {
        final String heading = null == column.heading() ?
            column.key().replace('-', ' ') : column.heading();
        return (heading.startsWith(">") ? heading.substring(1) : heading).toLowerCase(Locale.ROOT);
    }

    /**
     * {@return keys and values of each record, for JSON and YAML}
     *
     * @param resources to print.
     */
    public List<Map<String, Object>> maps(final List<T> resources)
    {
        return resources.stream().map(this::map).toList();
    }

    Map<String, Object> map(final T resource)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        columns.forEach((each) -> map.put(each.key(), each.value().apply(resource)));
        map.putAll(more.apply(resource));
        return map;
    }

    /**
     * {@return the records as those of this kind}
     *
     * @param resources that a list of this kind returned.
     * @throws ClassCastException when one is of another kind.
     */
    public List<T> cast(final List<? extends Resource> resources)
    {
        return resources.stream().map(type::cast).toList();
    }
}
