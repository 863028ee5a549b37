package io.millrace.control.agent;

import io.millrace.block.file.FileRecords;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import java.util.Objects;

/**
 * Initial state of a data plane: the file of the state that its manager applied, and its content. Immutable.
 *
 * @param file       that the state is kept in; null: nowhere.
 * @param leadership of the manager; {@link LeadershipInfo#NONE}: there never was one.
 * @param state      that was restored; null: the data plane began with something else.
 * @param isImport   whether it began with something else though it has a manager, because a person said so.
 * @param records    of files that its devices had.
 */
public record PersistedState(
    AppliedStateFile file, LeadershipInfo leadership, DesiredState state, boolean isImport, FileRecords records)
{
    /** Of a data plane without persistence: its manager is forgotten at the end of the process. */
    public static final PersistedState NOWHERE = new PersistedState(null, LeadershipInfo.NONE, null, false,
        FileRecords.NONE);

    /**
     * Rejects null.
     */
    public PersistedState
    {
        Objects.requireNonNull(leadership, "leadership");
        Objects.requireNonNull(records, "records");
    }

    /**
     * {@return the initial state}
     *
     * @param file     that the state is kept in.
     * @param found    there; null: nothing.
     * @param isImport whether to begin with something else though there was something.
     * @param records  of files that its devices had.
     */
    public static PersistedState of(
        final AppliedStateFile file, final AppliedState found, final boolean isImport, final FileRecords records)
    {
        return null == found ? new PersistedState(file, LeadershipInfo.NONE, null, false, records) :
            new PersistedState(file, found.leadership(), isImport ? null : found.state(), isImport, records);
    }
}
