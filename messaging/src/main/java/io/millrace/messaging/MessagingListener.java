package io.millrace.messaging;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;

/**
 * Is notified of what an operator wants in a log. Called on the reactor's thread; it must not block. What it throws is
 * counted as {@link MessagingCounter#HANDLER_ERRORS} and ends nothing, but for a {@link VirtualMachineError}. Without a
 * listener of the user, {@link #HANDLER_ERRORS} is notified.
 */
public interface MessagingListener
{
    /** Ignores all. */
    MessagingListener NONE = new MessagingListener()
    {
    };

    /** Prints errors of handlers to the standard error of the process, and ignores all else. */
    MessagingListener HANDLER_ERRORS = new MessagingListener()
    {
        @Override
        public void onHandlerError(final Endpoint endpoint, final Throwable error)
        {
            final StringWriter text = new StringWriter();
            error.printStackTrace(new PrintWriter(text));
            System.err.print("millrace: the handler of " + endpoint.peer() + " threw " + text);
        }
    };

    /**
     * An endpoint is connected by a transport.
     *
     * @param endpoint that is connected.
     * @param choice   transport and the reason of its choice.
     */
    default void onTransport(final Endpoint endpoint, final TransportChoice choice)
    {
    }

    /**
     * A listener takes RDMA connections, from its beginning or because a device is there now.
     *
     * @param choice RDMA and the device.
     */
    default void onListeningByRdma(final TransportChoice choice)
    {
    }

    /**
     * A listener takes no RDMA connections, from its beginning or because the device was removed. It looks for a device
     * every other second.
     *
     * @param choice TCP and the reason.
     */
    default void onListeningWithoutRdma(final TransportChoice choice)
    {
    }

    /**
     * A peer was refused before it became an endpoint.
     *
     * @param peer   its address.
     * @param reason in a sentence.
     */
    default void onRejected(final InetSocketAddress peer, final String reason)
    {
    }

    /**
     * The handler of an endpoint threw; the endpoint's connection ends.
     *
     * @param endpoint whose handler it is.
     * @param error    that it threw: an exception, or an error such as a failed assertion.
     */
    default void onHandlerError(final Endpoint endpoint, final Throwable error)
    {
    }
}
