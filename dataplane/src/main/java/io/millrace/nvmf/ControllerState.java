package io.millrace.nvmf;

/**
 * States of a controller (NVM Express Base 2.0, sections 3.5 and 3.6).
 *
 * <pre>
 *   DISABLED ---------- CC.EN 1 ----------> READY      (by ENABLING while its host's former writes are under way)
 *     ^  |                                 |  |  |
 *     |  +--- CC.SHN --+      CC.SHN ------+  |  +--- keep alive, fatal error
 *     |                |         |            |                 |
 *     |                v         v            |                 v
 *     |            SHUTDOWN <- SHUTTING_DOWN  |               FAILED
 *     |                |            |         |                 |
 *     |                |         CC.EN 0   CC.EN 0           CC.EN 0
 *     |                v            v         v                 |
 *     +-- no I/O ---- RESETTING <---------------- --------------+
 *         queues
 * </pre>
 * From every state to DEAD when the admin queue is disconnected. Changed on the reactor of the admin queue only.
 */
enum ControllerState
{
    /** Connected, CC.EN is 0. */
    DISABLED,
    /**
     * CC.EN is 1, and a device still carries out writes that came on queues of its host which are gone: what the host
     * writes now must not be overtaken by them. Not ready, as hosts wait for.
     */
    ENABLING,
    /** Enabled: takes I/O queues and commands. */
    READY,
    /** CC.EN went to 0: I/O queues are being disconnected. */
    RESETTING,
    /** CC.SHN was set: I/O queues are being disconnected. */
    SHUTTING_DOWN,
    /** Shut down; CC.EN as it was. */
    SHUTDOWN,
    /** Fatal status: everything is being disconnected. */
    FAILED,
    /** Gone. */
    DEAD;

    private static final int[] NEXT =
    {
        bits(ENABLING, READY, SHUTDOWN, FAILED, DEAD),
        bits(READY, RESETTING, SHUTTING_DOWN, FAILED, DEAD),
        bits(RESETTING, SHUTTING_DOWN, FAILED, DEAD),
        bits(DISABLED, FAILED, DEAD),
        bits(SHUTDOWN, RESETTING, FAILED, DEAD),
        bits(ENABLING, READY, RESETTING, FAILED, DEAD),
        bits(RESETTING, DEAD),
        bits()
    };

    /**
     * {@return whether this may be followed by another state}
     *
     * @param next state.
     */
    boolean mayBecome(final ControllerState next)
    {
        return 0 != (NEXT[ordinal()] & 1 << next.ordinal());
    }

    private static int bits(final ControllerState... states)
    {
        int bits = 0;
        for (final ControllerState state : states)
        {
            bits |= 1 << state.ordinal();
        }
        return bits;
    }
}
