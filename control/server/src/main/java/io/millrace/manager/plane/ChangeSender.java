package io.millrace.manager.plane;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.NoChange;
import io.millrace.control.state.StatePlan;
import io.millrace.manager.change.ChangeRequest;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.change.WorkThread;
import java.util.function.Consumer;

/**
 * Sends the ready changes of a ledger to the data plane, and reports the results to the ledger. Changes of one command
 * are pipelined, at most {@link PlaneLink#WINDOW} at a time. A change of several commands is sent alone, as a plan from
 * the state before to the state after it: if a step is refused, the next comparison reverts it. The manager's thread.
 */
final class ChangeSender
{
    private final Ledger ledger;
    private final PlaneLink link;
    private final WorkThread work;
    private final CompareSchedule schedule;
    private final SyncStatus syncStatus;
    private final VersionReporter versions;
    private final ServedFiles files;
    private final Consumer<String> onStaleTerm;
    private long session;
    private int outstanding;
    private PlanRun multiChange;

    /**
     * @param onStaleTerm gets the data plane's message when a manager with a later term is active.
     */
    ChangeSender(
        final Ledger ledger,
        final PlaneLink link,
        final WorkThread work,
        final CompareSchedule schedule,
        final SyncStatus syncStatus,
        final VersionReporter versions,
        final ServedFiles files,
        final Consumer<String> onStaleTerm)
    {
        this.ledger = ledger;
        this.link = link;
        this.work = work;
        this.schedule = schedule;
        this.syncStatus = syncStatus;
        this.versions = versions;
        this.files = files;
        this.onStaleTerm = onStaleTerm;
    }

    /** A session began or ended: earlier commands are void. */
    void onSession()
    {
        session++;
        outstanding = 0;
        multiChange = null;
    }

    /** Whether commands are outstanding. */
    boolean isBusy()
    {
        return 0 != outstanding || null != multiChange;
    }

    /** Sends changes that are ready; returns the work count. */
    int poll()
    {
        if (null != multiChange)
        {
            return drain();
        }
        int count = 0;
        while (null == multiChange && outstanding < PlaneLink.WINDOW)
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
                multiChange = plan(change);
            }
        }
        return count;
    }

    /** Completes changes in progress without sending others; returns the work count. */
    int drain()
    {
        if (null == multiChange)
        {
            return 0;
        }
        final int count = multiChange.poll();
        if (multiChange.isDone())
        {
            final PlanRun ended = multiChange;
            multiChange = null;
            onMultiChangeAnswered(ended);
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
        link.onDone(call);
        outstanding--;
        schedule.onOwnChange();
        if (change.isSettled())
        {
            // Settled with all others, after one of them reported a later manager.
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
                // A removal has changed the desired state, also when there was nothing to remove.
                final boolean isGone = StageRunner.isGone(change.request(), Code.NOT_FOUND) &&
                    call.text().endsWith(NoChange.ENDING);
                ledger.confirm(change, new Reply(Code.OK, call.value(), isGone ? "" : call.text()));
            }
            case STALE_TERM ->
            {
                ledger.revert(change, StageRunner.replyOf(call));
                onStaleTerm.accept(call.text());
            }
            case NULL_VAL ->
            {
                ledger.confirm(change, change.ok("saved, but data plane " + link.name() +
                    " did not confirm it (" + call.text() + "); it is being compared"));
                requestComparison();
            }
            default ->
            {
                if (StageRunner.isGone(change.request(), call.code()))
                {
                    ledger.confirm(change, change.ok(""));
                }
                else
                {
                    onRefused(change, call);
                }
            }
        }
    }

    private void onRefused(final ChangeRequest change, final Call call)
    {
        final String absent = AbsentDevices.absent(change.request(), call.code(), call.text());
        if (null == absent)
        {
            ledger.revert(change, StageRunner.replyOf(call));
        }
        else
        {
            create(change, absent);
        }
    }

    /** The data plane could not create the device so far: it is tried again, with the settings as they are now. */
    private void create(final ChangeRequest change, final String name)
    {
        final DeviceSpec device;
        try
        {
            device = change.applyTo(ledger.keptState().edit()).state().devices().get(name);
        }
        catch (final ControlException e)
        {
            // Changes before it, which are not answered yet, matter.
            confirmStored(change, name, "it is created with other changes");
            return;
        }
        final long sentIn = session;
        outstanding++;
        link.submit(files.fitting(new Command.CreateDevice(device))).onDone((call) ->
        {
            if (sentIn == session)
            {
                link.onDone(call);
                outstanding--;
                onCreated(change, device, call);
            }
        });
    }

    private void onCreated(final ChangeRequest change, final DeviceSpec device, final Call call)
    {
        schedule.onOwnChange();
        if (change.isSettled())
        {
            return;
        }
        switch (call.code())
        {
            case OK ->
            {
                files.onCreated(device);
                ledger.confirm(change, change.ok(""));
                // What uses the device can be created, too.
                requestComparison();
            }
            case STALE_TERM ->
            {
                ledger.revert(change, StageRunner.replyOf(call));
                onStaleTerm.accept(call.text());
            }
            default -> confirmStored(change, device.name(), call.text());
        }
    }

    private void confirmStored(final ChangeRequest change, final String name, final String reason)
    {
        ledger.confirm(change, change.ok("saved; " + AbsentDevices.sentence(name, reason)));
        requestComparison();
    }

    private PlanRun plan(final ChangeRequest change)
    {
        final DesiredState before = ledger.keptState();
        return new PlanRun(work, () -> StatePlan.between(before, change.applyTo(before.edit()).state()),
            StageRunner.OnRefusal.STOP, (command) -> link.submit(
            files.fitting(command)), PlaneLink.WINDOW);
    }

    private void onMultiChangeAnswered(final PlanRun ended)
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
            if (ended.absent().isEmpty())
            {
                ledger.confirm(change, change.ok(""));
            }
            else
            {
                // The comparison tries to create it.
                confirmStored(change, ended.absent(), "it is tried again now; 'millrace dataplane drift' says why it " +
                    "cannot be");
            }
        }
        else if (Code.STALE_TERM == refused.code())
        {
            ledger.revert(change, refused);
            onStaleTerm.accept(refused.text());
        }
        else
        {
            ledger.revert(change, 1 == ended.plan().steps().size() ? refused : Reply.refused(refused.code(),
                refused.text() + "; the desired state is as before, and steps of this change are undone"),
                schedule.next());
            requestComparison();
        }
    }

    private void requestComparison()
    {
        syncStatus.invalidate();
        schedule.request();
    }
}
