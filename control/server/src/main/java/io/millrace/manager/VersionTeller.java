package io.millrace.manager;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.StatePosition;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Tells a data plane which version the commands behind lead to, and when it was found to be there, so that another
 * manager can see whether its own desired state is older. The manager's thread.
 */
final class VersionTeller
{
    private final Function<Command, Call> submit;
    private final Consumer<String> onStaleTerm;
    private final Consumer<String> log;
    private StatePosition told = StatePosition.NONE;
    private boolean isOld;
    private String trouble = "";

    VersionTeller(
        final Function<Command, Call> submit, final Consumer<String> onStaleTerm, final Consumer<String> log)
    {
        this.submit = submit;
        this.onStaleTerm = onStaleTerm;
        this.log = log;
    }

    /**
     * The data plane was looked at.
     *
     * @param held  version that it has.
     * @param older whether it is of a version that knows nothing of this.
     */
    void onObserved(final StatePosition held, final boolean older)
    {
        told = held;
        isOld = older;
    }

    /** Steps of a version are sent next. */
    void begin(final StatePosition position)
    {
        if (!isOld && !position.equals(told))
        {
            tell(new Command.ApplyVersion(position, false, 0));
        }
    }

    /** The data plane was found to be as a version says, with so many changes past the manager settled. */
    void onInSync(final StatePosition position, final long directChanges, final long directChangesSeen)
    {
        if (!isOld && (!position.equals(told) || directChanges != directChangesSeen))
        {
            tell(new Command.ApplyVersion(position, true, directChanges));
        }
    }

    private void tell(final Command.ApplyVersion command)
    {
        told = command.position();
        submit.apply(command).onDone((call) ->
        {
            if (Code.STALE_TERM == call.code())
            {
                onStaleTerm.accept(call.text());
            }
            else if (Code.NULL_VAL != call.code() && !call.text().equals(trouble))
            {
                trouble = call.text();
                log.accept(trouble.isEmpty() ? "the data plane keeps versions again" : trouble);
            }
        });
    }
}
