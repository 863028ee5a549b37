package io.millrace.console;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Standard output or error: uses colours and redraws lines only on a terminal. {@code NO_COLOR} and {@code TERM=dumb}
 * turn colours off. Any thread may print lines.
 */
public final class Terminal
{
    private static final String RESET = "\u001b[0m";
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean interactive;
    private final boolean coloured;
    private boolean drawing;

    /**
     * A terminal of known abilities.
     *
     * @param out         to print to.
     * @param interactive whether lines may be redrawn.
     * @param coloured    whether colours may be used.
     */
    public Terminal(final PrintStream out, final boolean interactive, final boolean coloured)
    {
        this.out = out;
        this.interactive = interactive;
        this.coloured = coloured;
    }

    /**
     * {@return standard output as this process found it}
     */
    public static Terminal standard()
    {
        final Map<String, String> environment = System.getenv();
        final boolean dumb = "dumb".equals(environment.getOrDefault("TERM", "dumb"));
        final boolean interactive = isTerminal(1) && !dumb;
        return new Terminal(System.out, interactive,
            interactive && environment.getOrDefault("NO_COLOR", "").isEmpty());
    }

    /**
     * {@return standard error as this process found it, for progress beside output that may be piped}
     */
    public static Terminal standardError()
    {
        final Map<String, String> environment = System.getenv();
        final boolean interactive = isTerminal(2) && !"dumb".equals(environment.getOrDefault("TERM", "dumb"));
        return new Terminal(System.err, interactive,
            interactive && environment.getOrDefault("NO_COLOR", "").isEmpty());
    }

    /**
     * {@return whether standard input is a terminal}
     */
    public static boolean isInputInteractive()
    {
        return isTerminal(0);
    }

    /**
     * {@return whether standard output is a pipe or socket, whose reader may end before all is written}
     */
    public static boolean isOutputPiped()
    {
        final String target = target(1);
        return target.startsWith("pipe:") || target.startsWith("socket:");
    }

    private static boolean isTerminal(final int fd)
    {
        final String target = target(fd);
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    private static String target(final int fd)
    {
        try
        {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd)).toString();
        }
        catch (final IOException e)
        {
            return "";
        }
    }

    /**
     * {@return whether the output is a terminal, so that lines may be redrawn}
     */
    public boolean interactive()
    {
        return interactive;
    }

    /**
     * {@return whether colours may be used}
     */
    public boolean coloured()
    {
        return coloured;
    }

    /**
     * Prints a line; ends a line being redrawn first.
     *
     * @param line without its end.
     */
    public synchronized void line(final String line)
    {
        endDrawing();
        out.println(line);
        out.flush();
    }

    /**
     * Prints a question; the answer is typed behind it.
     *
     * @param question to print, with a blank at its end.
     */
    public synchronized void ask(final String question)
    {
        endDrawing();
        out.print(question);
        out.flush();
    }

    /**
     * Prints lines that end themselves.
     *
     * @param text to print.
     */
    public synchronized void text(final String text)
    {
        endDrawing();
        out.print(text);
        out.flush();
    }

    /**
     * {@return whether output fails, such as when the reader of a pipe has ended}
     */
    public boolean isBroken()
    {
        return out.checkError();
    }

    /**
     * Prints an empty line.
     */
    public void line()
    {
        line("");
    }

    /**
     * Redraws the current line. Prints nothing unless the output is a terminal.
     *
     * @param line to show for now.
     */
    public synchronized void draw(final String line)
    {
        if (interactive)
        {
            out.print(CLEAR_LINE + line);
            out.flush();
            drawing = true;
        }
    }

    /**
     * Clears the line drawn last.
     */
    public synchronized void endDrawing()
    {
        if (drawing)
        {
            out.print(CLEAR_LINE);
            drawing = false;
        }
    }

    /**
     * {@return a text in bold}
     *
     * @param text to print.
     */
    public String bold(final String text)
    {
        return colour("1", text);
    }

    /**
     * {@return a text in the colour of success}
     *
     * @param text to print.
     */
    public String good(final String text)
    {
        return colour("32", text);
    }

    /**
     * {@return a text in the colour of warnings}
     *
     * @param text to print.
     */
    public String warn(final String text)
    {
        return colour("33", text);
    }

    /**
     * {@return a text in the colour of errors}
     *
     * @param text to print.
     */
    public String bad(final String text)
    {
        return colour("31", text);
    }

    private String colour(final String code, final String text)
    {
        return coloured ? "\u001b[" + code + "m" + text + RESET : text;
    }
}
