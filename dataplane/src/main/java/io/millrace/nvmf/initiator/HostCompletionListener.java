package io.millrace.nvmf.initiator;

/**
 * Notified of the completion of a command. Called on the reactor of the queue pair it was submitted to, exactly once a
 * submitted request, possibly within {@code submit}.
 */
@FunctionalInterface
public interface HostCompletionListener
{
    /**
     * The request belongs to its submitter again and may be submitted again from here.
     *
     * @param request that is done; {@link HostRequest#status()} says how it went.
     */
    void onComplete(HostRequest request);
}
