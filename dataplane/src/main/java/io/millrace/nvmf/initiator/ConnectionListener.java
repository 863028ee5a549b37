package io.millrace.nvmf.initiator;

/**
 * Notified of what happens to a {@link HostQueueTransport}. Called on its reactor.
 */
public interface ConnectionListener
{
    /**
     * The queue is connected, commands may be submitted.
     */
    void onReady();

    /**
     * A command was outstanding when the connection ended. It is not completed: that is the listener's to do, now or
     * after a reconnect. The transport has let go of its payload: nothing of the old connection reads or writes that
     * memory any more, so it may be used again at once.
     *
     * @param request that has no answer.
     */
    void onLost(HostRequest request);

    /**
     * The connection is closed and may be opened again.
     *
     * @param reason in one sentence.
     */
    void onClosed(String reason);
}
