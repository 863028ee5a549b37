package io.millrace.block.nvme;

/**
 * Whom a channel asks for help with its controller. Called on the channel's reactor; answers come through
 * {@link ReactorQueuePair#requestState}, none of the calls waits.
 */
interface Rescue
{
    /**
     * A command takes too long.
     *
     * @param queueId   of its submission queue.
     * @param commandId of it.
     */
    void abort(int queueId, int commandId);

    /**
     * The controller has to be stopped and started again.
     *
     * @param reason what it did, a sentence that goes on after the drive's name.
     */
    void reset(String reason);

    /**
     * Something that an operator should know.
     *
     * @param what a sentence that goes on after the drive's name.
     */
    void note(String what);
}
