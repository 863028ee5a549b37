package io.millrace.perf.rdma;

/**
 * Owner of a {@link RdmaPing}. Called on the reactor's thread.
 */
public interface PingListener
{
    /**
     * A message came back unchanged.
     *
     * @param sequence number of the ping, from 1.
     * @param ns       from post to completion, there and back, in nanoseconds.
     */
    void onReply(long sequence, long ns);

    /**
     * A message did not come back in time, came back changed, or there was no connection to send it by.
     *
     * @param sequence number of the ping, from 1.
     * @param reason   what happened and what to check.
     */
    void onLost(long sequence, String reason);

    /** The configured number of pings has ended. */
    void onEnd();
}
