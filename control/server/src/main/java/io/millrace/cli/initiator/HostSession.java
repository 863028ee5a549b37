package io.millrace.cli.initiator;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.dataplane.HostTransports;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A reactor with an initiator for the duration of a command. Main thread.
 */
final class HostSession implements AutoCloseable
{
    private final Reactor reactor = new Reactor(ReactorConfig.of("host", -1));
    private final HostPollGroup group;

    HostSession()
    {
        reactor.start();
        group = HostTransports.pollGroup(reactor);
    }

    HostPollGroup group()
    {
        return group;
    }

    /**
     * Waits for a future of a reactor.
     *
     * @param future of it.
     * @param <T>    of its result.
     * @return its result.
     * @throws CommandException with the reason when it fails.
     */
    static <T> T await(final CompletableFuture<T> future)
    {
        try
        {
            return future.join();
        }
        catch (final CompletionException e)
        {
            if (e.getCause() instanceof final InitiatorException cause)
            {
                throw new CommandException(ExitCode.FAILURE, cause.getMessage(), cause);
            }
            throw e;
        }
    }

    @Override
    public void close()
    {
        group.close();
        reactor.close();
    }
}
