package io.millrace.manager.plane;

import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.message.StatePosition;
import io.millrace.control.service.Reply;
import io.millrace.control.setting.Units;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.change.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Comparisons of one data plane and what follows from them: repair or adoption, their report, and the replies to
 * operators that requested them. The manager's thread.
 */
final class Reconciliation
{
    private final String name;
    private final String managerName;
    private final Ledger ledger;
    private final PlaneLink link;
    private final CompareSchedule schedule;
    private final SyncStatus syncStatus;
    private final ServedFiles files;
    private final PlaneListener owner;
    private final Function<Comparison.Purpose, Comparison> comparisons;
    private final Runnable onAdopted;
    private final Consumer<String> log;
    /** Purpose of the next comparison, by the operator's decision. */
    private Comparison.Purpose purpose = Comparison.Purpose.REPAIR;
    private Comparison comparison;
    /** The data plane has a later version. */
    private boolean isStale;
    private boolean isDone;
    private List<CompletableFuture<Reply>> asked = new ArrayList<>();
    private List<CompletableFuture<Reply>> answering = new ArrayList<>();

    /**
     * @param comparisons begins a comparison for a purpose.
     * @param onAdopted   called when the actual state is saved as the desired state.
     */
    Reconciliation(
        final String name,
        final String managerName,
        final Ledger ledger,
        final PlaneLink link,
        final CompareSchedule schedule,
        final SyncStatus syncStatus,
        final ServedFiles files,
        final PlaneListener owner,
        final Function<Comparison.Purpose, Comparison> comparisons,
        final Runnable onAdopted,
        final Consumer<String> log)
    {
        this.name = name;
        this.managerName = managerName;
        this.ledger = ledger;
        this.link = link;
        this.schedule = schedule;
        this.syncStatus = syncStatus;
        this.files = files;
        this.owner = owner;
        this.comparisons = comparisons;
        this.onAdopted = onAdopted;
        this.log = log;
    }

    /** Requests that the next comparison resolves differences in the given mode; completes with its outcome. */
    CompletableFuture<Reply> request(final ReconcileMode wanted)
    {
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        asked.add(future);
        purpose = switch (wanted)
        {
            case ADOPT -> Comparison.Purpose.ADOPT;
            case ALLOW_DESTROY -> Comparison.Purpose.REPAIR_ALL;
            default -> purpose;
        };
        return future;
    }

    /** Whether the next comparison adopts the actual state, unless the data plane decides that. */
    boolean isAdoptionNext()
    {
        return !ledger.isKnown() || Comparison.Purpose.ADOPT == purpose;
    }

    /**
     * Begins a comparison, for the operators that requested one.
     *
     * @param isAdoption      whether the actual state becomes the desired state.
     * @param hasLaterVersion whether that is because the data plane has a later version.
     */
    void begin(final boolean isAdoption, final boolean hasLaterVersion)
    {
        schedule.begin();
        isDone = false;
        isStale = hasLaterVersion;
        comparison = comparisons.apply(isAdoption ? Comparison.Purpose.ADOPT : purpose);
        answering = asked;
        asked = new ArrayList<>();
        purpose = Comparison.Purpose.REPAIR;
    }

    /** Whether the comparison in progress adopts the actual state. */
    boolean isAdopting()
    {
        return null != comparison && Comparison.Purpose.ADOPT == comparison.purpose();
    }

    /** Advances the comparison that has begun; returns the work count. */
    int poll(final long nowNs)
    {
        final int count = comparison.poll();
        if (Comparison.State.LISTING != comparison.state())
        {
            link.touch();
        }
        switch (comparison.state())
        {
            case LISTING, REPAIRING ->
            {
                return count;
            }
            case FENCED ->
            {
            }
            case INCOMPLETE ->
            {
                syncStatus.onRefused("its state cannot be read: " + comparison.reason());
                schedule.onRefused(nowNs);
                answer(Reply.refused(Code.FAILED, syncStatus.refusal()));
            }
            case OBSERVED -> adopt(comparison.found(), comparison.observed().position());
            case REPAIRED -> onRepaired(nowNs);
        }
        isDone = true;
        return count + 1;
    }

    /** Whether the comparison has ended. */
    boolean isDone()
    {
        return isDone;
    }

    /** Why the comparison found another manager active; null: it did not. */
    String fencedBy()
    {
        return Comparison.State.FENCED == comparison.state() ? comparison.reason() : null;
    }

    /** Forgets the comparison, which has ended or is aborted. */
    void end()
    {
        comparison = null;
        schedule.end();
    }

    /** Replies to all operators that requested a comparison, also a later one. */
    void answerAll(final Reply reply)
    {
        answer(reply);
        answering = asked;
        asked = new ArrayList<>();
        answer(reply);
        purpose = Comparison.Purpose.REPAIR;
    }

    private void onRepaired(final long nowNs)
    {
        final int steps = comparison.steps();
        final int left = comparison.left();
        syncStatus.onCompared(left, comparison.drift(name));
        files.onServed(comparison.found(), ledger.keptState());
        if (0 == left)
        {
            files.onServed(ledger.keptState(), ledger.keptState());
        }
        if (steps > 0 && !syncStatus.isRefusedAgain(comparison.refusedCount() == steps ?
            comparison.words() + ": " + comparison.firstLeft() : ""))
        {
            schedule.onOwnChange();
            final String words = "reconciled with version " + ledger.version() + " in " + Units.count(steps, "step") +
                (0 == comparison.refusedCount() ? "" : ", " + comparison.refusedCount() + " refused") + ": " +
                comparison.words();
            log.accept(words);
            owner.onManaged(name, Change.CHANGED, words);
            owner.onReconciled(name, "reconcile: " + comparison.words(), ledger.version(),
                0 == comparison.refusedCount() ? Reply.OK : Reply.refused(Code.FAILED, comparison.firstLeft()));
        }
        if (0 == left)
        {
            schedule.onEqual(nowNs);
        }
        else
        {
            syncStatus.onRefused(comparison.firstLeft());
            schedule.onRefused(nowNs);
        }
        answer(new Reply(Code.OK, ledger.version(), 0 == left ?
            "data plane " + name + " is in sync with version " + ledger.version() :
            Units.count(left, "difference") + " to version " + ledger.version() + (1 == left ? " is" : " are") +
            " left: " + comparison.firstLeft()));
    }


    /** No changes are accepted and no comparison begins until it is written. */
    private void adopt(final DesiredState found, final StatePosition held)
    {
        final long before = ledger.version();
        final String comment = 0 == before ? "initial import" : isStale ?
            "adopted: the data plane had " + held + ", this manager version " + before :
            "adopted: an operator made the actual state the desired state";
        final List<CompletableFuture<Reply>> waiting = answering;
        answering = new ArrayList<>();
        // After another lineage the versions of this one continue.
        ledger.adopt(found, held, managerName, comment, (failure) ->
        {
            schedule.onAdopted(null == failure);
            final Reply reply;
            if (null == failure)
            {
                onAdopted.run();
                files.onServed(found, found);
                final String text = comment + "; it is version " + ledger.version() + " now (" + found + ")";
                log.accept(text);
                if (0 != before)
                {
                    owner.onManaged(name, Change.CHANGED, text);
                    owner.onReconciled(name, comment, ledger.version(), Reply.OK);
                }
                reply = new Reply(Code.OK, ledger.version(), text);
            }
            else
            {
                reply = Reply.refused(Code.FAILED, "its state cannot be saved: " + Ledger.reason(failure));
                log.accept(reply.text());
            }
            waiting.forEach((each) -> each.complete(reply));
        });
    }


    private void answer(final Reply reply)
    {
        final List<CompletableFuture<Reply>> waiting = answering;
        answering = new ArrayList<>();
        waiting.forEach((each) -> each.complete(reply));
    }
}
