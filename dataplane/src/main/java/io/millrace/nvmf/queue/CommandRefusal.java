package io.millrace.nvmf.queue;

import io.millrace.nvmf.request.Request;

/**
 * Says which commands may not go on, since what they use was taken from them after they came.
 */
@FunctionalInterface
public interface CommandRefusal
{
    /**
     * {@return status that a command ends with if nobody has something of it; success when it may go on}
     *
     * @param request of the command, which is bound to a namespace.
     */
    int status(Request request);
}
