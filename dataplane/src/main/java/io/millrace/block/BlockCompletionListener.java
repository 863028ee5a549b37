package io.millrace.block;

/**
 * Notified of the completion of a request. Called on the submitting reactor's thread, exactly once a submitted request.
 */
@FunctionalInterface
public interface BlockCompletionListener
{
    /**
     * The request belongs to its submitter again; {@link BlockRequest#status()} has the outcome.
     *
     * @param request that is done.
     */
    void onComplete(BlockRequest request);
}
