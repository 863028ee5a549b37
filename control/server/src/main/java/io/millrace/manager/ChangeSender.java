package io.millrace.manager;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.PeerLimits;
import io.millrace.control.state.StatePlan;
import java.util.function.Consumer;

/**
 * Carries the changes that a ledger has ready out on the data plane, and tells the ledger how each went. Changes of one
 * command go out one behind the other, at most {@link PlaneLink#WINDOW} at a time. A change of several goes alone, as
 * the way from the state before it to that behind it: when a step is refused, the next comparison undoes what was done.
 * The manager's thread.
 */
final class ChangeSender
{
    private final Ledger ledger;
    private final PlaneLink link;
    private final WorkThread work;
    private final CompareSchedule schedule;
    private final Standing standing;
    private final VersionTeller versions;
    private final ServedFiles files;
    private final Consumer<String> onStaleTerm;
    private long session;
    private int outstanding;
    private PlanRun several;

    /**
     * @param onStaleTerm told when a later manager is in charge, with the words of the data plane.
     */
    ChangeSender(
        final Ledger ledger,
        final PlaneLink link,
        final WorkThread work,
        final CompareSchedule schedule,
        final Standing standing,
        final VersionTeller versions,
        final ServedFiles files,
        final Consumer<String> onStaleTerm)
    {
        this.ledger = ledger;
        this.link = link;
        this.work = work;
        this.schedule = schedule;
        this.standing = standing;
        this.versions = versions;
        this.files = files;
        this.onStaleTerm = onStaleTerm;
    }

    /** A session began or ended: what was sent before is of no account. */
    void onSession()
    {
        session++;
        outstanding = 0;
        several = null;
    }

    /** Whether something that was sent is not answered. */
    boolean isBusy()
    {
        return 0 != outstanding || null != several;
    }

    /** Sends what may go now; answers how much was done. */
    int poll()
    {
        if (null != several)
        {
            return drain();
        }
        int count = 0;
        while (null == several && outstanding < PlaneLink.WINDOW)
        {
            final ChangeRequest change = ledger.peekReady();
            if (null == change || !change.isOne() && 0 != outstanding)
            {
                break;
            }
            count++;
            versions.begin(change.position());
            files.onChange(change);
            if (change.isOne())
            {
                send(change);
            }
            else
            {
                several = plan(change);
            }
        }
        return count;
    }

    /** Takes to its end what was begun, and sends no other; answers how much was done. */
    int drain()
    {
        if (null == several)
        {
            return 0;
        }
        final int count = several.poll();
        if (several.isDone())
        {
            final PlanRun ended = several;
            several = null;
            onSeveralAnswered(ended);
            return count + 1;
        }
        return count;
    }

    private void send(final ChangeRequest change)
    {
        ledger.onSent();
        outstanding++;
        final long sentIn = session;
        link.submit(change.request()).onDone((call) ->
        {
            if (sentIn == session)
            {
                onAnswered(change, call);
            }
        });
    }

    private void onAnswered(final ChangeRequest change, final Call call)
    {
        link.touch();
        outstanding--;
        schedule.onOwnChange();
        if (change.isSettled())
        {
            // With all others, when one of them told of a later manager.
            return;
        }
        switch (call.code())
        {
            case OK ->
            {
                if (change.request() instanceof final Command.CreateDevice create)
                {
                    files.onCreated(create.device());
                }
                ledger.confirm(change, new Reply(Code.OK, call.value(), call.text()));
            }
            case STALE_TERM ->
            {
                ledger.takeBack(change, StageRunner.replyOf(call));
                onStaleTerm.accept(call.text());
            }
            case NULL_VAL ->
            {
                ledger.confirm(change, change.ok("kept, but data plane " + link.name() +
                    " did not say whether it is carried out (" + call.text() + "); it is being compared"));
                haveCompared();
            }
            default ->
            {
                if (StageRunner.isGone(change.request(), call.code()))
                {
                    ledger.confirm(change, change.ok(""));
                }
                else
                {
                    ledger.takeBack(change, StageRunner.replyOf(call));
                }
            }
        }
    }

    private PlanRun plan(final ChangeRequest change)
    {
        final DesiredState before = ledger.keptState();
        return new PlanRun(work, () -> StatePlan.between(before, change.applyTo(before.edit()).state()),
            StageRunner.OnRefusal.STOP, (command) -> link.submit(
            files.fitting(PeerLimits.fitting(command, link.peer()), link.peer())), PlaneLink.WINDOW);
    }

    private void onSeveralAnswered(final PlanRun ended)
    {
        final Reply refused = ended.refusal();
        final ChangeRequest change = ledger.peekReady();
        ledger.onSent();
        schedule.onOwnChange();
        if (null == refused)
        {
            ended.plan().steps().forEach((step) ->
            {
                if (step.command() instanceof final Command.CreateDevice create)
                {
                    files.onCreated(create.device());
                }
            });
            ledger.confirm(change, change.ok(""));
        }
        else if (Code.STALE_TERM == refused.code())
        {
            ledger.takeBack(change, refused);
            onStaleTerm.accept(refused.text());
        }
        else
        {
            ledger.takeBack(change, refused, schedule.next());
            haveCompared();
        }
    }

    private void haveCompared()
    {
        standing.doubt();
        schedule.want();
    }
}
