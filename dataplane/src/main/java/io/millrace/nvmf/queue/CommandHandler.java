package io.millrace.nvmf.queue;

import io.millrace.nvmf.request.Request;

/**
 * Executes commands: of one kind, or all that a queue takes. Called on the queue pair's reactor; again from the
 * beginning when the command had to wait for a buffer or for its data.
 */
@FunctionalInterface
public interface CommandHandler
{
    /**
     * Completes the command, or leaves it waiting for what will.
     *
     * @param queuePair it came in on.
     * @param request   the command's request.
     */
    void execute(QueuePair queuePair, Request request);
}
