package io.millrace.nvmf.initiator;

/**
 * A transport's side of a host's queue: one connection, which is opened again as often as it is lost. It connects,
 * associates the queue with its controller (the Fabrics Connect command), carries commands, and completes each once. It
 * never calls its listener from within {@link #submit} or {@link #close}. Its reactor only.
 */
public interface HostQueueTransport
{
    /**
     * Begins to connect; the listener is notified of the outcome. The queue is closed.
     *
     * @param config       of the target.
     * @param host         who connects.
     * @param queueId      0 for the admin queue.
     * @param controllerId of the association, or any for the admin queue.
     * @param entries      of the submission queue; one fewer commands may be outstanding.
     * @param capsules     what they may carry.
     */
    void open(
        ConnectionConfig config, HostConfig host, int queueId, int controllerId, int entries, CapsuleLimits capsules);

    /**
     * {@return whether commands may be submitted}
     */
    boolean isReady();

    /**
     * {@return whether there is no connection, and it may be opened}
     */
    boolean isClosed();

    /**
     * {@return the controller that the target gave; valid when ready}
     */
    int controllerId();

    /**
     * {@return most commands outstanding at once on the present connection}
     */
    int depth();

    /**
     * {@return commands outstanding now}
     */
    int inFlight();

    /**
     * Queues a command, to be sent with the next {@link #flush} or turn. The queue is ready.
     *
     * @param request filled and idle.
     * @return false when there is no room.
     */
    boolean submit(HostRequest request);

    /**
     * Sends what waits.
     *
     * @return 1 when something was sent.
     */
    int flush();

    /**
     * {@return whether a turn is wanted although nothing has announced work: answers are expected or something waits}
     */
    boolean wantsPoll();

    /**
     * A turn: sends what waits, takes in what came.
     *
     * @return how much was done.
     */
    int poll();

    /**
     * A turn without looking for what came: the reactor is notified of that.
     *
     * @return how much was done.
     */
    int pollWithoutReceive();

    /**
     * Has the reactor notified of what comes, because nobody looks for it from now on.
     *
     * @return whether nothing would be missed while the reactor sleeps.
     */
    boolean arm();

    /**
     * Looks for deadlines that have passed.
     *
     * @param nowNs clock of the reactor.
     */
    void onTick(long nowNs);

    /**
     * Closes the connection; it is torn down in the next poll. Does nothing when it is closed or closing.
     *
     * @param reason in one sentence.
     */
    void close(String reason);

    /**
     * Unmaps what the queue used. It is closed.
     */
    void free();
}
