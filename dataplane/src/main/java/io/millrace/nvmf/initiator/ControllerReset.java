package io.millrace.nvmf.initiator;

import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.ControllerStatus;
import io.millrace.reactor.Reactor;
import java.util.concurrent.CompletableFuture;

/**
 * Resets a controller and waits until it has confirmed that, for a bounded time. One use.
 */
final class ControllerReset
{
    private static final long TIMEOUT_NS = 1_000_000_000;
    private static final long INTERVAL_NS = 2_000_000;

    private final Reactor reactor;
    private final AdminQueue admin;
    private final CompletableFuture<Boolean> outcome = new CompletableFuture<>();

    /**
     * Begins nothing yet.
     *
     * @param reactor of the admin queue.
     * @param admin   queue of the controller.
     */
    ControllerReset(final Reactor reactor, final AdminQueue admin)
    {
        this.reactor = reactor;
        this.admin = admin;
    }

    /**
     * {@return whether the controller has confirmed within a second that it was reset, so that it executes none of its
     * commands any more; completed on the reactor}
     */
    CompletableFuture<Boolean> begin()
    {
        if (!admin.isReady())
        {
            outcome.complete(false);
            return outcome;
        }
        reactor.schedule(reactor.nowNs() + TIMEOUT_NS, (nowNs) -> outcome.complete(false));
        admin.call(AdminCommand.setProperty(ControllerProperty.CONFIGURATION, 0)).whenComplete(this::onReset);
        return outcome;
    }

    private void onReset(final AdminResult answer, final Throwable failure)
    {
        if (null != failure || !answer.isSuccess())
        {
            outcome.complete(false);
        }
        else
        {
            poll();
        }
    }

    private void poll()
    {
        if (!outcome.isDone())
        {
            admin.call(AdminCommand.getProperty(ControllerProperty.STATUS, 4)).whenComplete(this::onStatus);
        }
    }

    private void onStatus(final AdminResult answer, final Throwable failure)
    {
        if (null != failure || !answer.isSuccess())
        {
            outcome.complete(false);
        }
        else if (!ControllerStatus.isReady(answer.result0()))
        {
            // A fatal status says nothing of commands that are under way.
            outcome.complete(!ControllerStatus.isFatal(answer.result0()));
        }
        else
        {
            reactor.schedule(reactor.nowNs() + INTERVAL_NS, (nowNs) -> poll());
        }
    }
}
