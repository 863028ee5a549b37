/**
 * Queue pairs of a reactor: their states, outstanding commands and counters, and the dispatch of commands to whom
 * executes them. A {@link io.millrace.nvmf.queue.QueuePair} knows what its reactor's queue pairs share
 * ({@link io.millrace.nvmf.queue.ReactorResources}) and the {@link io.millrace.nvmf.queue.Association} that it is a
 * queue of; subsystems and controllers are above.
 */
package io.millrace.nvmf.queue;
