package io.millrace.manager;

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
final class AuditWriter
{
    private final AuditLog log;
    private final WorkThread work;
    private final RecurringLine onError;
    private List<AuditEntry> entries = new ArrayList<>();
    private List<Runnable> answers = new ArrayList<>();
    private boolean isWriting;

    AuditWriter(final AuditLog log, final WorkThread work, final Consumer<String> onError)
    {
        this.log = log;
        this.work = work;
        this.onError = new RecurringLine(onError, SystemNanoClock.INSTANCE);
    }

    /** Adds an entry; the answer is sent after it was written, or writing failed. */
    void add(
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

    /** Writes queued changes unless a write is in progress; returns the work count. */
    int poll()
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

    /** The last entries, the oldest first. */
    List<AuditEntry> recent()
    {
        return log.recent();
    }
}
