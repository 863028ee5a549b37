package io.millrace.nvmf.request;

/**
 * Phase of a {@link Request}, which determines its present owner and what has to be undone when its connection ends.
 *
 * <pre>
 *   IDLE                                           --- begin ---------------------> EXECUTING
 *   EXECUTING                                      --- I/O is paused -------------> PAUSED
 *   EXECUTING                                      --- no time for admin commands > AWAITING_TIME_BUDGET
 *   EXECUTING                                      --- beyond a limit ------------> THROTTLED, CAPSULE_THROTTLED
 *   EXECUTING                                      --- device is not open --------> AWAITING_OPEN
 *   EXECUTING                                      --- the same, data in capsule -> CAPSULE_AWAITING_OPEN
 *   EXECUTING                                      --- device has enough buffers -> AWAITING_DEVICE
 *   EXECUTING                                      --- no buffer -----------------> AWAITING_BUFFER
 *   AWAITING_BUFFER                                --- for data in the capsule ---> CAPSULE_AWAITING_BUFFER
 *   EXECUTING                                      --- data is at the host -------> RECEIVING
 *   EXECUTING                                      --- waits for an event --------> AWAITING_EVENT
 *
 *   EXECUTING, AWAITING_CHANNEL                    --- submit --------------------> SUBMITTED
 *   EXECUTING                                      --- device is full ------------> AWAITING_CHANNEL
 *   SUBMITTED                                      --- device refuses ------------> EXECUTING, AWAITING_CHANNEL
 *   SUBMITTED                                      --- next part from the host ---> EXECUTING
 *   EXECUTING, SUBMITTED                           --- part for the host ---------> SENDING_PART
 *   EXECUTING, SUBMITTED, STEP_DONE                --- next step -----------------> STEPPING
 *   STEPPING                                       --- done within the call ------> STEP_DONE
 *   STEPPING                                       --- at the device -------------> SUBMITTED
 *   STEPPING, STEP_DONE                            --- device is full ------------> AWAITING_CHANNEL
 *
 *   CAPSULE_AWAITING_BUFFER, CAPSULE_THROTTLED     --- goes on, or is refused ----> CAPSULE_BUFFERED
 *   PAUSED, AWAITING_TIME_BUDGET, CAPSULE_BUFFERED --- capsule again -------------> EXECUTING
 *   CAPSULE_THROTTLED, CAPSULE_AWAITING_OPEN       --- capsule again -------------> EXECUTING
 *   AWAITING_BUFFER, THROTTLED, AWAITING_OPEN      --- has it, or is refused -----> EXECUTING
 *   AWAITING_DEVICE, AWAITING_CHANNEL              --- has it, or is refused -----> EXECUTING
 *   RECEIVING, SENDING_PART, AWAITING_NEXT_TURN    --- has it, or is refused -----> EXECUTING
 *   AWAITING_BUFFER, RECEIVING, SENDING_PART       --- no time for admin commands > AWAITING_NEXT_TURN
 *
 *   EXECUTING, SUBMITTED, STEPPING, STEP_DONE      --- answer --------------------> RESPONDING
 *   AWAITING_BUFFER, THROTTLED, AWAITING_OPEN      --- abort ---------------------> RESPONDING
 *   AWAITING_DEVICE, AWAITING_CHANNEL              --- abort ---------------------> RESPONDING
 *   RECEIVING                                      --- data arrived corrupted ----> RESPONDING
 *   AWAITING_NEXT_TURN                             --- abort ---------------------> RESPONDING
 *   AWAITING_EVENT                                 --- event, or abort -----------> RESPONDING
 *   RESPONDING                                     --- sent ----------------------> IDLE
 * </pre>
 *
 * When the connection is gone, a request in any phase becomes {@code IDLE} at once, but in {@code SUBMITTED} and
 * {@code STEPPING} when its device completes it, unless it is to be emulated and the device has had nothing of it. What
 * a phase waits for is withdrawn by {@code OutstandingCommands.withdraw}. {@link #canBecome} is this table; assertions
 * hold {@link Request#phase} to it.
 */
public enum RequestPhase
{
    /** In the pool. */
    IDLE,
    /** Being executed on the stack, or waiting for another reactor's answer. */
    EXECUTING,
    /** Arrived while I/O is paused; the transport keeps the capsule. */
    PAUSED,
    /** An admin command that waits until the reactor has time for more of them; the transport keeps the capsule. */
    AWAITING_TIME_BUDGET,
    /** An admin command that had to wait for something, has it, and waits until the reactor has time to go on. */
    AWAITING_NEXT_TURN,
    /** Waits in the buffer pool's queue. */
    AWAITING_BUFFER,
    /** Waits in the buffer pool's queue while the transport keeps the capsule. */
    CAPSULE_AWAITING_BUFFER,
    /** Has what it waited for, or is to be refused; the transport still keeps the capsule. */
    CAPSULE_BUFFERED,
    /** Waits in the throttle queue of a limit. */
    THROTTLED,
    /** Waits in the line of a limit, and there is no room for its data; the transport keeps the capsule. */
    CAPSULE_THROTTLED,
    /** Waits in the device's queue for the device to open, without resources. */
    AWAITING_OPEN,
    /** Waits for its device to open; the transport keeps the capsule. */
    CAPSULE_AWAITING_OPEN,
    /** The transport is receiving its payload. */
    RECEIVING,
    /** The transport is sending a part of its payload; others follow. */
    SENDING_PART,
    /** Waits in the device's queue, without a buffer, until it may take one. */
    AWAITING_DEVICE,
    /** Waits in the device's queue for room. */
    AWAITING_CHANNEL,
    /** At the device. */
    SUBMITTED,
    /** At the device for one step of several, within the call that submitted it. */
    STEPPING,
    /** That step was done within the call. */
    STEP_DONE,
    /** An Asynchronous Event Request that waits for its event. */
    AWAITING_EVENT,
    /** With the transport, to be sent. */
    RESPONDING;

    /**
     * {@return whether a request may enter another phase from this one}
     *
     * @param next phase.
     */
    public boolean canBecome(final RequestPhase next)
    {
        if (IDLE == next)
        {
            // Sent, or its connection is gone.
            return IDLE != this;
        }
        return switch (this)
        {
            case IDLE, PAUSED, AWAITING_TIME_BUDGET, CAPSULE_BUFFERED, CAPSULE_AWAITING_OPEN -> EXECUTING == next;
            case EXECUTING -> isEnteredByExecution(next);
            case AWAITING_BUFFER -> EXECUTING == next || CAPSULE_AWAITING_BUFFER == next ||
                AWAITING_NEXT_TURN == next || RESPONDING == next;
            case CAPSULE_AWAITING_BUFFER -> CAPSULE_BUFFERED == next;
            case CAPSULE_THROTTLED -> CAPSULE_BUFFERED == next || EXECUTING == next;
            case AWAITING_NEXT_TURN, THROTTLED, AWAITING_OPEN, AWAITING_DEVICE ->
                EXECUTING == next || RESPONDING == next;
            case RECEIVING -> EXECUTING == next || AWAITING_NEXT_TURN == next || RESPONDING == next;
            case SENDING_PART -> EXECUTING == next || AWAITING_NEXT_TURN == next;
            case AWAITING_CHANNEL -> SUBMITTED == next || EXECUTING == next || RESPONDING == next;
            case SUBMITTED -> EXECUTING == next || AWAITING_CHANNEL == next || SENDING_PART == next ||
                STEPPING == next || RESPONDING == next;
            case STEPPING -> STEP_DONE == next || SUBMITTED == next || AWAITING_CHANNEL == next || RESPONDING == next;
            case STEP_DONE -> STEPPING == next || AWAITING_CHANNEL == next || RESPONDING == next;
            case AWAITING_EVENT -> RESPONDING == next;
            case RESPONDING -> false;
        };
    }

    private static boolean isEnteredByExecution(final RequestPhase next)
    {
        return switch (next)
        {
            case PAUSED, AWAITING_TIME_BUDGET, THROTTLED, CAPSULE_THROTTLED, AWAITING_OPEN, CAPSULE_AWAITING_OPEN,
                AWAITING_DEVICE, AWAITING_CHANNEL, AWAITING_BUFFER, RECEIVING, AWAITING_EVENT, SUBMITTED, STEPPING,
                SENDING_PART, RESPONDING -> true;
            case IDLE, EXECUTING, AWAITING_NEXT_TURN, CAPSULE_AWAITING_BUFFER, CAPSULE_BUFFERED, STEP_DONE -> false;
        };
    }
}
