package io.millrace.manager.store;

import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.state.DesiredState;
import java.util.Objects;

/**
 * State that a manager applied to a data plane, with its leadership and version. Immutable.
 *
 * @param leadership of the manager.
 * @param state      that is served.
 * @param ids        that new controllers get; all there are when none were assigned.
 */
public record AppliedState(LeadershipInfo leadership, DesiredState state, Command.AssignControllerIds ids)
{
    /**
     * Rejects null.
     */
    public AppliedState
    {
        Objects.requireNonNull(leadership, "leadership");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(ids, "ids");
    }
}
