package io.millrace.cli.control;

import io.millrace.cli.control.view.ArrayScreen;
import io.millrace.cli.control.view.Format;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.ScrubState;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.ScrubInfo;
import io.millrace.control.setting.SettingType;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for the end of a scrub, with a bar on a terminal. One thread.
 */
final class ScrubWait
{
    private static final long PERIOD_NS = 200_000_000;
    private static final long FIRST_PERIOD_NS = 20_000_000;
    private static final int FIRST_ROUNDS_MAX = 50;
    /** How long a scrub may take to begin. */
    private static final int BEGIN_ROUNDS_MAX = 50;

    private final ControlClient client;
    private final String name;
    private final Terminal terminal;
    private final OutputOptions output;

    /**
     * Has not waited yet.
     *
     * @param client   of the session.
     * @param name     of the array.
     * @param terminal to draw on.
     * @param output   form of the result.
     */
    ScrubWait(
        final ControlClient client, final String name, final Terminal terminal, final OutputOptions output)
    {
        this.output = output;
        this.client = client;
        this.name = name;
        this.terminal = terminal;
    }

    /**
     * {@return when the last scrub of an array began, milliseconds since 1970; 0: none has}
     *
     * @param client of the session.
     * @param name   of the array.
     */
    static long began(final ControlClient client, final String name)
    {
        final ScrubInfo last = client.arrays(name).getFirst().scrub();
        return null == last ? 0 : last.beganEpochMs();
    }

    /**
     * Waits for the beginning, a second at most.
     *
     * @param client      of the session.
     * @param name        of the array.
     * @param lastBeganMs when the scrub before this one began.
     * @return what the scrub does first, for people.
     */
    static String beginning(final ControlClient client, final String name, final long lastBeganMs)
    {
        for (int round = 0; round < FIRST_ROUNDS_MAX; round++)
        {
            final ScrubInfo scrub = client.arrays(name).getFirst().scrub();
            if (null != scrub && scrub.beganEpochMs() != lastBeganMs)
            {
                return ScrubState.WAITING == scrub.state() ? "waits" + ArrayScreen.WHAT_SCRUBS_WAIT_FOR : "begins";
            }
            LockSupport.parkNanos(FIRST_PERIOD_NS);
        }
        return "begins";
    }

    /**
     * Waits for the end.
     *
     * @param lastBeganMs when the scrub before this one began.
     * @return exit code.
     */
    int run(final long lastBeganMs)
    {
        int rounds = 0;
        while (true)
        {
            final ArrayInfo array = client.arrays(name).getFirst();
            final ScrubInfo scrub = array.scrub();
            final boolean hasBegun = null != scrub && scrub.beganEpochMs() != lastBeganMs;
            if (hasBegun && !scrub.isActive())
            {
                terminal.endDrawing();
                return report(array);
            }
            if (!hasBegun && ++rounds > BEGIN_ROUNDS_MAX)
            {
                throw new CommandException(ExitCode.FAILURE,
                    "the scrub of array " + name + " has not begun: see 'millrace raid show " + name + "'");
            }
            if (hasBegun && Format.table == output.format())
            {
                terminal.draw(array.operation().isEmpty() ? "scrub waits" : ArrayScreen.operation(array));
            }
            LockSupport.parkNanos(PERIOD_NS);
        }
    }

    private int report(final ArrayInfo array)
    {
        final ScrubInfo scrub = array.scrub();
        if (Format.table == output.format())
        {
            terminal.line("scrub of array " + name + ' ' + (ScrubState.SKIPPED == scrub.state() ?
                "compared nothing: no block of the array has another copy now" :
                SettingType.word(scrub.state()) + ": " + ArrayScreen.found(scrub)));
        }
        else
        {
            output.printOne(Views.ARRAYS, array);
        }
        return ScrubState.COMPLETED == scrub.state() && ArrayScreen.isClean(scrub) ? ExitCode.OK : ExitCode.FAILURE;
    }
}
