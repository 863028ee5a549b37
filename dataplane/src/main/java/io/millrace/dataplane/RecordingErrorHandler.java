package io.millrace.dataplane;

import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorErrorHandler;
import io.millrace.status.StatusFile;

/**
 * Records what goes wrong on a reactor where it can be read when the process is gone, then does what is done about it.
 *
 * @param next   that does it.
 * @param status that records it.
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
