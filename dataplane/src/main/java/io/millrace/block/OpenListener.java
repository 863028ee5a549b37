package io.millrace.block;

/**
 * Receives the outcome of {@link BlockDevice#open}: one of both methods is called, once, on the reactor of the channel,
 * maybe before {@code open} returns.
 */
public interface OpenListener
{
    /**
     * The channel may be used, and belongs to the caller of open, who closes it.
     *
     * @param channel that was opened.
     */
    void onOpened(BlockChannel channel);

    /**
     * There is no channel and nothing to clean up; a later retry may succeed.
     *
     * @param reason why, in one sentence with its remedy.
     */
    void onOpenFailed(BlockDeviceException reason);
}
