package io.millrace.control.agent;

import io.millrace.block.file.FileRecords;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import java.util.Objects;

/**
 * What a data plane begins with: the file that it keeps the state of its manager in, and what was found there.
 * Immutable.
 *
 * @param file       that the state is kept in; null: nowhere.
 * @param leadership of the manager; {@link LeadershipInfo#NONE}: there never was one.
 * @param state      that was restored; null: the data plane began with something else.
 * @param isImport   whether it began with something else though it has a manager, because a person said so.
 * @param records    of files that its devices had.
 */
public record KeptState(
    AppliedStateFile file, LeadershipInfo leadership, DesiredState state, boolean isImport, FileRecords records)
{
    /** Of a data plane that keeps nothing: its manager is forgotten when it ends. */
    public static final KeptState NOWHERE = new KeptState(null, LeadershipInfo.NONE, null, false, FileRecords.NONE);

    /**
     * Refuses null.
     */
    public KeptState
    {
        Objects.requireNonNull(leadership, "leadership");
        Objects.requireNonNull(records, "records");
    }

    /**
     * {@return what to begin with}
     *
     * @param file     that the state is kept in.
     * @param found    there; null: nothing.
     * @param isImport whether to begin with something else though there was something.
     * @param records  of files that its devices had.
     */
    public static KeptState of(
        final AppliedStateFile file, final AppliedState found, final boolean isImport, final FileRecords records)
    {
        return null == found ? new KeptState(file, LeadershipInfo.NONE, null, false, records) :
            new KeptState(file, found.leadership(), isImport ? null : found.state(), isImport, records);
    }
}
