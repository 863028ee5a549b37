package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceProgress;
import io.millrace.block.DeviceServices;
import io.millrace.block.DeviceStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.StripeLocks;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.memory.MemoryRegistry;
import io.millrace.parity.ParityEngineType;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An array: a block device made of others. {@link RaidAssembly} makes it. It serves as soon as channels are opened;
 * failures of members, spares, rebuilding and resynchronization are the business of {@link ArrayWork}, which runs from
 * {@link #start} on. Without that, the first failure of a member is one of the array.
 */
public final class RaidDevice implements BlockDevice
{
    private final String name;
    private final UUID id;
    private final ArrayLayout layout;
    private final BlockGeometry geometry;
    private final List<RaidMember> members;
    private final ParityEngineType engineType;
    private final StripeLocks locks;
    /** Null of an array without redundancy. */
    private final WriteIntent intent;
    private final RepairQueue repairs = new RepairQueue();
    private final Queue<MemberFailure> failures = new ConcurrentLinkedQueue<>();
    private final long bitmapSequence;
    private final RaidTimes times;
    private volatile CopyRates copyRates;
    private final List<HostLoad> hostLoads = new CopyOnWriteArrayList<>();
    private final AtomicLong closedBytes = new AtomicLong();
    private final MetadataPages pages;
    private volatile ArrayView view;
    private volatile DeviceServices services = DeviceServices.NONE;
    private volatile ArrayWork work;
    private volatile boolean hasEnded;
    private volatile String trouble;
    private volatile DeviceProgress progress;

    /**
     * A member failed.
     *
     * @param member of the array.
     * @param reason the end of a sentence that begins with the member.
     */
    record MemberFailure(RaidMember member, String reason)
    {
    }

    /**
     * An array as it was assembled.
     *
     * @param assembled what superblocks say.
     * @param registry  memory registry of the data plane; null without one.
     */
    RaidDevice(final AssembledArray assembled, final MemoryRegistry registry)
    {
        name = assembled.name();
        id = assembled.id();
        layout = assembled.layout();
        geometry = assembled.geometry();
        members = List.copyOf(assembled.members());
        engineType = assembled.engineType();
        view = assembled.view();
        bitmapSequence = assembled.bitmapSequence();
        times = assembled.times();
        copyRates = assembled.copyRates();
        locks = new StripeLocks(layout.memberBytes(), System::nanoTime);
        final boolean isRedundant = layout.level().parityCount() > 0 || layout.copyCount() > 1;
        intent = isRedundant ? new WriteIntent(layout.memberBytes(), this::wake) : null;
        if (isRedundant)
        {
            assembled.dirtyRegions().stream().forEach(intent::assembledDirty);
        }
        trouble = assembled.trouble();
        pages = new MetadataPages(this, registry);
    }

    @Override
    public String name()
    {
        return name;
    }

    /**
     * {@return identifier of the array in superblocks}
     */
    UUID id()
    {
        return id;
    }

    ArrayLayout layout()
    {
        return layout;
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

    RepairQueue repairs()
    {
        return repairs;
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
        for (long left = slots; 0 != left; left &= left - 1)
        {
            view.member(Long.numberOfTrailingZeros(left)).onCorrected();
        }
    }

    /**
     * {@return times that rows which a member could not read were rewritten, since the array was assembled; any thread}
     */
    public long correctedErrors()
    {
        long sum = 0;
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
     * Counts what hosts do through a channel until {@link #remove}.
     *
     * @param load of the channel.
     */
    void add(final HostLoad load)
    {
        hostLoads.add(load);
    }

    void remove(final HostLoad load)
    {
        closedBytes.addAndGet(load.bytes());
        hostLoads.remove(load);
    }

    /**
     * {@return bytes that hosts have read and written so far, as {@link HostLoad} counts them; any thread}
     */
    long hostBytes()
    {
        long bytes = closedBytes.get();
        for (final HostLoad load : hostLoads)
        {
            bytes += load.bytes();
        }
        return bytes;
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
        view = newView;
        services.onStatusChanged();
    }

    /**
     * Says what an operator should know though all members are in sync, or why a rebuild does not go on.
     *
     * @param sentence empty: nothing.
     */
    void trouble(final String sentence)
    {
        if (!sentence.equals(trouble))
        {
            trouble = sentence;
            services.onStatusChanged();
        }
    }

    /**
     * Says how far the array's own work is.
     *
     * @param newProgress null: no operation is running.
     */
    void progress(final DeviceProgress newProgress)
    {
        progress = newProgress;
    }

    /**
     * A member failed a request that it must not fail. Any thread.
     *
     * @param member of the array.
     * @param reason the end of a sentence that begins with the member.
     */
    void onMemberFailed(final RaidMember member, final String reason)
    {
        failures.add(new MemberFailure(member, reason));
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

    /** Superblocks cannot be written: the array must not go on without the member, which would look valid later. */
    private void failWithoutWork()
    {
        final MemberFailure failure = failures.poll();
        final ArrayView present = view;
        final int slot = null == failure ? -1 : present.slotOf(failure.member());
        if (slot >= 0 && present.isWritable(slot) && null == present.failure())
        {
            publish(present.failed("member " + failure.member() + ' ' + failure.reason() +
                ", and superblocks are not written any more: delete and create the device again, or restart the " +
                "data plane"));
        }
    }

    /**
     * {@return the next failure that was reported; null: none}
     */
    MemberFailure nextFailure()
    {
        return failures.poll();
    }

    /**
     * {@return whether nobody sets regions of the bitmap any more: its own work was stopped}
     */
    boolean hasEnded()
    {
        return hasEnded;
    }

    /**
     * {@return whether a failure was reported that {@link #nextFailure} has not returned yet}
     */
    boolean hasFailures()
    {
        return !failures.isEmpty();
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
        final ArrayView present = view;
        if (null != present.failure())
        {
            return new DeviceStatus(DeviceHealth.FAILED, present.failure());
        }
        if (present.isComplete())
        {
            return trouble.isEmpty() ? new DeviceStatus(DeviceHealth.ONLINE, "", progress) :
                new DeviceStatus(DeviceHealth.DEGRADED, trouble, progress);
        }
        return new DeviceStatus(DeviceHealth.DEGRADED, describeSlots(present), progress);
    }

    private String describeSlots(final ArrayView present)
    {
        final StringBuilder text = new StringBuilder();
        for (int slot = 0; slot < layout.memberCount(); slot++)
        {
            if (SlotState.IN_SYNC != present.state(slot))
            {
                text.append(text.isEmpty() ? "slot " : ", slot ").append(slot).append(" (")
                    .append(null == present.member(slot) ? "no member" : present.member(slot)).append(") is ")
                    .append(present.state(slot));
            }
        }
        return trouble.isEmpty() ? text.toString() : text + "; " + trouble;
    }

    @Override
    public void start(final DeviceServices newServices)
    {
        services = newServices;
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
        // Whoever reported one in the meantime waits for a view.
        while (hasFailures())
        {
            failWithoutWork();
        }
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        RaidChannel.open(this, context, listener);
    }

    @Override
    public void close()
    {
        // Members belong to their owner, and superblocks were written by the array's own work.
        pages.close();
    }
}
