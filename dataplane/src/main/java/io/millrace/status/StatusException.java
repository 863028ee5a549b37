package io.millrace.status;

import java.io.Serial;
import java.nio.file.Path;

/**
 * A status file cannot be created or read; the message is one sentence.
 */
public final class StatusException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private final String problem;

    /**
     * Made where a file was found wrong.
     *
     * @param file    as it is called.
     * @param problem with it: the sentence without its subject.
     */
    public StatusException(final String file, final String problem)
    {
        super(file + ' ' + problem);
        this.problem = problem;
    }

    StatusException(final Path file, final String problem)
    {
        this(file.toString(), problem);
    }

    /**
     * {@return what is wrong, without the file}
     */
    public String problem()
    {
        return problem;
    }
}
