package io.millrace.nvmf;

/**
 * Where a {@link Request} is, which says who may touch it and what has to be undone when its connection goes.
 */
enum RequestPhase
{
    /** In the pool. */
    IDLE,
    /** Being carried out on the stack, or waiting for another reactor's answer. */
    EXECUTING,
    /** Has come while I/O is paused; the transport keeps the capsule. */
    PAUSED,
    /** An admin command that waits until the reactor has time for more of them; the transport keeps the capsule. */
    AWAITING_TURN,
    /** An admin command that had to wait for something, has it, and waits until the reactor has time to go on. */
    AWAITING_NEXT_TURN,
    /** Waits in the buffer pool's line. */
    AWAITING_BUFFER,
    /** Waits in the buffer pool's line while the transport keeps the capsule. */
    CAPSULE_AWAITING_BUFFER,
    /** Has what it waited for, or is to be refused; the transport still keeps the capsule. */
    CAPSULE_BUFFERED,
    /** Waits in the line of a limit. */
    THROTTLED,
    /** Waits in the line of a limit, and there is no room for its data; the transport keeps the capsule. */
    CAPSULE_THROTTLED,
    /** Waits for its device to open, in its line, and has nothing yet. */
    AWAITING_OPEN,
    /** Waits for its device to open; the transport keeps the capsule. */
    CAPSULE_AWAITING_OPEN,
    /** The transport is receiving its payload. */
    RECEIVING,
    /** The transport is sending a part of its payload; others follow. */
    SENDING_PART,
    /** Waits in the device's line until it may take a buffer, which it does not have. */
    AWAITING_DEVICE,
    /** Waits for room at the device, in its line. */
    AWAITING_CHANNEL,
    /** At the device. */
    SUBMITTED,
    /** At the device for one step of several, within the call that submitted it. */
    STEPPING,
    /** That step was done within the call. */
    STEP_DONE,
    /** An Asynchronous Event Request that waits for its event. */
    HELD,
    /** With the transport, to be sent. */
    RESPONDING
}
