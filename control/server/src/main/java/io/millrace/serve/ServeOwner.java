package io.millrace.serve;

import io.millrace.console.StopSignal;
import io.millrace.console.Version;
import io.millrace.control.agent.ControlOwner;

/**
 * The process of {@code serve}, as its control agent sees it.
 *
 * @param log  that errors go to.
 * @param stop that ends the process.
 */
record ServeOwner(EventLog log, StopSignal stop) implements ControlOwner
{
    @Override
    public String version()
    {
        return Version.number();
    }

    @Override
    public void onStop()
    {
        stop.request();
    }

    @Override
    public void onNote(final String message)
    {
        log.onNote(message);
    }

    @Override
    public void onError(final String message)
    {
        log.onError(message);
    }
}
