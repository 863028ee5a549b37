package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.GrowableDevice;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.seed.TestSeeds;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A member of an array in memory, for tests: a drive with a volatile write cache that completes requests in any order,
 * loses power together with the others of its {@link PowerSupply}, fails, hangs, and has blocks that cannot be read. It
 * stores some writes at once and others when they are flushed, so that a loss of power may leave any of the versions of
 * a block since the last flush.
 * <p>
 * Everything is drawn from the seed of the power supply. The reactor needs buffers for flushes. Any number of reactors
 * may use it until power is lost, which the reactor of all its channels does.
 */
public final class MemberDisk implements BlockDevice
{
    private static final long CACHE_BYTES_MAX = 64L << 20;
    private static final long SPARSE_BYTES_MIN = 1L << 30;

    private final String name;
    private final GrowableDevice medium;
    /** With the write cache. */
    private final FaultDevice drive;
    private final PowerSupply supply;
    private final Random random;
    private final NavigableSet<Long> badBlocks = new ConcurrentSkipListSet<>();
    /** That were bad before a write which the cache alone may have. */
    private final Set<Long> unstableBlocks = ConcurrentHashMap.newKeySet();
    private final List<MemberChannel> channels = new CopyOnWriteArrayList<>();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong flushes = new AtomicLong();
    private final AtomicLong endedFlushes = new AtomicLong();
    private volatile MemberState state = MemberState.ONLINE;
    private volatile boolean refusesWrites;
    /** After which it fails; none by its number. */
    private volatile long lastRead = -1;
    private boolean isReplaced;

    private MemberDisk(
        final String name, final GrowableDevice medium, final FaultDevice drive, final PowerSupply supply)
    {
        this.name = name;
        this.medium = medium;
        this.drive = drive;
        this.supply = supply;
        random = supply.connect(this);
    }

    /**
     * A new drive, of zeroes, whose cache has room for all of it, of up to 64 MiB.
     *
     * @param name       of the device.
     * @param sizeBytes  of the drive.
     * @param blockBytes of the drive.
     * @param supply     of the power.
     * @return the drive.
     */
    public static MemberDisk create(
        final String name, final long sizeBytes, final int blockBytes, final PowerSupply supply)
    {
        final GrowableDevice medium = sizeBytes > SPARSE_BYTES_MIN ?
            new SparseDevice(name, sizeBytes, blockBytes) : MemoryDevice.create(name, sizeBytes, blockBytes);
        return new MemberDisk(name, medium,
            FaultDevice.wrapBorrowed(name, medium, FaultPlan.NONE, Math.min(sizeBytes, CACHE_BYTES_MAX)), supply);
    }

    /** Makes the drive larger; what is new holds anything but zeroes. Not on a reactor. */
    public void grow(final long sizeBytes)
    {
        grow(medium, sizeBytes);
    }

    /** Makes a device larger; what is new holds anything but zeroes. Not on a reactor. */
    static void grow(final GrowableDevice device, final long sizeBytes)
    {
        final long before = device.geometry().sizeBytes();
        device.grow(sizeBytes);
        fillWithJunk(device, before, sizeBytes);
    }

    /** Has what another user of the drive has left there. Not on a reactor. */
    void fillWithJunk(final long offset, final int length)
    {
        fillWithJunk(medium, offset, offset + length);
    }

    /** Has other bytes on the medium, behind the back of whoever uses it. Not on a reactor. */
    void overwrite(final long offset, final byte[] bytes)
    {
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(medium))
        {
            open.write(offset, bytes);
        }
    }

    /** {@return bytes on the medium} */
    byte[] stored(final long offset, final int length)
    {
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(medium))
        {
            return open.read(offset, length);
        }
    }

    private static void fillWithJunk(final BlockDevice device, final long start, final long end)
    {
        final byte[] junk = new byte[64 << 10];
        TestSeeds.fixed(device.name().hashCode()).nextBytes(junk);
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(device))
        {
            for (long offset = start; offset < end; offset += junk.length)
            {
                open.write(offset, Arrays.copyOf(junk, (int)Math.min(junk.length, end - offset)));
            }
        }
    }

    /**
     * The same drive in its next life: with its content and its bad blocks, in state {@code ONLINE}, with counters of
     * 0. What was in the cache is lost only if the power was cut. The former device is not used any more, and need not
     * be closed.
     *
     * @param next power supply of the next life.
     * @return the drive.
     */
    public MemberDisk restart(final PowerSupply next)
    {
        if (isReplaced || !channels.isEmpty())
        {
            throw new IllegalStateException("member " + name + " was restarted before, or has an open channel");
        }
        isReplaced = true;
        final MemberDisk disk = new MemberDisk(name, medium, drive, next);
        disk.badBlocks.addAll(badBlocks);
        disk.unstableBlocks.addAll(unstableBlocks);
        return disk;
    }

    /** Changes how it answers from the next request that it looks at on; any thread. */
    public void state(final MemberState newState)
    {
        state = newState;
    }

    /** {@return how it answers} */
    public MemberState state()
    {
        return state;
    }

    /** Makes blocks unreadable until each is written; any thread. */
    public void failMedia(final long lba, final int blocks)
    {
        for (long block = lba; block < lba + blocks; block++)
        {
            badBlocks.add(block);
        }
    }

    /** Makes blocks readable again that were not, with what they had; any thread. */
    public void healMedia()
    {
        badBlocks.clear();
        unstableBlocks.clear();
    }

    /** Ends each further request that changes data with an error, and reads on; any thread. */
    public void refuseWrites()
    {
        refusesWrites = true;
    }

    /** Ends requests with an error when it has begun so many reads from now on; any thread. */
    void failAfterReads(final int count)
    {
        lastRead = reads.get() + count;
    }

    boolean refuses(final BlockOperation operation)
    {
        return refusesWrites && operation.changesData();
    }

    /** {@return count of blocks that cannot be read} */
    public int badBlockCount()
    {
        return badBlocks.size();
    }

    /** {@return reads, compares and verifications that the drive has begun in this life} */
    public long reads()
    {
        return reads.get();
    }

    /** {@return requests that change data, without those of a flush, that the drive has begun in this life} */
    public long writes()
    {
        return writes.get();
    }

    /** {@return flushes that the drive has begun in this life} */
    public long flushes()
    {
        return flushes.get();
    }

    /** {@return those that have succeeded} */
    public long endedFlushes()
    {
        return endedFlushes.get();
    }

    /** The drive has begun a request. */
    void count(final BlockOperation operation)
    {
        (BlockOperation.FLUSH == operation ? flushes : operation.changesData() ? writes : reads).incrementAndGet();
        if (lastRead == reads.get())
        {
            state = MemberState.FAILING;
        }
    }

    /** Whether a request reads a bad block. */
    boolean readsBadBlock(final BlockRequest request)
    {
        return switch (request.operation())
        {
            case READ, COMPARE, VERIFY -> hasBadBlock(request.lba(), request.blocks());
            case COPY -> hasBadBlock(request.sourceLba(), request.blocks());
            default -> false;
        };
    }

    private boolean hasBadBlock(final long lba, final int blocks)
    {
        final Long first = badBlocks.ceiling(lba);
        return null != first && first < lba + blocks;
    }

    /** A request that changes data has succeeded. */
    void onWritten(final long lba, final int blocks, final boolean isForced)
    {
        final Set<Long> written = badBlocks.subSet(lba, lba + blocks);
        if (isForced)
        {
            // Whatever the cache has of them: no loss of power leaves a version from before this write.
            unstableBlocks.removeIf((block) -> block >= lba && block < lba + blocks);
        }
        else
        {
            unstableBlocks.addAll(written);
        }
        written.clear();
    }

    /** {@return blocks that a flush which begins now makes stable} */
    Set<Long> unstableBlocks()
    {
        return unstableBlocks.isEmpty() ? Set.of() : Set.copyOf(unstableBlocks);
    }

    /** A flush has succeeded. */
    void onFlushed(final Set<Long> blocks)
    {
        unstableBlocks.removeAll(blocks);
        endedFlushes.incrementAndGet();
    }

    PowerSupply supply()
    {
        return supply;
    }

    Random random()
    {
        return random;
    }

    /** On the reactor of its channels. */
    void losePower()
    {
        channels.forEach((channel) -> channel.tear(random));
        drive.losePower(random.nextLong());
        // They still are, unless their write was stable.
        badBlocks.addAll(unstableBlocks);
        unstableBlocks.clear();
    }

    void remove(final MemberChannel channel)
    {
        channels.remove(channel);
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public BlockGeometry geometry()
    {
        return drive.geometry();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        drive.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                final MemberChannel opened = new MemberChannel(MemberDisk.this, channel, context.reactor());
                channels.add(opened);
                listener.onOpened(opened);
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                listener.onOpenFailed(reason);
            }
        });
    }

    /** Frees the content, unless the drive has another life. */
    @Override
    public void close()
    {
        if (!isReplaced)
        {
            isReplaced = true;
            drive.close();
            medium.close();
        }
    }
}
