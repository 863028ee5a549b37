package io.millrace.nvmf.initiator;

import io.millrace.nvme.AsyncEvent;
import io.millrace.reactor.Reactor;
import java.util.function.IntConsumer;

/**
 * Keeps an Asynchronous Event Request at a controller, reads the log page of each event, which clears it, and passes
 * the event on. One at a time, and the next request follows an interval later, so that a target that reports events
 * without end costs a bounded rate of commands; the target keeps what happens meanwhile. Lives on the controller's
 * reactor.
 */
final class EventRequests
{
    private static final long INTERVAL_NS = 20_000_000;
    private static final int ALL_NAMESPACES = 0xFFFF_FFFF;
    private static final int LOG_BYTES = 4096;

    private final Reactor reactor;
    private final AdminQueue admin;
    private final IntConsumer listener;
    /** Of starts and stops: what belongs to a former one does nothing. */
    private int generation;

    /**
     * Sends nothing yet.
     *
     * @param reactor  of the controller.
     * @param admin    queue of the controller.
     * @param listener called with each event, after its log page was read.
     */
    EventRequests(final Reactor reactor, final AdminQueue admin, final IntConsumer listener)
    {
        this.reactor = reactor;
        this.admin = admin;
        this.listener = listener;
    }

    /** The association is live. */
    void start()
    {
        generation++;
        request(generation);
    }

    /** The association ends. */
    void stop()
    {
        generation++;
    }

    private void request(final int of)
    {
        if (generation == of)
        {
            admin.call(AdminCommand.asyncEventRequest()).thenAccept((answer) ->
            {
                if (answer.isSuccess())
                {
                    readLog(of, answer.result0());
                }
            });
        }
    }

    private void readLog(final int of, final int event)
    {
        if (generation == of)
        {
            final AdminCommand command =
                AdminCommand.logPage(AsyncEvent.logPage(event), ALL_NAMESPACES, 0, LOG_BYTES);
            admin.call(command).thenAccept((log) ->
            {
                listener.accept(event);
                reactor.schedule(reactor.nowNs() + INTERVAL_NS, (nowNs) -> request(of));
            });
        }
    }
}
