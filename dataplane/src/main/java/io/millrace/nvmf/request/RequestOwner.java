package io.millrace.nvmf.request;

import io.millrace.memory.BufferShare;

/**
 * The queue pair of a request, as those know it whom the request waits for: buffers, devices, limits, the time of admin
 * commands. Its reactor only.
 */
public interface RequestOwner
{
    /**
     * {@return where its commands come from and its answers go}
     */
    QueuePairTransport transport();

    /**
     * {@return its share of the reactor's buffers}
     */
    BufferShare share();

    /**
     * {@return its share of the reactor's buffers for in-capsule data}
     */
    BufferShare capsuleShare();

    /**
     * {@return its host on this reactor; null for admin queues}
     */
    HostChannel host();

    /**
     * What a command waited for is there, as its phase says what that is: it goes on, or is executed again from its
     * beginning.
     *
     * @param request of the command, removed from the queue that it waited in.
     */
    void resume(Request request);

    /**
     * Answers a command.
     *
     * @param request that is done. It may be another command's when this returns.
     * @param status  status; 0 for success.
     */
    void complete(Request request, int status);
}
