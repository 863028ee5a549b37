package io.millrace.block;

/**
 * Notified of how {@link BlockDevice#open} went: one of both methods is called, once, on the reactor of the channel,
 * maybe before {@code open} returns.
 */
public interface OpenListener
{
    /**
     * The channel may be used, and belongs to whoever asked for it, who closes it.
     *
     * @param channel that was opened.
     */
    void onOpened(BlockChannel channel);

    /**
     * There is no channel, and nothing was left behind; trying again later may help.
     *
     * @param reason why, in one sentence with its remedy.
     */
    void onOpenFailed(BlockDeviceException reason);
}
