package io.millrace.control.client;

import io.millrace.control.message.Command;

/**
 * Follows whether commands are part of a change that was begun: such a change ends with its session, and a command of
 * it that went out in another session would be carried out alone. Belongs to the thread of the client.
 */
final class ChangeGuard
{
    private enum State
    {
        /** None was begun. */
        NONE,
        /** Begun, and not committed or abandoned. */
        OPEN,
        /** Begun, and its session is lost; what follows is of the change too, and goes nowhere. */
        LOST
    }

    private State state = State.NONE;

    /** What becomes of a command that is submitted now. */
    enum Verdict
    {
        /** May be repeated in another session. */
        FREE,
        /** Only in this session. */
        BOUND,
        /** Not at all: its change is lost. */
        LOST
    }

    Verdict judge(final Command command)
    {
        final Verdict verdict = switch (state)
        {
            // A commit says by its id whether it was done.
            case OPEN -> command.changes() && !(command instanceof Command.CommitChange) ? Verdict.BOUND : Verdict.FREE;
            case LOST -> command.changes() ? Verdict.LOST : Verdict.FREE;
            case NONE -> command instanceof Command.BeginChange ? Verdict.BOUND : Verdict.FREE;
        };
        state = switch (command)
        {
            case Command.BeginChange _ -> State.LOST == state ? State.LOST : State.OPEN;
            case Command.CommitChange _, Command.AbandonChange _ -> State.NONE;
            default -> state;
        };
        return verdict;
    }

    void onSessionLost()
    {
        state = State.NONE == state ? State.NONE : State.LOST;
    }
}
