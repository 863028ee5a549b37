package io.millrace.manager.hook;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Forwards the output of a hook program line by line up to a limit; the rest is read and counted, so that the program
 * does not block. A thread reads it until the output is closed.
 */
final class HookOutput
{
    /** Of one program. */
    static final int BYTES_MAX = 64 * 1024;
    /** Of one program. */
    static final int LINES_MAX = 200;

    private static final int LINE_MAX = 1024;
    private static final int READ_BYTES = 8 * 1024;
    private static final long END_WAIT_MS = 1_000;

    private final InputStream input;
    private final Consumer<String> lines;
    private final Thread thread;
    private final byte[] line = new byte[LINE_MAX];
    private int lineLength;
    private int lineCount;
    private int bytes;
    private long leftOut;
    private boolean hasLostTerm;

    /**
     * @param input of the program's.
     * @param lines takes each, on the thread that reads or that ends this; without control characters.
     */
    HookOutput(final InputStream input, final Consumer<String> lines)
    {
        this.input = input;
        this.lines = lines;
        thread = Thread.ofPlatform().daemon().name("millrace-hook-output").start(this::run);
    }

    private void run()
    {
        final byte[] buffer = new byte[READ_BYTES];
        try
        {
            for (int length = input.read(buffer); length >= 0; length = input.read(buffer))
            {
                take(buffer, length);
            }
        }
        catch (final IOException _)
        {
            // Closed, as the program has ended.
        }
    }

    private synchronized void take(final byte[] buffer, final int length)
    {
        for (int i = 0; i < length && !hasLostTerm; i++)
        {
            if (bytes >= BYTES_MAX || lineCount >= LINES_MAX)
            {
                leftOut += length - i;
                return;
            }
            bytes++;
            if ('\n' == buffer[i])
            {
                emitLine();
            }
            else
            {
                line[lineLength++] = buffer[i];
                if (LINE_MAX == lineLength)
                {
                    emitLine();
                }
            }
        }
    }

    private void emitLine()
    {
        lines.accept(new String(line, 0, lineLength, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?"));
        lineLength = 0;
        lineCount++;
    }

    /** The program has ended: emits the last line, and ignores later output. */
    void end() throws InterruptedException
    {
        thread.join(END_WAIT_MS);
        synchronized (this)
        {
            hasLostTerm = true;
            if (lineLength > 0)
            {
                emitLine();
            }
            if (leftOut > 0)
            {
                lines.accept(leftOut + " more bytes omitted: at most " + BYTES_MAX + " bytes and " +
                    LINES_MAX + " lines of a program are printed");
            }
        }
    }
}
