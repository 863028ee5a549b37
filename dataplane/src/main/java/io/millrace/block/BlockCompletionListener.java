package io.millrace.block;

/**
 * Told that a request is done. Called on the submitting reactor's thread, exactly once a submitted request.
 */
@FunctionalInterface
public interface BlockCompletionListener
{
    /**
     * The request belongs to its submitter again; {@link BlockRequest#status()} says how it went.
     *
     * @param request that is done.
     */
    void onComplete(BlockRequest request);
}
