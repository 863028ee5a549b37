package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.StatePosition;
import io.millrace.control.service.Reply;
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
 * What one data plane should be, with the changes to it that are on their way. Changes go in one line:
 * <pre>
 *   pending --version written--&gt; ready --sent to the data plane--&gt; sent --answered--&gt; kept
 * </pre>
 * Each is checked on the state that all before it lead to, and written down before it is sent; those that come while a
 * version is written go together into the next. A change that is refused in the end is taken out again, and so are
 * those behind it that cannot be without it; a version without them is written. The manager's thread.
 */
final class Ledger
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
    /** First version with a change that the next one has not; MAX_VALUE: none. */
    private long takenBackFrom = Long.MAX_VALUE;
    private boolean isRetry;
    private long retryNs;
    private StatePosition position = StatePosition.NONE;
    private long accepted;

    /**
     * @param finish told of each change how it went, once.
     * @param log    of what no client can be told.
     */
    Ledger(
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

    /** Whether it is known at all what should be. */
    boolean isKnown()
    {
        return 0 != version();
    }

    /** Whether what a data plane has is being written. */
    boolean isAdopting()
    {
        return isAdopting;
    }

    /** Of the last version that was written among all of its lineage. */
    StatePosition position()
    {
        return position;
    }

    /** Last that was written; 0: none. */
    long version()
    {
        return position.version();
    }

    List<VersionHeader> history()
    {
        return store.history();
    }

    /** Whether nothing is on its way. */
    boolean isSettled()
    {
        return !isWriting && !needsVersion && pending.isEmpty() && ready.isEmpty() && sent.isEmpty();
    }

    /** What should be, by all that was confirmed. */
    DesiredState keptState()
    {
        if (null == keptState)
        {
            keptState = kept.state();
        }
        return keptState;
    }

    /** What should be, by all that was accepted. */
    DesiredState tipState()
    {
        freshTip();
        return tip.state();
    }

    /** Whether all that was accepted is in the version that was written last. */
    boolean isWritten()
    {
        return !isWriting && !needsVersion && pending.isEmpty();
    }

    /** Why a command would change nothing by all that was accepted; empty: it would, or is refused. */
    String noChange(final Command command)
    {
        freshTip();
        return tip.noChange(command);
    }

    /** A command that changes nothing, as what it finds: a device that a data plane lacks is no other than that. */
    Command asDesired(final Command command)
    {
        freshTip();
        return tip.asDesired(command);
    }

    /** What is kept of commands that were refused. */
    Refusals refusals()
    {
        return refusals;
    }

    /** How many were ever accepted. */
    long accepted()
    {
        return accepted;
    }

    /** How many of those were sent, or ended without. */
    long forwarded()
    {
        return accepted - pending.size() - writing.size() - ready.size();
    }

    /** Takes a change into the line; answers why not, or null. */
    Reply accept(final ChangeRequest change)
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

    /** Writes what waits, unless it is writing; answers how much was done. */
    int poll(final long nowNs)
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
        final String who = who();
        final String comment = comment();
        final List<CommandId> ids = writing.stream().map(ChangeRequest::id)
            .filter((id) -> !CommandId.NONE.equals(id)).toList();
        final long first = takenBackFrom;
        takenBackFrom = Long.MAX_VALUE;
        work.run(() ->
        {
            // Kept there when it cannot be written.
            store.takeBackFrom(first);
            return store.append(time, who, comment, ids, refused, state);
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

    private String who()
    {
        final Set<String> names = new TreeSet<>();
        writing.forEach((change) -> names.add(change.who()));
        return names.isEmpty() ? "manager" : names.size() <= NAMES_MAX ? String.join(", ", names) :
            String.join(", ", List.copyOf(names).subList(0, NAMES_MAX)) + " and " + (names.size() - NAMES_MAX) +
                " more";
    }

    private String comment()
    {
        return switch (writing.size())
        {
            case 0 -> "without what the data plane refused";
            case 1 -> writing.getFirst().comment();
            default -> writing.size() + " changes: " +
                CommandWords.of(writing.stream().flatMap((change) -> change.commands().stream()).toList());
        };
    }

    private void onWritten(final ChangeRequest change)
    {
        change.position(position);
        if (null == change.doom())
        {
            ready.addLast(change);
        }
        else
        {
            takeBack(change, change.doom());
        }
    }

    private void onUnwritten(
        final List<ChangeRequest> changes,
        final List<Refusal> refused,
        final boolean wasNeeded,
        final Throwable failure)
    {
        isTipStale = true;
        final Reply reply = Reply.refused(Code.FAILED, "it cannot be kept, nothing was done: " + reason(failure));
        unkept.accept("state cannot be kept: " + reason(failure));
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

    static String reason(final Throwable failure)
    {
        return null == failure.getMessage() ? failure.toString() :
            failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }

    /** The tip anew, when something was taken out of the line. */
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
                // When it cannot be, the data plane will say so.
                advanceTip(each);
            }
        }
        for (final ChangeRequest each : List.copyOf(ready))
        {
            final Reply refusal = advanceTip(each);
            if (null != refusal)
            {
                ready.remove(each);
                takeBack(each, refusal);
            }
        }
        writing.forEach((each) -> each.doom(advanceTip(each)));
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
        // What was taken back meanwhile is not in it.
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

    /** The next to send, which stays where it is; null: none. */
    ChangeRequest peekReady()
    {
        freshTip();
        return ready.peekFirst();
    }

    /** What is ready and not sent. */
    Iterable<ChangeRequest> unsent()
    {
        return ready;
    }

    /** The next was sent. */
    void onSent()
    {
        sent.addLast(ready.removeFirst());
    }

    /** It is as it should be. */
    void confirm(final ChangeRequest change, final Reply reply)
    {
        change.confirm();
        settle();
        finish.accept(change, reply);
    }

    /** Nobody can be asked: all that was written will be so later. */
    void confirmAll(final String text)
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

    /** It will not be; told when no version has it any more. */
    void takeBack(final ChangeRequest change, final Reply reply)
    {
        takeBack(change, reply, CompletableFuture.completedFuture(null));
    }

    /** As before; told when something else is done, too. */
    void takeBack(final ChangeRequest change, final Reply reply, final CompletableFuture<Void> undone)
    {
        change.refuse();
        settle();
        isTipStale = true;
        needsVersion = true;
        takenBackFrom = Math.min(takenBackFrom, change.position().version());
        refusals.add(change.id(), reply);
        afterNext.add(() -> undone.thenRun(() -> finish.accept(change, reply)));
    }

    void takeBackAll(final Reply reply)
    {
        while (!ready.isEmpty())
        {
            onSent();
        }
        for (final ChangeRequest each : List.copyOf(sent))
        {
            if (!each.isSettled())
            {
                takeBack(each, reply);
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
                    // The data plane did what contradicts itself; the next comparison puts it right.
                    isTipStale = true;
                    needsVersion = true;
                    log.accept("the data plane took a change that does not fit: " + e.getMessage());
                }
            }
        }
    }

    /**
     * Writes what was found on a data plane as the next version. Nothing may be on its way.
     *
     * @param held of the data plane: the version comes after it; not known: the first lineage begins.
     */
    void adopt(
        final DesiredState found,
        final StatePosition held,
        final String who,
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
            return store.append(Instant.now(), who, comment, List.of(), List.of(), found);
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
