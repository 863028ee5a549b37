package io.millrace.block.raid;

import io.millrace.block.BlockStatus;

/** Notified of the end of work of the array's own. */
@FunctionalInterface
interface WorkListener
{
    /**
     * It has ended.
     *
     * @param status how it went.
     */
    void onDone(BlockStatus status);
}
