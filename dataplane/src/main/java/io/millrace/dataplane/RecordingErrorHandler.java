package io.millrace.dataplane;

import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorErrorHandler;
import io.millrace.status.StatusFile;

/**
 * Records errors of a reactor in the status file, which outlives the process, then calls the next handler.
 *
 * @param next   that handles the error then.
 * @param status that records errors.
 */
record RecordingErrorHandler(ReactorErrorHandler next, StatusFile status) implements ReactorErrorHandler
{
    @Override
    public void onCommandError(final Reactor reactor, final Runnable command, final Throwable error)
    {
        status.onError(error);
        next.onCommandError(reactor, command, error);
    }

    @Override
    public void onBrokenInvariant(final Reactor reactor, final Object source, final Throwable error)
    {
        try
        {
            status.onError(error);
        }
        finally
        {
            next.onBrokenInvariant(reactor, source, error);
        }
    }
}
