package io.millrace.messaging;

import java.net.InetSocketAddress;

/**
 * The listener of an operator, whose exceptions end nothing: they are counted. The reactor's.
 */
final class GuardedListener implements MessagingListener
{
    private final MessagingListener listener;
    private final MessagingCounters counters;

    GuardedListener(final MessagingListener listener, final MessagingCounters counters)
    {
        this.listener = listener;
        this.counters = counters;
    }

    private void guard(final Runnable call)
    {
        try
        {
            call.run();
        }
        catch (final VirtualMachineError e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            counters.add(MessagingCounter.HANDLER_ERRORS, 1);
        }
    }

    @Override
    public void onTransport(final Endpoint endpoint, final TransportChoice choice)
    {
        guard(() -> listener.onTransport(endpoint, choice));
    }

    @Override
    public void onListeningByRdma(final TransportChoice choice)
    {
        guard(() -> listener.onListeningByRdma(choice));
    }

    @Override
    public void onListeningWithoutRdma(final TransportChoice choice)
    {
        guard(() -> listener.onListeningWithoutRdma(choice));
    }

    @Override
    public void onRejected(final InetSocketAddress peer, final String reason)
    {
        guard(() -> listener.onRejected(peer, reason));
    }

    @Override
    public void onHandlerError(final Endpoint endpoint, final Throwable error)
    {
        guard(() -> listener.onHandlerError(endpoint, error));
    }
}
