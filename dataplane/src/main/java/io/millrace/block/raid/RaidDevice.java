package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceServices;
import io.millrace.block.DeviceStatus;
import io.millrace.block.GrowableDevice;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.StripeLocks;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.memory.MemoryRegistry;
import io.millrace.parity.ParityEngineType;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.SystemNanoClock;

/**
 * An array: a block device made of others. {@link RaidAssembly} makes it. It serves as soon as channels are opened;
 * failures of members, spares, rebuilding and resynchronization are the business of {@link ArrayWork}, which runs from
 * {@link #start} on. Without that, the first failure of a member is one of the array.
 */
public final class RaidDevice implements GrowableDevice
{
    /** Most reads of a hundred that are hedged, unless it is set. */
    public static final int HEDGE_READS_DEFAULT = HedgeCounts.PERCENT_DEFAULT;

    private final ArrayNames names;
    private final UUID id;
    private volatile BlockGeometry geometry;
    private volatile int slotsMax;
    /** Replaced as a whole. */
    private volatile List<RaidMember> members;
    private final ParityEngineType engineType;
    private final StripeLocks locks;
    /** Null of an array without redundancy. */
    private final WriteIntent intent;
    private final HedgeCounts hedgeCounts = new HedgeCounts();
    private final RepairQueue repairs = new RepairQueue();
    private final WrongReads wrongReads = new WrongReads(this::wake);
    private final ScrubControl scrubControl;
    private final MemberFailures failures = new MemberFailures();
    private final long bitmapSequence;
    private final RaidTimes times;
    private volatile CopyRates copyRates;
    private final WriteGates gates = new WriteGates(this::wake);
    /** Null of an array without parity. */
    private final Journal journal;
    private final JournalMode journalMode;
    private final JournalDevice journalDevice;
    private final boolean isMatched;
    private final RaidChannels channels = new RaidChannels();
    private final MemberChanges memberChanges = new MemberChanges();
    /** Of members that were removed. */
    private volatile long removedErrors;
    private final MetadataPages pages;
    private final List<Replacement> replacements;
    private final Growth growth;
    private volatile ArrayView view;
    private volatile ArrayWork work;
    private volatile boolean hasEnded;
    private final ArrayReports reports;
    private final LostBlockChanges lostBlockChanges;
    private volatile List<RaidMember> spares;
    private final SpareDemand spareDemand;

    /**
     * An array as it was assembled.
     *
     * @param assembled what superblocks say.
     * @param registry  memory registry of the data plane; null without one.
     */
    RaidDevice(final AssembledArray assembled, final MemoryRegistry registry)
    {
        names = new ArrayNames(assembled.name(), assembled.formerNames());
        id = assembled.id();
        final ArrayLayout layout = assembled.view().layout();
        slotsMax = layout.memberCount();
        geometry = assembled.geometry();
        members = List.copyOf(assembled.members());
        engineType = assembled.engineType();
        view = assembled.view();
        spares = members.stream().filter((member) -> !view.isUsed(member)).toList();
        bitmapSequence = assembled.bitmapSequence();
        times = assembled.times();
        copyRates = assembled.copyRates();
        scrubControl = new ScrubControl(assembled.scrubbedMs(), assembled.hasMismatches());
        locks = new StripeLocks(layout.memberBytes(), SystemNanoClock.INSTANCE::nanoTime);
        final boolean isRedundant = layout.parityCount() > 0 || layout.copyCount() > 1;
        intent = isRedundant ? new WriteIntent(layout.memberBytes(), this::wake) : null;
        if (isRedundant)
        {
            assembled.markedRegions().stream().forEach(intent::assembledMarked);
            assembled.dirtyRegions().stream().forEach(intent::assembledDirty);
        }
        journal = layout.parityCount() > 0 ?
            new Journal(JournalEpochs.places(view), this::wake, channels::onProgress) : null;
        journalDevice = assembled.journalDevice();
        journalMode = assembled.journalMode();
        isMatched = assembled.isMatched();
        reports = new ArrayReports(assembled.trouble(), assembled.settings());
        replacements = List.copyOf(assembled.replacements());
        growth = assembled.growth();
        lostBlockChanges = new LostBlockChanges(geometry.blockShift(), this::wake);
        pages = new MetadataPages(this, assembled.unknown(), registry);
        spareDemand = new SpareDemand(this);
    }

    @Override
    public String name()
    {
        return names.name();
    }

    ArrayNames names()
    {
        return names;
    }

    /**
     * {@return identifier of the array in superblocks}
     */
    UUID id()
    {
        return id;
    }

    /**
     * {@return layout of the array, or the one that it has when its reshape has ended}
     */
    ArrayLayout layout()
    {
        return view.layout();
    }

    /** {@return slots of the array, with one that it is going to get} */
    int slotsMax()
    {
        return slotsMax;
    }

    /**
     * The array is going to get another slot. {@link Membership} alone.
     *
     * @param newSlotsMax with that.
     */
    void slotsMax(final int newSlotsMax)
    {
        slotsMax = newSlotsMax;
    }

    @Override
    public long availableBytes()
    {
        return view.map().dataBytes();
    }

    /** Takes the capacity in that it has since its reshape has ended, or members are larger. */
    @Override
    public void grow(final long sizeBytes)
    {
        if (sizeBytes > availableBytes())
        {
            throw new BlockDeviceException("array " + name() + " has " + availableBytes() + " bytes, less than " +
                sizeBytes + ": add a member to it, or make all larger (millrace raid grow)");
        }
        geometry = geometry.grown(name(), sizeBytes);
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public List<BlockDevice> members()
    {
        return members.stream().map(RaidMember::device).toList();
    }

    List<RaidMember> raidMembers()
    {
        return members;
    }

    /**
     * {@return engine that computes its parity; null without parity}
     */
    public ParityEngineType engineType()
    {
        return engineType;
    }

    StripeLocks locks()
    {
        return locks;
    }

    /**
     * {@return the write-intent bitmap; null of an array without redundancy}
     */
    WriteIntent intent()
    {
        return intent;
    }

    /**
     * {@return gates that writes of hosts to members pass}
     */
    WriteGates gates()
    {
        return gates;
    }

    /**
     * {@return the journal; null of an array without parity}
     */
    Journal journal()
    {
        return journal;
    }

    JournalMode journalMode()
    {
        return journalMode;
    }

    /**
     * {@return the device that settings name for the journal}
     */
    JournalDevice journalDevice()
    {
        return journalDevice;
    }

    /**
     * {@return whether parity matched in all regions when it was assembled}
     */
    boolean isMatched()
    {
        return isMatched;
    }

    /**
     * {@return writes that waited for a place in the journal, since the array was assembled; any thread}
     */
    public long journalWaits()
    {
        return null == journal ? 0 : journal.waits();
    }

    /**
     * Sets how many reads may be hedged. Any thread.
     *
     * @param percent of all reads within a strip, 0 to 100; 0: none.
     */
    public void hedgeReads(final int percent)
    {
        hedgeCounts.percent(percent);
    }

    HedgeCounts hedgeCounts()
    {
        return hedgeCounts;
    }

    RepairQueue repairs()
    {
        return repairs;
    }

    WrongReads wrongReads()
    {
        return wrongReads;
    }

    LostBlockChanges lostBlockChanges()
    {
        return lostBlockChanges;
    }

    /**
     * A member could not read: the rows are rewritten later, from the others. Any thread; allocates nothing.
     *
     * @param offset as stripe requests lock it.
     * @param length in bytes.
     */
    void onUnreadable(final long offset, final int length)
    {
        if (repairs.add(offset, length))
        {
            wake();
        }
    }

    /**
     * Rows that members could not read were rewritten. {@link ArrayWork} alone.
     *
     * @param slots of the members, by bit.
     */
    void onRepaired(final long slots)
    {
        final ArrayView present = view;
        // Without a slot that the array has lost since.
        for (long left = slots & -1L >>> -present.slotCount(); 0 != left; left &= left - 1)
        {
            present.member(Long.numberOfTrailingZeros(left)).onCorrected();
        }
    }

    /**
     * {@return times that rows which a member could not read were rewritten, since the array was assembled; any thread}
     */
    public long correctedErrors()
    {
        long sum = removedErrors;
        for (final RaidMember member : members)
        {
            sum += member.correctedErrors();
        }
        return sum;
    }

    /**
     * {@return places that were not repaired when they were read, since too many were waiting; any thread}
     */
    public long droppedRepairs()
    {
        return repairs.dropped();
    }

    ScrubControl scrubControl()
    {
        return scrubControl;
    }

    /**
     * Begins a scrub. Any thread.
     *
     * @param mode of the scrub.
     * @throws BlockDeviceException when it cannot begin: the sentence says why.
     */
    public void scrub(final ScrubMode mode)
    {
        if (null == intent)
        {
            throw new BlockDeviceException("array " + name() + " is RAID 0, which has nothing to compare");
        }
        checkServes();
        if (!scrubControl.request(mode))
        {
            throw new BlockDeviceException("a scrub of array " + name() + " is running: wait for its end, or stop it");
        }
        wake();
    }

    /**
     * Ends a scrub soon. Any thread.
     *
     * @throws BlockDeviceException when none is running.
     */
    public void stopScrub()
    {
        if (!scrubControl.requestStop())
        {
            throw new BlockDeviceException("no scrub of array " + name() + " is running");
        }
        wake();
    }

    /**
     * Sets how old the last complete scrub may become: a check begins then by itself. Any thread.
     *
     * @param intervalMs 0: any age.
     */
    public void scrubIntervalMs(final long intervalMs)
    {
        scrubControl.intervalMs(intervalMs);
        wake();
    }

    private void checkServes()
    {
        final String failure = view.failure();
        if (null != failure || null == work)
        {
            throw new BlockDeviceException("array " + name() + " does not serve: " +
                (null == failure ? "it is being closed" : failure));
        }
    }

    /**
     * {@return replacements that begin anew when the array is started}
     */
    List<Replacement> replacements()
    {
        return replacements;
    }

    /**
     * {@return the growth that begins when the array is started; null: none}
     */
    Growth growth()
    {
        return growth;
    }

    /**
     * {@return what it reports to the data plane}
     */
    ArrayReports reports()
    {
        return reports;
    }

    MetadataPages pages()
    {
        return pages;
    }

    RaidTimes times()
    {
        return times;
    }

    CopyRates copyRates()
    {
        return copyRates;
    }

    /**
     * Sets bounds of the rate of a rebuild or a resync, from its next copy on. Any thread.
     *
     * @param newCopyRates of the array.
     */
    public void copyRates(final CopyRates newCopyRates)
    {
        copyRates = newCopyRates;
    }

    /**
     * {@return channels of all reactors; any thread}
     */
    RaidChannels channels()
    {
        return channels;
    }

    /**
     * {@return bytes that hosts have read and written so far, as {@link HostLoad} counts them; any thread}
     */
    long hostBytes()
    {
        return channels.hostBytes();
    }

    /**
     * A member is there, without a slot. {@link Membership} alone.
     *
     * @param member that channels are opened to from now on.
     */
    void add(final RaidMember member)
    {
        final List<RaidMember> more = new ArrayList<>(members);
        more.add(member);
        members = List.copyOf(more);
    }

    /**
     * A member is not there any more. {@link Membership} alone.
     *
     * @param member that no channel is opened to from now on.
     */
    void remove(final RaidMember member)
    {
        removedErrors += member.correctedErrors();
        members = members.stream().filter((each) -> member != each).toList();
        reports.onChanged();
    }

    /**
     * Changes the members. Any thread; does not block.
     *
     * @param change to make.
     */
    void change(final MemberChange change)
    {
        memberChanges.add(change);
        wake();
        if (null == work)
        {
            memberChanges.refuse("array " + name() + " does no work of its own: restart the data plane");
        }
    }

    /**
     * Fails a member, as if it had failed a write: it is not used again before it is removed and added. Any thread;
     * does not block.
     *
     * @param memberName name of its device.
     * @return done when superblocks say so; completes exceptionally with a
     *     {@link io.millrace.block.BlockDeviceException} when the array would lose data, or has no such member.
     */
    public CompletableFuture<Void> fail(final String memberName)
    {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        change(new MemberChange.Fail(memberName, done));
        return done;
    }

    /**
     * Uses more of the members, which have become larger, when what is new has zeroes. Any thread; does not block.
     *
     * @param memberBytes data of each member in the end; 0: as much as all have room for.
     * @return done when it has begun; completes exceptionally with a {@link io.millrace.block.BlockDeviceException}
     *     when it is refused.
     */
    public CompletableFuture<Void> resizeMembers(final long memberBytes)
    {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        change(new MemberChange.Resize(memberBytes, done));
        return done;
    }

    /**
     * Moves Q of all stripes of a RAID 6 to the last slot, by a reshape. Any thread; does not block.
     *
     * @return done when it has begun; completes exceptionally with a {@link io.millrace.block.BlockDeviceException}
     *     when it is refused.
     */
    public CompletableFuture<Void> moveQ()
    {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        change(new MemberChange.MoveQ(done));
        return done;
    }

    /**
     * Gives its superblocks another name; {@link #takeName} follows. Any thread; does not block.
     *
     * @param newName  valid as that of a device.
     * @param isWanted asked once, on a reactor, when superblocks have it: whether it is still wanted.
     * @return done when superblocks have it; completes exceptionally with a
     *     {@link io.millrace.block.BlockDeviceException} when it is refused, or they have the name before again since
     *     it was not wanted any more.
     */
    public CompletableFuture<Void> rename(final String newName, final BooleanSupplier isWanted)
    {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        change(new MemberChange.Rename(newName, isWanted, done));
        return done;
    }

    /** Has the name of its superblocks from now on. Any thread, one that has {@link #rename renamed} it. */
    public void takeName()
    {
        names.take();
    }

    MemberChanges memberChanges()
    {
        return memberChanges;
    }

    /**
     * {@return number of the last bitmap page when it was assembled}
     */
    long bitmapSequence()
    {
        return bitmapSequence;
    }

    /**
     * {@return the present view; any thread}
     */
    ArrayView view()
    {
        return view;
    }

    /**
     * Publishes a view that the superblocks of its members agree with, or one that has failed.
     *
     * @param newView of the array.
     */
    void publish(final ArrayView newView)
    {
        spareDemand.onView(newView);
        view = newView;
        reports.onChanged();
        channels.onProgress();
    }

    /**
     * {@return the array as it is now, for people; any thread, control path}
     */
    public RaidDetails details()
    {
        return new RaidSnapshot(this).details(reports.leftMs());
    }

    /**
     * {@return a sentence on members that are much larger than what is used of them; empty: there are none; any thread}
     */
    public String sizeNote()
    {
        return MemberGeometries.sizeNote(this);
    }

    List<RaidMember> spares()
    {
        return spares;
    }

    /**
     * {@return whether it lacks a spare, and what takes one that others could have; any thread}
     */
    public SpareDemand spareDemand()
    {
        return spareDemand;
    }

    /**
     * Says which members take the place of those that fail. {@link ArrayWork} alone.
     *
     * @param newSpares in their order.
     */
    void spares(final List<RaidMember> newSpares)
    {
        spares = List.copyOf(newSpares);
    }

    /**
     * A member failed a request that it must not fail. Any thread.
     *
     * @param member of the array.
     * @param reason the end of a sentence that begins with the member.
     */
    void onMemberFailed(final RaidMember member, final String reason)
    {
        failures.add(member, reason);
        final ArrayWork running = work;
        if (null == running)
        {
            failWithoutWork();
        }
        else
        {
            running.wake();
        }
    }

    /**
     * A member failed a request that it must not fail. Any thread.
     *
     * @param member of the array.
     * @param what   it did, the end of a sentence that begins with the member and goes on with the status.
     * @param status that the request ended with.
     */
    void onMemberFailed(final RaidMember member, final String what, final BlockStatus status)
    {
        onMemberFailed(member, what + ' ' + status + (BlockStatus.CAPACITY_EXCEEDED == status ?
            " (no space is left below it: free some before it is used again)" : ""));
    }

    /** Superblocks cannot be written: the array must not go on without the member, which would look valid later. */
    private void failWithoutWork()
    {
        final MemberFailures.Failure failure = failures.next();
        final ArrayView present = view;
        if (null != failure && present.isWritten(failure.member()) && null == present.failure())
        {
            publish(present.failed("member " + failure.member() + ' ' + failure.reason() +
                ", and superblocks are not written any more: delete and create the device again, or restart the " +
                "data plane"));
        }
    }

    /** {@return failures of members that were reported} */
    MemberFailures failures()
    {
        return failures;
    }

    /**
     * {@return whether nobody sets regions of the bitmap any more: its own work was stopped}
     */
    boolean hasEnded()
    {
        return hasEnded;
    }

    /**
     * {@return whether its own work runs, which alone stores superblocks}
     */
    boolean hasWork()
    {
        return null != work;
    }

    boolean isResizing()
    {
        final ArrayWork running = work;
        return null != running && running.isResizing();
    }

    private void wake()
    {
        final ArrayWork running = work;
        if (null != running)
        {
            running.wake();
        }
    }

    @Override
    public DeviceStatus status()
    {
        return new RaidSnapshot(this).status(reports.trouble(), reports.progress());
    }

    @Override
    public void start(final DeviceServices newServices)
    {
        reports.start(newServices);
        final ArrayWork starting = new ArrayWork(this);
        work = starting;
        if (!newServices.run(starting))
        {
            work = null;
        }
    }

    /** The array's own work has ended. */
    void onWorkEnded()
    {
        work = null;
        hasEnded = true;
        memberChanges.refuse("array " + name() + " has been stopped: change it when it is started again");
        // Whoever reported one in the meantime waits for a view.
        while (!failures.isEmpty())
        {
            failWithoutWork();
        }
        channels.onProgress();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        ChannelOpening.open(this, context, listener);
    }

    @Override
    public void close()
    {
        // Members belong to their owner, and superblocks were written by the array's own work.
        pages.close();
    }
}
