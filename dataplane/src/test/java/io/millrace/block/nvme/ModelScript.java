package io.millrace.block.nvme;

/**
 * What a {@link ModelController} does with the commands that it fetches.
 */
@FunctionalInterface
interface ModelScript
{
    /** Does what it should. */
    ModelScript GOOD = (command) -> Action.COMPLETE;

    /** What becomes of a command. */
    enum Action
    {
        /** Carried out and completed. */
        COMPLETE,
        /** Carried out, and completed later, when others are. */
        LATER,
        /** Never completed, unless aborted or deleted with its queue; its memory may be written at any time. */
        HOLD,
        /** Carried out and completed twice. */
        TWICE,
        /** Completed under an identifier that nobody used. */
        UNKNOWN_ID,
        /** Completed as of another submission queue. */
        WRONG_QUEUE,
        /** Completed with an error that may be tried again. */
        ERROR,
        /** Completed with an error that is final. */
        FINAL_ERROR,
        /** Completed as if its memory could not be reached. */
        UNREACHABLE,
        /** The controller fails. */
        FATAL,
        /** The controller is pulled out. */
        GONE
    }

    /**
     * {@return what to do}
     *
     * @param command that was fetched.
     */
    Action on(ModelCommand command);
}
