package io.millrace.manager.plane;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.StatePosition;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reports to a data plane which version the following commands lead to, and when it was found in sync, so that another
 * manager can detect whether its own desired state is older. The manager's thread.
 */
final class VersionReporter
{
    private final Function<Command, Call> submit;
    private final Consumer<String> onStaleTerm;
    private final Consumer<String> log;
    private StatePosition told = StatePosition.NONE;
    private boolean isOld;
    private int unconfirmed;
    private String lastError = "";

    VersionReporter(
        final Function<Command, Call> submit, final Consumer<String> onStaleTerm, final Consumer<String> log)
    {
        this.submit = submit;
        this.onStaleTerm = onStaleTerm;
        this.log = log;
    }

    /**
     * The version of the data plane was read.
     *
     * @param held  version that it has.
     * @param older whether it is of a version that knows nothing of this.
     */
    void onObserved(final StatePosition held, final boolean older)
    {
        told = held;
        isOld = older;
        lastError = older ? "" : lastError;
    }

    /** The steps of a version follow. */
    void begin(final StatePosition position)
    {
        if (!isOld && !position.equals(told))
        {
            send(new Command.ApplyVersion(position, false, 0));
        }
    }

    /**
     * The data plane was found in sync with a version, with the given number of direct changes resolved. Reported again
     * at each comparison until it is persisted.
     */
    void onInSync(final StatePosition position, final long directChanges, final long directChangesSeen)
    {
        if (!isOld && (!position.equals(told) || directChanges != directChangesSeen || !lastError.isEmpty()))
        {
            send(new Command.ApplyVersion(position, true, directChanges));
        }
    }

    /**
     * Whether the data plane has persisted what was reported. Before that it would not know after a restart that this
     * manager made what it has, and an operator would be asked before anything of it is removed.
     */
    boolean isPersisted()
    {
        return 0 == unconfirmed && lastError.isEmpty();
    }

    /** Reply of a data plane that cannot persist versions; empty when it can. */
    String lastError()
    {
        return lastError;
    }

    private void send(final Command.ApplyVersion command)
    {
        told = command.position();
        unconfirmed += command.inSync() ? 1 : 0;
        submit.apply(command).onDone((call) ->
        {
            unconfirmed -= command.inSync() ? 1 : 0;
            if (Code.STALE_TERM == call.code())
            {
                onStaleTerm.accept(call.text());
            }
            else if (Code.NULL_VAL != call.code() && !call.text().equals(lastError))
            {
                lastError = call.text();
                log.accept(lastError.isEmpty() ? "the data plane persists versions again" : lastError);
            }
        });
    }
}
