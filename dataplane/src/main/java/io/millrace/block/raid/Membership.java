package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Changes of the members, and of the name, of an array that serves, one at a time. A device that is added has channels
 * on all reactors before superblocks and view name it; one that is released is in no view before its superblocks are
 * erased and its channels are closed. {@link ArrayWork}'s, on its reactor.
 */
final class Membership
{
    private final RaidDevice device;
    private final ArrayWork work;
    private final ArrayMembers members;
    private final MemberWrites erasures;
    private final Replacements replacements;
    /** That settings name behind all that have slots, since the array was started; null: none. */
    private Growth growth;
    private State state = State.IDLE;
    private MemberChange current;
    /** Whom the present change is about. */
    private RaidMember subject;
    /** Of the array, with the slot that it gets. */
    private RaidLevel grownLevel;
    /** Why the present change is undone; null: it goes on. */
    private BlockDeviceException problem;
    /** Whether the reactors, or the member, have answered. */
    private volatile boolean hasAnswer;

    private enum State
    {
        /** No change is being made. */
        IDLE,
        /** Reactors open channels. */
        OPENING,
        /** Reactors prepare for another slot. */
        FITTING,
        /** Superblocks are written that have no slot for the device yet. */
        NAMING,
        /** Superblocks are written, then the view is published. */
        STORING,
        /** Superblocks of a member that is let go of are erased. */
        ERASING,
        /** Reactors close channels. */
        CLOSING
    }

    /**
     * No change is being made.
     *
     * @param device  that is changed.
     * @param work    that writes superblocks and publishes views.
     * @param channel to the members.
     * @param members that changes are about.
     */
    Membership(final RaidDevice device, final ArrayWork work, final RaidChannel channel, final ArrayMembers members)
    {
        this.device = device;
        this.work = work;
        this.members = members;
        replacements = members.replacements();
        erasures = new MemberWrites(channel, device.pages().erasedTargets());
        growth = device.growth();
    }

    /**
     * {@return whether there is nothing to do before an answer}
     */
    boolean canSleep()
    {
        return switch (state)
        {
            case IDLE -> !isGrowthDue() && device.memberChanges().isEmpty() && !replacements.isOver() &&
                !replacements.isDue();
            case OPENING, FITTING, ERASING, CLOSING -> !hasAnswer;
            case NAMING, STORING -> false;
        };
    }

    /**
     * {@return whether no change is being made}
     */
    boolean isIdle()
    {
        return State.IDLE == state;
    }

    /** {@return whether a replacement that was interrupted has begun from its start} */
    private boolean beginAnew()
    {
        if (!replacements.isDue())
        {
            return false;
        }
        final Replacement next = replacements.next();
        problem = null;
        subject = next.replacement();
        subject.rebuiltBytes(0);
        state = State.STORING;
        beginCopy(device.view(), next.replaced());
        return true;
    }

    /**
     * Goes on with a change. No superblocks are being written, and no failure waits.
     *
     * @return whether it did anything.
     */
    boolean poll()
    {
        switch (state)
        {
            case IDLE ->
            {
                return endReplacement() || beginAnew() || beginGrowth() || begin();
            }
            case OPENING, FITTING, ERASING, CLOSING ->
            {
                if (!hasAnswer)
                {
                    return false;
                }
                hasAnswer = false;
                onAnswer();
            }
            case NAMING -> onNamed();
            case STORING -> onStored();
        }
        return true;
    }

    private boolean begin()
    {
        current = device.memberChanges().next();
        if (null == current)
        {
            return false;
        }
        problem = null;
        switch (current)
        {
            case final MemberChange.Add add -> open(add.device());
            case final MemberChange.TakeSlot take -> open(take.device());
            case final MemberChange.Grow grow -> open(grow.device());
            case final MemberChange.Lower lower -> lower(lower.device());
            case final MemberChange.MoveQ _ -> moveQ();
            case final MemberChange.Replace replace -> replace(replace);
            case final MemberChange.Remove remove -> remove(remove.device());
            case final MemberChange.Fail fail -> fail(fail.name());
            case final MemberChange.Resize resize -> resize(resize.memberBytes());
            case final MemberChange.Journal journal -> journal(journal);
            case final MemberChange.Rename rename -> rename(rename);
        }
        return true;
    }

    private void refuse(final String sentence)
    {
        problem = new BlockDeviceException(sentence);
        end();
    }

    private void end()
    {
        final CompletableFuture<Void> done = null == current ? null : current.done();
        if (current instanceof MemberChange.Rename && State.STORING == state && null != problem)
        {
            device.names().revert();
        }
        state = State.IDLE;
        current = null;
        subject = null;
        if (null != done && null == problem)
        {
            done.complete(null);
        }
        else if (null != done)
        {
            done.completeExceptionally(problem);
        }
    }

    private RaidMember find(final BlockDevice of)
    {
        return device.raidMembers().stream().filter((each) -> of == each.device()).findFirst().orElse(null);
    }

    private void open(final BlockDevice added)
    {
        if (null != find(added))
        {
            refuse("device " + added.name() + " is a member of the array already");
            return;
        }
        if (MemberRoom.of(device, added) < device.layout().memberBytes())
        {
            // They have become larger since it was checked.
            refuse("device " + added.name() + " has room for " + MemberRoom.of(device, added) + " bytes of data, and " +
                "members of the array have " + device.layout().memberBytes() + ": use a larger device");
            return;
        }
        open(added, UUID.randomUUID());
    }

    private void open(final BlockDevice added, final UUID id)
    {
        final int index = freeIndex();
        if (index < 0)
        {
            refuse("device " + added.name() + ": the array has " + RaidLevel.MEMBERS_MAX +
                " members and spares: remove a spare first");
            return;
        }
        subject = device.pages().withChecksums(new RaidMember(index, added, id, 0));
        state = State.OPENING;
        device.add(subject);
        device.channels().open(subject, (reason) ->
        {
            problem = reason;
            answer();
        });
    }

    private int freeIndex()
    {
        for (int index = 0; index < RaidLevel.MEMBERS_MAX; index++)
        {
            final int candidate = index;
            if (device.raidMembers().stream().noneMatch((each) -> candidate == each.index()))
            {
                return index;
            }
        }
        return -1;
    }

    /** Any thread. */
    private void answer()
    {
        hasAnswer = true;
        work.wake();
    }

    private void onAnswer()
    {
        switch (state)
        {
            case OPENING ->
            {
                if (null != problem)
                {
                    close();
                    return;
                }
                state = State.STORING;
                final ArrayView view = device.view();
                switch (current)
                {
                    case final MemberChange.Replace replace -> beginCopy(view, find(replace.replaced()));
                    case final MemberChange.Add add -> add(view, add);
                    case final MemberChange.TakeSlot _ -> takeSlot(view);
                    case final MemberChange.Grow grow -> fit(view, grow.level());
                    case final MemberChange.Journal _ -> work.change(view.next().journalingOn(subject), true);
                    default -> throw new IllegalStateException("opened for " + current);
                }
            }
            case FITTING ->
            {
                if (null != problem)
                {
                    refuseSlot(device.view(), problem.getMessage());
                    return;
                }
                // A crash before all superblocks have the slot finds the device by its identifier.
                state = State.NAMING;
                addSpare(device.view());
            }
            case ERASING -> close();
            default -> onClosed();
        }
    }

    private void add(final ArrayView view, final MemberChange.Add change)
    {
        final Superblock former = change.former();
        // A spare may have taken its slot meanwhile.
        final int slot = null == former ? FormerMember.NO_SLOT : FormerMember.slot(view.slots(), former);
        if (FormerMember.NO_SLOT == slot)
        {
            addSpare(view);
            return;
        }
        change.lost().give(subject);
        // It gets the bitmap, in place of the old one that it has.
        device.intent().wantAgain();
        work.change(view.with(slot, subject, SlotState.REBUILDING, view.lostEvent(slot)), false);
    }

    private void takeSlot(final ArrayView view)
    {
        final int slot = view.vacantSlot();
        if (slot < 0)
        {
            problem = new BlockDeviceException("array " + device.name() + " lacks no member any more");
            close();
            return;
        }
        work.rebuild(slot, subject);
    }

    private void fit(final ArrayView view, final RaidLevel level)
    {
        state = State.FITTING;
        grownLevel = level;
        device.slotsMax(view.slotCount() + 1);
        device.channels().grow((reason) ->
        {
            problem = reason;
            answer();
        });
    }

    /** The device has superblocks: it gets a slot, unless the array has changed meanwhile. */
    private void onNamed()
    {
        final ArrayView view = device.view();
        final String reason = members.hasFailed(subject) ? "device " + subject +
            " failed when its superblocks were written: check it, and the path to it" :
            view.layout().level() == grownLevel ? ArrayGrowth.problem(device) : LevelChange.raiseProblem(device);
        if (null != reason)
        {
            refuseSlot(view, reason);
            return;
        }
        members.removeSpare(subject);
        // It gets the bitmap, in place of an old one that it may have.
        device.intent().wantAgain();
        state = State.STORING;
        work.change(ArrayGrowth.grown(view, subject, grownLevel), true);
    }

    private void refuseSlot(final ArrayView view, final String reason)
    {
        problem = new BlockDeviceException(reason);
        device.slotsMax(view.slotCount());
        if (null == current)
        {
            // Settings name it: it is a spare.
            device.reports().trouble("members names one device more than the array has slots, and " + reason);
            end();
        }
        else if (view.isWritten(subject))
        {
            // It was needed as a spare.
            end();
        }
        else
        {
            letGo(subject);
        }
    }

    /** {@return whether the array begins to get another slot, which settings named when it was started} */
    private boolean beginGrowth()
    {
        if (!isGrowthDue())
        {
            return false;
        }
        final Growth due = growth;
        growth = null;
        if (device.view().slotOf(due.member()) < 0)
        {
            subject = due.member();
            problem = null;
            device.reports().announce("the configuration that it was started with names " + subject +
                " behind the members in slots: it " + (due.level() == device.view().layout().level() ?
                "grows by that" : "becomes " + due.level().title(device.view().slotCount() + 1)));
            fit(device.view(), due.level());
        }
        return true;
    }

    /** Another level waits for a resync that began with the array. */
    private boolean isGrowthDue()
    {
        return null != growth &&
            (growth.level() == device.view().layout().level() || device.intent().nextResync(0) < 0);
    }

    /** The array has no slot for the last member any more when superblocks say so, which that one does not get. */
    private void lower(final BlockDevice released)
    {
        final ArrayView view = device.view();
        final RaidMember last = view.member(view.slotCount() - 1);
        final String reason = LevelChange.lowerProblem(device);
        if (null != reason || released != (null == last ? null : last.device()))
        {
            refuse(null == reason ? "slot " + (view.slotCount() - 1) + " of array " + device.name() + " has got " +
                "another member meanwhile: look at its state, and try again" : reason);
            return;
        }
        subject = last;
        state = State.STORING;
        work.change(LevelChange.lowered(view), true);
    }

    private void onLowered()
    {
        final ArrayView view = device.view();
        device.slotsMax(view.slotCount());
        if (RaidLevel.RAID5 != view.layout().level())
        {
            refuse("array " + device.name() + " has lost a member meanwhile, and stays RAID 6, since Q is needed for " +
                "its data: change its level when its slots are in sync");
        }
        else if (null == subject || null == subject.device())
        {
            end();
        }
        else
        {
            letGo(subject);
        }
    }

    private void moveQ()
    {
        final String reason = LevelChange.moveProblem(device);
        if (null != reason)
        {
            refuse(reason);
            return;
        }
        state = State.STORING;
        work.change(device.view().mapping(LevelChange.movingQ(device.layout())), true);
    }

    private void onQMoving()
    {
        if (device.view().map().isReshaping())
        {
            end();
        }
        else
        {
            refuse("array " + device.name() + " has lost a member meanwhile, and is not reshaped: try again when its " +
                "slots are in sync");
        }
    }

    private void addSpare(final ArrayView view)
    {
        members.addSpare(subject);
        work.change(view.next(), false);
    }

    private void beginCopy(final ArrayView view, final RaidMember old)
    {
        final int slot = null == old ? -1 : view.slotOf(old);
        if (slot < 0 || SlotState.IN_SYNC != view.state(slot))
        {
            // It failed meanwhile.
            addSpare(view);
            return;
        }
        replacements.begin(old, subject);
        // It gets the bitmap, in place of an old one that it may have.
        device.intent().wantAgain();
        work.change(view.replacing(slot, subject), false);
    }

    /** A view was published, or the member that the change is about has failed. */
    private void onStored()
    {
        if (null == current || current instanceof MemberChange.Fail)
        {
            // Nobody waits for a replacement that began anew: how it goes on is seen in the view.
            end();
        }
        else if (current instanceof MemberChange.Lower)
        {
            onLowered();
        }
        else if (current instanceof MemberChange.MoveQ)
        {
            onQMoving();
        }
        else if (current instanceof final MemberChange.Rename rename)
        {
            onRenamed(rename);
        }
        else if (members.hasFailed(subject))
        {
            problem = new BlockDeviceException("device " + subject + " failed when its superblocks were written: " +
                "check it, and the path to it");
            close();
        }
        else if (current instanceof MemberChange.Journal)
        {
            onJournalMoved();
        }
        else
        {
            end();
        }
    }

    private void journal(final MemberChange.Journal journal)
    {
        if (null != journal.device())
        {
            open(journal.device(), journal.id());
        }
        else
        {
            state = State.STORING;
            work.change(device.view().next().journalingOn(null), true);
        }
    }

    /** Entries go to another device, or to members: the device before is not needed any more. */
    private void onJournalMoved()
    {
        final RaidMember before = device.journalDevice().member();
        device.journalDevice().use(subject);
        device.reports().onChanged();
        if (null == before)
        {
            end();
        }
        else
        {
            letGo(before);
        }
    }

    private void rename(final MemberChange.Rename rename)
    {
        final String reason = Renaming.problem(device, null != growth);
        if (null != reason)
        {
            refuse(reason);
            return;
        }
        state = State.STORING;
        device.names().begin(rename.name());
        work.change(device.view().next(), true);
    }

    private void onRenamed(final MemberChange.Rename rename)
    {
        if (null != problem || rename.isWanted().getAsBoolean())
        {
            end();
            return;
        }
        problem = new BlockDeviceException("members had stored the name too late");
        device.names().revert();
        work.change(device.view().next(), true);
    }

    private void resize(final long memberBytes)
    {
        final String reason = work.resize(memberBytes);
        problem = null == reason ? null : new BlockDeviceException(reason);
        end();
    }

    private void replace(final MemberChange.Replace replace)
    {
        final ArrayView view = device.view();
        if (null != view.target())
        {
            refuse("device " + view.member(view.targetSlot()) + " is being replaced by " + view.target() +
                ": wait until it has been, or undo that first");
            return;
        }
        open(replace.device());
    }

    private void remove(final BlockDevice removed)
    {
        final RaidMember member = find(removed);
        final ArrayView view = device.view();
        final int slot = null == member ? -1 : view.slotOf(member);
        if (null == member)
        {
            end();
        }
        else if (slot >= 0 && view.isWritable(slot))
        {
            refuse("device " + member + " is in slot " + slot + " and is " + view.state(slot) +
                ": name the device that replaces it in members instead of it");
        }
        else
        {
            letGo(member);
        }
    }

    private void letGo(final RaidMember member)
    {
        subject = member;
        if (!members.letGo(member))
        {
            close();
            return;
        }
        device.publish(device.view().released(member));
        state = State.ERASING;
        erasures.begin(List.of(member), false, (failures) -> answer());
    }

    private void close()
    {
        members.removeSpare(subject);
        device.publish(device.view().released(subject));
        state = State.CLOSING;
        device.remove(subject);
        device.channels().release(subject, this::answer);
    }

    private void onClosed()
    {
        members.onReleased(subject);
        device.reports().onReleased(subject);
        if (device.view().isComplete())
        {
            device.reports().clear();
        }
        end();
    }

    /** {@return whether a member that was replaced is let go of, or will not be replaced} */
    private boolean endReplacement()
    {
        if (!replacements.isOver())
        {
            return false;
        }
        final Replacement ended = replacements.end();
        if (device.view().slotOf(ended.replaced()) < 0)
        {
            problem = null;
            letGo(ended.replaced());
        }
        else if (members.hasFailed(ended.replacement()))
        {
            replacements.report(ended);
        }
        return true;
    }

    private void fail(final String name)
    {
        final String reason = members.loss().problem(name);
        if (null != reason)
        {
            refuse(reason);
            return;
        }
        state = State.STORING;
        work.fail(members.loss().named(name), "was failed by an operator");
    }

    /**
     * Refuses all changes: the array has failed, or its work ends.
     *
     * @param sentence why.
     */
    void refuseAll(final String sentence)
    {
        if (null != current)
        {
            refuse(sentence);
        }
        state = State.IDLE;
        device.memberChanges().refuse(sentence);
    }
}
