package io.millrace.rdma.model;

import io.millrace.rdma.core.RdmaCore;
import java.net.InetSocketAddress;

/**
 * Two processes with an RDMA device each, of which one listens: of a model in each build, of the kernel in the lab. Any
 * thread.
 */
public interface RdmaProcesses extends AutoCloseable
{
    /**
     * {@return rdma-core of the process that connects}
     */
    RdmaCore hostCore();

    /**
     * {@return rdma-core of the process that listens}
     */
    RdmaCore targetCore();

    /**
     * {@return an address of the process that listens, with port 0}
     */
    InetSocketAddress targetAddress();

    /**
     * Closes it, after everything that was made with it. Fails when something was left or done that is not allowed.
     */
    @Override
    void close();
}
