package io.millrace.console;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of text with aligned columns. The first row is the heading. Colour codes take no width. One thread at a time.
 */
public final class Table
{
    private static final String GAP = "  ";

    private final boolean[] right;
    private final List<String[]> rows = new ArrayList<>();

    /**
     * A table of as many columns as there are headings.
     *
     * @param headings of the columns; one that starts with {@code >} has its column set flush right.
     */
    public Table(final String... headings)
    {
        right = new boolean[headings.length];
        final String[] row = new String[headings.length];
        for (int i = 0; i < headings.length; i++)
        {
            right[i] = headings[i].startsWith(">");
            row[i] = right[i] ? headings[i].substring(1) : headings[i];
        }
        rows.add(row);
    }

    /**
     * Adds a row.
     *
     * @param cells one for each column.
     * @return this, to chain.
     */
    public Table row(final String... cells)
    {
        if (cells.length != right.length)
        {
            throw new IllegalArgumentException(cells.length + " cells for " + right.length + " columns");
        }
        rows.add(cells.clone());
        return this;
    }

    /**
     * {@return the lines, heading first, without trailing blanks}
     */
    public List<String> lines()
    {
        final int[] widths = new int[right.length];
        for (final String[] row : rows)
        {
            for (int i = 0; i < row.length; i++)
            {
                widths[i] = Math.max(widths[i], width(row[i]));
            }
        }
        final List<String> lines = new ArrayList<>();
        for (final String[] row : rows)
        {
            final StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++)
            {
                final String pad = " ".repeat(widths[i] - width(row[i]));
                line.append(0 == i ? "" : GAP);
                line.append(right[i] ? pad + row[i] : row[i] + pad);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    /**
     * Prints the table, its heading in bold.
     *
     * @param terminal to print to.
     * @param indent   in front of each line.
     */
    public void print(final Terminal terminal, final String indent)
    {
        final List<String> lines = lines();
        terminal.line(indent + terminal.bold(lines.get(0)));
        for (final String line : lines.subList(1, lines.size()))
        {
            terminal.line(indent + line);
        }
    }

    private static int width(final String cell)
    {
        int width = 0;
        for (int i = 0; i < cell.length(); i++)
        {
            if ('\u001b' == cell.charAt(i))
            {
                i = cell.indexOf('m', i);
            }
            else
            {
                width++;
            }
        }
        return width;
    }
}
