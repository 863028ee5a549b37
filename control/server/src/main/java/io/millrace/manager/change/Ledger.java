package io.millrace.manager.change;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.StatePosition;
import io.millrace.control.service.Reply;
import io.millrace.control.setting.Units;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateEditor;
import io.millrace.manager.store.Refusal;
import io.millrace.manager.store.StateStore;
import io.millrace.manager.store.Version;
import io.millrace.manager.store.VersionHeader;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The desired state of one data plane with its changes in progress. Changes pass through one queue:
 * <pre>
 *   pending --version written--&gt; ready --sent to the data plane--&gt; sent --answered--&gt; kept
 * </pre>
 * Each is checked against the state after all earlier ones, and persisted before it is sent; changes that arrive during
 * a write are batched into the next version. A change refused by the data plane is reverted together with later ones
 * that depend on it, and a version without them is written. The manager's thread.
 */
public final class Ledger
{
    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int NAMES_MAX = 3;

    private final StateStore store;
    private final WorkThread work;
    private final BiConsumer<ChangeRequest, Reply> finish;
    private final Consumer<String> log;
    private final RecurringLine unkept;
    private final ArrayDeque<ChangeRequest> pending = new ArrayDeque<>();
    private final ArrayDeque<ChangeRequest> ready = new ArrayDeque<>();
    private final ArrayDeque<ChangeRequest> sent = new ArrayDeque<>();
    private final Refusals refusals = new Refusals();
    private List<ChangeRequest> writing = List.of();
    private List<Runnable> afterNext = new ArrayList<>();
    private StateEditor kept;
    private DesiredState keptState;
    private StateEditor tip;
    private boolean isTipStale;
    private boolean isWriting;
    private boolean isAdopting;
    private boolean needsVersion;
    /** First version with a change that the next one reverts; MAX_VALUE: none. */
    private long revertedFrom = Long.MAX_VALUE;
    private boolean isRetry;
    private long retryNs;
    private StatePosition position = StatePosition.NONE;
    private long accepted;

    /**
     * Continues with the last version of the store, if there is one.
     *
     * @param store  of the versions.
     * @param work   thread that reads and writes.
     * @param finish gets the reply to each change, once.
     * @param log    of errors that cannot be returned to a client.
     */
    public Ledger(
        final StateStore store,
        final WorkThread work,
        final BiConsumer<ChangeRequest, Reply> finish,
        final Consumer<String> log)
    {
        this.store = store;
        this.work = work;
        this.finish = finish;
        this.log = log;
        unkept = new RecurringLine(log, SystemNanoClock.INSTANCE);
        if (null != store.latest())
        {
            begin(store.latest());
        }
    }

    private void begin(final Version first)
    {
        position = first.header().position();
        kept = first.state().edit();
        keptState = first.state();
        tip = first.state().edit();
    }

    /** {@return whether a desired state is known} */
    public boolean isKnown()
    {
        return 0 != version();
    }

    /** {@return whether an adopted state is being written} */
    public boolean isAdopting()
    {
        return isAdopting;
    }

    /** {@return position of the last written version} */
    public StatePosition position()
    {
        return position;
    }

    /** {@return the last written version; 0: none} */
    public long version()
    {
        return position.version();
    }

    /** {@return headers of the versions that are kept, the oldest first} */
    public List<VersionHeader> history()
    {
        return store.history();
    }

    /**
     * Refuses a version that is not kept.
     *
     * @param dataPlane name of the data plane.
     * @param version   number.
     * @return the refusal; null: the version is kept.
     */
    public Reply unknownVersion(final String dataPlane, final long version)
    {
        final List<VersionHeader> history = history();
        return history.stream().anyMatch((each) -> each.version() == version) ? null :
            Reply.refused(Code.NOT_FOUND, "no version " + version +
                (history.isEmpty() ? " of data plane " + dataPlane : "; there are " + history.getFirst().version() +
                    " to " + history.getLast().version()));
    }

    /** {@return whether no change is in progress} */
    public boolean isSettled()
    {
        return !isWriting && !needsVersion && pending.isEmpty() && ready.isEmpty() && sent.isEmpty();
    }

    /** {@return the desired state with all confirmed changes} */
    public DesiredState keptState()
    {
        if (null == keptState)
        {
            keptState = kept.state();
        }
        return keptState;
    }

    /** {@return the desired state with all accepted changes} */
    public DesiredState tipState()
    {
        freshTip();
        return tip.state();
    }

    /** {@return whether the last written version contains all accepted changes} */
    public boolean isWritten()
    {
        return !isWriting && !needsVersion && pending.isEmpty();
    }

    /**
     * Says why a command would change nothing.
     *
     * @param command any.
     * @return the reason; empty: it would change something, or is refused.
     */
    public String noChange(final Command command)
    {
        freshTip();
        return tip.noChange(command);
    }

    /**
     * Returns a command that changes nothing, with the existing incarnation of its device.
     *
     * @param command any.
     * @return the command to send.
     */
    public Command asDesired(final Command command)
    {
        freshTip();
        return tip.asDesired(command);
    }

    /** {@return refused commands} */
    public Refusals refusals()
    {
        return refusals;
    }

    /** {@return number of changes accepted so far} */
    public long accepted()
    {
        return accepted;
    }

    /** {@return number of changes that were sent or ended without being sent} */
    public long forwarded()
    {
        return accepted - pending.size() - writing.size() - ready.size();
    }

    /**
     * Queues a change.
     *
     * @param change to apply, write and send.
     * @return the reason of a refusal; null: it was accepted.
     */
    public Reply accept(final ChangeRequest change)
    {
        freshTip();
        try
        {
            tip = change.applyTo(tip);
        }
        catch (final ControlException e)
        {
            final Reply reply = Reply.refused(e.code(), e.getMessage());
            refusals.add(change.id(), reply);
            return reply;
        }
        pending.addLast(change);
        accepted++;
        return null;
    }

    /**
     * Writes queued changes unless a write is in progress.
     *
     * @param nowNs time of the clock, in nanoseconds.
     * @return work count.
     */
    public int poll(final long nowNs)
    {
        final boolean isHeld = isRetry && nowNs - retryNs < 0;
        if (isWriting || pending.isEmpty() && (!needsVersion || isHeld))
        {
            return 0;
        }
        freshTip();
        if (pending.isEmpty() && !needsVersion)
        {
            return 1;
        }
        write(nowNs);
        return 1;
    }

    private void write(final long nowNs)
    {
        writing = new ArrayList<>(pending);
        pending.clear();
        final List<Runnable> after = afterNext;
        afterNext = new ArrayList<>();
        final List<Refusal> refused = refusals.take();
        final boolean wasNeeded = needsVersion;
        needsVersion = false;
        isWriting = true;
        final DesiredState state = tip.state();
        final Instant time = Instant.now();
        final String author = author();
        final String comment = comment();
        final List<CommandId> ids = writing.stream().map(ChangeRequest::id)
            .filter((id) -> !CommandId.NONE.equals(id)).toList();
        final long first = revertedFrom;
        revertedFrom = Long.MAX_VALUE;
        work.run(() ->
        {
            // Stays queued if writing fails.
            store.revertFrom(first);
            return store.append(time, author, comment, ids, refused, state);
        }, (written, failure) ->
        {
            isWriting = false;
            final List<ChangeRequest> done = writing;
            writing = List.of();
            isRetry = false;
            if (null == failure)
            {
                position = written.header().position();
                done.forEach(this::onWritten);
                after.forEach(Runnable::run);
            }
            else
            {
                onUnwritten(done, refused, wasNeeded, failure);
                // The last version on disk has them: after the next start they would be carried out.
                afterNext.addAll(0, after);
                isRetry = true;
                retryNs = nowNs + RETRY_NS;
            }
        });
    }

    private String author()
    {
        final Set<String> names = new TreeSet<>();
        writing.forEach((change) -> names.add(change.author()));
        return names.isEmpty() ? "manager" : names.size() <= NAMES_MAX ? String.join(", ", names) :
            String.join(", ", List.copyOf(names).subList(0, NAMES_MAX)) + " and " + (names.size() - NAMES_MAX) +
                " more";
    }

    private String comment()
    {
        return switch (writing.size())
        {
            case 0 -> "without changes refused by the data plane";
            case 1 -> writing.getFirst().comment();
            default -> Units.count(writing.size(), "change") + ": " +
                CommandDescriptions.of(writing.stream().flatMap((change) -> change.commands().stream()).toList());
        };
    }

    private void onWritten(final ChangeRequest change)
    {
        change.position(position);
        if (null == change.pendingRejection())
        {
            ready.addLast(change);
        }
        else
        {
            revert(change, change.pendingRejection());
        }
    }

    private void onUnwritten(
        final List<ChangeRequest> changes,
        final List<Refusal> refused,
        final boolean wasNeeded,
        final Throwable failure)
    {
        isTipStale = true;
        final Reply reply = Reply.refused(Code.FAILED, "it cannot be saved, nothing was done: " + reason(failure));
        unkept.accept("state cannot be saved: " + reason(failure));
        final List<Refusal> later = refusals.take();
        refused.forEach(refusals::add);
        changes.forEach((change) -> refuse(change, reply));
        later.forEach(refusals::add);
        needsVersion = needsVersion || wasNeeded;
    }

    private void refuse(final ChangeRequest change, final Reply reply)
    {
        change.refuse();
        refusals.add(change.id(), reply);
        finish.accept(change, reply);
    }

    /**
     * Says in words why a task failed.
     *
     * @param failure of the task.
     * @return one line.
     */
    public static String reason(final Throwable failure)
    {
        return null == failure.getMessage() ? failure.toString() :
            failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }

    /** Recomputes the tip after a change was reverted. */
    private void freshTip()
    {
        if (!isTipStale)
        {
            return;
        }
        isTipStale = false;
        tip = keptState().edit();
        for (final ChangeRequest each : sent)
        {
            if (!each.isRefused())
            {
                // If it cannot be applied, the data plane will refuse it.
                advanceTip(each);
            }
        }
        for (final ChangeRequest each : List.copyOf(ready))
        {
            final Reply refusal = advanceTip(each);
            if (null != refusal)
            {
                ready.remove(each);
                revert(each, refusal);
            }
        }
        writing.forEach((each) -> each.pendingRejection(advanceTip(each)));
        for (final Iterator<ChangeRequest> i = pending.iterator(); i.hasNext(); )
        {
            final ChangeRequest each = i.next();
            final Reply refusal = advanceTip(each);
            if (null != refusal)
            {
                i.remove();
                refuse(each, refusal);
            }
        }
        // Changes reverted in between are not in it.
        isTipStale = false;
    }

    private Reply advanceTip(final ChangeRequest change)
    {
        try
        {
            tip = change.applyTo(tip);
            return null;
        }
        catch (final ControlException e)
        {
            return Reply.refused(e.code(), e.getMessage());
        }
    }

    /** {@return the next change to send, which stays queued; null: none} */
    public ChangeRequest peekReady()
    {
        freshTip();
        return ready.peekFirst();
    }

    /** {@return changes that are written and not sent} */
    public Iterable<ChangeRequest> unsent()
    {
        return ready;
    }

    /** Removes the next change from those to send. */
    public void onSent()
    {
        sent.addLast(ready.removeFirst());
    }

    /**
     * Confirms a change that the data plane has applied.
     *
     * @param change that was applied.
     * @param reply  to it.
     */
    public void confirm(final ChangeRequest change, final Reply reply)
    {
        change.confirm();
        settle();
        finish.accept(change, reply);
    }

    /**
     * Confirms all changes, as the data plane is disconnected: those that are written are applied later.
     *
     * @param text message of the replies.
     */
    public void confirmAll(final String text)
    {
        while (!ready.isEmpty())
        {
            onSent();
        }
        for (final ChangeRequest each : List.copyOf(sent))
        {
            if (!each.isSettled())
            {
                confirm(each, each.ok(text));
            }
        }
    }

    /**
     * Reverts a change; its reply is sent when no version contains it.
     *
     * @param change to revert.
     * @param reply  to it.
     */
    public void revert(final ChangeRequest change, final Reply reply)
    {
        revert(change, reply, CompletableFuture.completedFuture(null));
    }

    /**
     * Reverts a change; its reply is sent when no version contains it and another condition holds.
     *
     * @param change to revert.
     * @param reply  to it.
     * @param undone the other condition.
     */
    public void revert(final ChangeRequest change, final Reply reply, final CompletableFuture<Void> undone)
    {
        change.refuse();
        settle();
        isTipStale = true;
        needsVersion = true;
        revertedFrom = Math.min(revertedFrom, change.position().version());
        refusals.add(change.id(), reply);
        afterNext.add(() -> undone.thenRun(() -> finish.accept(change, reply)));
    }

    /**
     * Reverts all changes in progress.
     *
     * @param reply to each.
     */
    public void revertAll(final Reply reply)
    {
        while (!ready.isEmpty())
        {
            onSent();
        }
        for (final ChangeRequest each : List.copyOf(sent))
        {
            if (!each.isSettled())
            {
                revert(each, reply);
            }
        }
    }

    private void settle()
    {
        while (!sent.isEmpty() && sent.peekFirst().isSettled())
        {
            final ChangeRequest change = sent.removeFirst();
            if (change.isConfirmed())
            {
                keptState = null;
                try
                {
                    kept = change.applyTo(kept);
                }
                catch (final ControlException e)
                {
                    // The data plane accepted conflicting changes; the next comparison repairs it.
                    isTipStale = true;
                    needsVersion = true;
                    log.accept("the data plane accepted a conflicting change: " + e.getMessage());
                }
            }
        }
    }

    /**
     * Writes the actual state of a data plane as the next version. No change may be in progress.
     *
     * @param found   the actual state.
     * @param held    of the data plane: the version comes after it; not known: the first lineage begins.
     * @param author  of the version.
     * @param comment of the version.
     * @param then    gets the failure; null: it is written.
     */
    public void adopt(
        final DesiredState found,
        final StatePosition held,
        final String author,
        final String comment,
        final Consumer<Throwable> then)
    {
        isWriting = true;
        isAdopting = true;
        work.run(() ->
        {
            if (held.isKnown())
            {
                store.continueAfter(held);
            }
            return store.append(Instant.now(), author, comment, List.of(), List.of(), found);
        }, (written, failure) ->
        {
            isWriting = false;
            isAdopting = false;
            if (null == failure)
            {
                begin(written);
            }
            then.accept(failure);
        });
    }
}
