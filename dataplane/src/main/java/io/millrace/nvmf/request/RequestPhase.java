package io.millrace.nvmf.request;

/**
 * Phase of a {@link Request}, which determines its present owner and what has to be undone when its connection ends.
 *
 * <pre>
 *   IDLE --- begin ---> EXECUTING --- answer ---> RESPONDING --- sent ---> IDLE
 *
 *   EXECUTING waits, and is entered again when what it waits for is there:
 *      +-- for its turn:    PAUSED, AWAITING_TIME_BUDGET; admin commands that had begun: AWAITING_NEXT_TURN
 *      +-- for a limit:     THROTTLED, or CAPSULE_THROTTLED ---> CAPSULE_BUFFERED
 *      +-- for the device:  AWAITING_OPEN, or CAPSULE_AWAITING_OPEN; AWAITING_DEVICE
 *      +-- for a buffer:    AWAITING_BUFFER, or CAPSULE_AWAITING_BUFFER ---> CAPSULE_BUFFERED
 *      +-- for host data:   RECEIVING
 *      +-- for an event:    AWAITING_EVENT ---> RESPONDING
 *
 *   EXECUTING -------------------------> SUBMITTED --+-- done or failed -----------> RESPONDING
 *      |                                  ^   ^      +-- next part from the host --> EXECUTING
 *      +-- full ---> AWAITING_CHANNEL ----+   |      +-- part for the host --------> SENDING_PART ---> EXECUTING
 *      |                    ^                 |      +-- next step ------------------> STEPPING
 *      +-- of several ---> STEPPING ----------+
 *                            |  ^ next step
 *                            +--+--- done at once ---> STEP_DONE ---> RESPONDING
 * </pre>
 *
 * When the connection is gone, a request in any phase becomes {@code IDLE} at once, but in {@code SUBMITTED} and
 * {@code STEPPING} when its device completes it. What a phase waits for is withdrawn by
 * {@code OutstandingCommands.withdraw}.
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
    RESPONDING
}
