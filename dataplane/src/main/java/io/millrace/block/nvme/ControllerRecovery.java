package io.millrace.block.nvme;

/**
 * ControllerSupervisor of a controller, requested by its channels. Called on the channel's reactor; results come
 * through {@link ReactorQueuePair#requestState}, none of the calls waits.
 */
interface ControllerRecovery
{
    /**
     * A command takes too long.
     *
     * @param queueId   of its submission queue.
     * @param commandId command identifier.
     */
    void abort(int queueId, int commandId);

    /**
     * The controller has to be stopped and started again.
     *
     * @param reason what it did, a sentence that goes on after the drive's name.
     */
    void reset(String reason);

    /**
     * Adds a note for the operator.
     *
     * @param what a sentence that goes on after the drive's name.
     */
    void note(String what);
}
