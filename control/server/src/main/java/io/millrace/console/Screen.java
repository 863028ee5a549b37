package io.millrace.console;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The alternate screen of the terminal, with single key input. The original screen is restored when the process ends or
 * is stopped by Ctrl-Z. One thread, except for signals.
 */
public final class Screen implements AutoCloseable
{
    /** Answered when no key was pressed. */
    public static final int NO_KEY = -1;

    private static final String TERMINAL = "/dev/tty";
    // Alternate screen, without a cursor, and without folding of long lines; and back.
    private static final String ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
    private static final String LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";
    private static final int ROWS_DEFAULT = 24;
    private static final int COLUMNS_DEFAULT = 80;
    private static final long STTY_TIMEOUT_S = 5;

    private final PrintStream out;
    private final String saved;
    private final Thread hook = new Thread(this::leave, "millrace-screen");
    private int rows = ROWS_DEFAULT;
    private int columns = COLUMNS_DEFAULT;
    private volatile boolean isStale = true;
    private boolean isEntered;

    private Screen(final PrintStream out, final String saved)
    {
        this.out = out;
        this.saved = saved;
    }

    /**
     * Switches to the alternate screen.
     *
     * @return the screen; to be closed.
     * @throws CommandException if there is no terminal.
     */
    public static Screen open()
    {
        final Screen screen = new Screen(System.out, stty("-g"));
        Runtime.getRuntime().addShutdownHook(screen.hook);
        Signals.handle("WINCH", () -> screen.isStale = true);
        Signals.handle("TSTP", screen::stop);
        Signals.handle("CONT", () ->
        {
            screen.enter();
            screen.isStale = true;
        });
        screen.enter();
        return screen;
    }

    private synchronized void enter()
    {
        stty("-icanon", "-echo", "min", "1", "time", "0");
        out.print(ENTER);
        out.flush();
        isEntered = true;
    }

    private synchronized void leave()
    {
        if (isEntered)
        {
            isEntered = false;
            out.print(LEAVE);
            out.flush();
            stty(saved);
        }
    }

    /** Stops the process as the default handler of the signal does. */
    private void stop()
    {
        leave();
        try
        {
            new ProcessBuilder("kill", "-STOP", Long.toString(ProcessHandle.current().pid())).start().waitFor();
        }
        catch (final IOException e)
        {
            enter();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static String stty(final String... args)
    {
        final List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(Arrays.asList(args));
        try
        {
            final Process process = new ProcessBuilder(command).redirectInput(new File(TERMINAL))
                .redirectErrorStream(true).start();
            final String answer =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            if (process.waitFor(STTY_TIMEOUT_S, TimeUnit.SECONDS) && 0 == process.exitValue())
            {
                return answer;
            }
            throw new CommandException(ExitCode.FAILURE, "the terminal cannot be set up (stty: " + answer +
                "): use --once");
        }
        catch (final IOException e)
        {
            throw new CommandException(ExitCode.FAILURE, "the terminal cannot be set up (" + e.getMessage() +
                "): install stty, or use --once", e);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.FAILURE, "interrupted", e);
        }
    }

    /**
     * {@return whether the screen has to be redrawn: its size changed, or the process was stopped}
     */
    public boolean isStale()
    {
        return isStale;
    }

    /**
     * Reads the current size.
     */
    public void measure()
    {
        isStale = false;
        final String[] size = stty("size").split(" ");
        if (2 == size.length)
        {
            rows = orDefault(size[0], ROWS_DEFAULT);
            columns = orDefault(size[1], COLUMNS_DEFAULT);
        }
    }

    /** Terminals over serial lines have no size. */
    private static int orDefault(final String text, final int absent)
    {
        final int value = Integer.parseInt(text);
        return 0 == value ? absent : value;
    }

    /**
     * {@return number of rows}
     */
    public int rows()
    {
        return rows;
    }

    /**
     * {@return number of columns}
     */
    public int columns()
    {
        return columns;
    }

    /**
     * Draws lines from the top; what does not fit is cut.
     *
     * @param lines to draw.
     */
    public synchronized void draw(final List<String> lines)
    {
        if (!isEntered)
        {
            return;
        }
        final StringBuilder text = new StringBuilder(HOME);
        for (int i = 0; i < Math.min(rows, lines.size()); i++)
        {
            text.append(0 == i ? "" : "\r\n").append(lines.get(i)).append(CLEAR_LINE);
        }
        out.print(text.append(CLEAR_BELOW));
        out.flush();
    }

    /**
     * {@return the key that was pressed next, as a character, or {@link #NO_KEY}; never waits}
     */
    public int key()
    {
        try
        {
            return System.in.available() > 0 ? System.in.read() : NO_KEY;
        }
        catch (final IOException _)
        {
            return NO_KEY;
        }
    }

    /**
     * Restores the terminal.
     */
    @Override
    public void close()
    {
        leave();
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
