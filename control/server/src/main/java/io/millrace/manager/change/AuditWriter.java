package io.millrace.manager.change;

import io.millrace.control.codec.Code;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Reply;
import io.millrace.manager.store.AuditEntry;
import io.millrace.manager.store.AuditLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Writes the audit log before answers are sent: entries that arrive during a write are batched into the next one. The
 * manager's thread.
 */
public final class AuditWriter
{
    private final AuditLog log;
    private final WorkThread work;
    private final RecurringLine onError;
    private List<AuditEntry> entries = new ArrayList<>();
    private List<Runnable> answers = new ArrayList<>();
    private boolean isWriting;

    /**
     * Makes a writer.
     *
     * @param log     that entries are written to.
     * @param work    thread that writes.
     * @param onError consumer of failures to write, at most one line a minute.
     */
    public AuditWriter(final AuditLog log, final WorkThread work, final Consumer<String> onError)
    {
        this.log = log;
        this.work = work;
        this.onError = new RecurringLine(onError, SystemNanoClock.INSTANCE);
    }

    /**
     * Adds an entry.
     *
     * @param caller    who asked.
     * @param dataPlane name of the data plane.
     * @param command   in words.
     * @param version   of the desired state after it; 0: none.
     * @param reply     to the command.
     * @param answer    sends the reply; called after the entry was written, or writing failed.
     */
    public void add(
        final Caller caller,
        final String dataPlane,
        final String command,
        final long version,
        final Reply reply,
        final Runnable answer)
    {
        entries.add(new AuditEntry(0, Instant.now(), dataPlane, caller.clientName(), caller.keyName(), caller.role(),
            command, version, Code.SBE_UNKNOWN == reply.code() ? Code.FAILED : reply.code(), reply.text()));
        answers.add(answer);
    }

    /**
     * Writes queued entries unless a write is in progress.
     *
     * @return work count.
     */
    public int poll()
    {
        if (isWriting || entries.isEmpty())
        {
            return 0;
        }
        final List<AuditEntry> written = entries;
        final List<Runnable> answered = answers;
        entries = new ArrayList<>();
        answers = new ArrayList<>();
        isWriting = true;
        work.run(() ->
        {
            log.append(written);
            return null;
        }, (nothing, failure) ->
        {
            isWriting = false;
            if (null != failure)
            {
                onError.accept("audit log cannot be written: " + Ledger.reason(failure));
            }
            answered.forEach(Runnable::run);
        });
        return written.size();
    }

    /**
     * Lists the last entries.
     *
     * @return entries, the oldest first.
     */
    public List<AuditEntry> recent()
    {
        return log.recent();
    }
}
