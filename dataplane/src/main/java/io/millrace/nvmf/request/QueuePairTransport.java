package io.millrace.nvmf.request;

import io.millrace.nvmf.transport.DataPointerFormat;
import io.millrace.nvmf.transport.LocalDevice;

/**
 * The transport's side of a queue pair, called by the command handling. Called on the queue pair's reactor only. The
 * transport calls back into its {@code QueuePair} and its {@code CommandDispatcher} on the same thread.
 */
public interface QueuePairTransport
{
    /**
     * Asks the host for the payload of a command, or for the part of it that begins at {@code request.partOffset()},
     * into {@code request.data()}. When all has arrived the transport calls
     * {@code CommandDispatcher.onDataReceived(request)}.
     *
     * @param request whose data is wanted.
     */
    void receiveData(Request request);

    /**
     * Ends {@link #receiveData} if the host was not asked yet.
     *
     * @param request whose data was wanted.
     * @return false when the host was asked: its data may come at any time.
     */
    default boolean cancelReceive(final Request request)
    {
        return false;
    }

    /**
     * Sends the answer: {@code request.data()} first when {@code request.sendsData()}, then the completion. When the
     * memory is no longer needed the transport calls {@code QueuePair.onSent(request, sentNs)}; the request is idle
     * afterwards. After one or some of them it calls {@code QueuePair.onFlushed()}. When it is not
     * {@code request.isLastPart()}, only the data is sent, as the part of the payload that begins at
     * {@code request.partOffset()}, and {@code CommandDispatcher.onPartSent(request)} is called.
     *
     * @param request that is complete, or has its next part.
     */
    void respond(Request request);

    /**
     * {@return whether the transport's device reads the memory of an answer: it stays as it is until the answer has
     * left, and memory that was lent for it stays lent}
     *
     * @param request of {@link #respond}.
     */
    default boolean isSending(final Request request)
    {
        return false;
    }

    /**
     * {@return entries that the queue has at most, by what the connection was made for}
     */
    default int queueDepthMax()
    {
        return Integer.MAX_VALUE;
    }

    /**
     * Ends the connection soon, never within this call. The transport calls {@code QueuePair.onDisconnected} once.
     *
     * @param reason for the log and the counters.
     */
    void disconnect(String reason);

    /**
     * Ends the connection at once, whatever the host has not taken yet; within this call or soon.
     *
     * @param reason for the log and the counters.
     */
    default void abort(final String reason)
    {
        disconnect(reason);
    }

    /**
     * {@return where the host is, for messages; empty when that is not known any more. Control path: may allocate}
     */
    String remote();

    /**
     * {@return the RDMA device by which the host is connected, as long as it is. Control path: may allocate}
     */
    default LocalDevice device()
    {
        return LocalDevice.NONE;
    }

    /**
     * {@return address of the host without the port, as long as it is connected; empty when it has none}
     */
    default String address()
    {
        return "";
    }

    /**
     * Acquires a permit for a connected queue.
     *
     * @param queueId     of the queue, 0 for an admin queue.
     * @param isDiscovery whether it is a discovery controller, which have permits of their own.
     * @return false when there is none for this host: its Connect command is answered with Controller Busy.
     */
    default boolean admit(final int queueId, final boolean isDiscovery)
    {
        return true;
    }

    /**
     * {@return whether few discovery controllers are left, in all or for this host}
     */
    default boolean isDiscoveryCrowded()
    {
        return false;
    }

    /**
     * Returns the permit of {@link #admit} because the Connect command has failed.
     */
    default void dismiss()
    {
    }

    /**
     * The last command of a queue pair that was disconnected has ended, and nothing is left of it: only now its place
     * is free. Called once, within {@code QueuePair.onDisconnected} or when its devices are done.
     */
    default void onDrained()
    {
    }

    /**
     * {@return the data pointers that the transport takes: what Identify Controller tells hosts, and what
     * {@link Request#dataPointer(DataPointerFormat, long, int)} is called with}
     */
    DataPointerFormat dataPointers();
}
