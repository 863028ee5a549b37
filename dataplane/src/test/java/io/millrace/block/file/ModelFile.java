package io.millrace.block.file;

import io.millrace.memory.MemoryRegistry;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * A file with the caches above it, page cache and drive cache as one, for {@link ModelRing}s: power loss leaves of each
 * block what was stable or something that was written later, block by block. A sync makes stable what was executed
 * before it was handed over; a write with {@code RWF_DSYNC} its own range alone.
 * <p>
 * It has no threads and no time, and draws all chances from the source it was given; its methods exclude each other,
 * so that rings of several reactors may use it.
 */
public final class ModelFile
{
    /** Content of a block that is in the cache only. */
    private record Version(long sequence, byte[] content)
    {
    }

    private final long sizeBytes;
    private final int blockBytes;
    private final RandomGenerator random;
    private final Map<Long, byte[]> stable = new HashMap<>();
    /** Oldest first; ordered, so that a power loss draws in the same order. */
    private final TreeMap<Long, Deque<Version>> cached = new TreeMap<>();
    private final List<ModelRing> rings = new ArrayList<>();
    private ModelFaults faults = ModelFaults.NONE;
    private ModelSchedule schedule;
    private Runnable lostSyncListener = () -> {};
    private boolean isHeld;
    private long sequence;
    /** No sync makes stable what was written up to here: one has failed. */
    private long lostSequence;
    private int syncs;
    private boolean isBuffered;
    /** How often the page cache has lost writes, and how much of that each descriptor's syncs have reported. */
    private int losses;
    private final Map<Integer, Integer> reportedLosses = new HashMap<>();

    /**
     * A file of zeroes.
     *
     * @param sizeBytes  multiple of the block size.
     * @param blockBytes what is written whole or not at all when power is lost.
     * @param random     source of all chances.
     */
    public ModelFile(final long sizeBytes, final int blockBytes, final RandomGenerator random)
    {
        this.sizeBytes = sizeBytes;
        this.blockBytes = blockBytes;
        this.random = random;
    }

    /**
     * Has I/O go through a page cache, which fails to write back without a sync too, and reports each failure once for
     * each descriptor.
     *
     * @return this.
     */
    synchronized ModelFile buffered()
    {
        isBuffered = true;
        return this;
    }

    boolean isBuffered()
    {
        return isBuffered;
    }

    /** Sets who is notified of each sync that fails. */
    synchronized void onLostSync(final Runnable listener)
    {
        lostSyncListener = listener;
    }

    /** {@return rings that are not closed} */
    synchronized int openRings()
    {
        return rings.size();
    }

    /** {@return descriptors that syncs came through} */
    synchronized int syncingDescriptors()
    {
        return reportedLosses.size();
    }

    /**
     * A device on it, whose rings are made on the calling thread unless it is buffered. A sparse file keeps its place
     * and is never written.
     *
     * @param name      of the device.
     * @param directory of the file.
     * @return the device.
     */
    public FileDevice device(final String name, final Path directory)
    {
        return device(name, directory, new MemoryRegistry(), UnaryOperator.identity());
    }

    FileDevice device(
        final String name,
        final Path directory,
        final MemoryRegistry registry,
        final UnaryOperator<FileCapabilities> change)
    {
        final FileDeviceConfig config = FileDeviceConfig.of(name, directory.resolve(name), sizeBytes, blockBytes)
            .withPreallocate(false).withPolling(FileDeviceConfig.Polling.OFF);
        final UnaryOperator<FileCapabilities> all = isBuffered ? (found) -> buffered(change.apply(found)) : change;
        final Executor executor = isBuffered ? Thread::startVirtualThread : Runnable::run;
        return FileDevice.open(config, registry, all, new RingFactory(this::ring, executor));
    }

    private static FileCapabilities buffered(final FileCapabilities found)
    {
        return new FileCapabilities(false, 0, found.zeroStrategy(), found.deallocateStrategy());
    }

    /** Rings that are made from now on go by a schedule; null for steps with each {@link ModelRing#enter()}. */
    synchronized void schedule(final ModelSchedule newSchedule)
    {
        schedule = newSchedule;
    }

    synchronized ModelSchedule schedule()
    {
        return schedule;
    }

    synchronized Ring ring(final int entryCount, final boolean isPolled)
    {
        final ModelRing ring = new ModelRing(this, entryCount, isPolled);
        rings.add(ring);
        return ring;
    }

    synchronized void closed(final ModelRing ring)
    {
        rings.remove(ring);
    }

    public synchronized ModelFaults faults()
    {
        return faults;
    }

    public synchronized void faults(final ModelFaults newFaults)
    {
        faults = newFaults;
    }

    /** While it is held nothing is executed and nothing completed. */
    public synchronized void hold(final boolean isToBeHeld)
    {
        isHeld = isToBeHeld;
    }

    public synchronized boolean isHeld()
    {
        return isHeld;
    }

    /** Syncs that were executed. */
    public synchronized int syncs()
    {
        return syncs;
    }

    /**
     * The machine loses power: what is outstanding is executed for some of its blocks, of what is cached something
     * becomes stable, and the rings never answer again.
     */
    public synchronized void losePower()
    {
        for (final ModelRing ring : rings)
        {
            ring.losePower();
        }
        if (null == schedule)
        {
            rings.clear();
        }
        cached.forEach((block, versions) ->
        {
            final int survivor = random.nextInt(versions.size() + 1) - 1;
            int index = 0;
            for (final Version version : versions)
            {
                if (index == survivor)
                {
                    stable.put(block, version.content());
                }
                index++;
            }
        });
        cached.clear();
    }

    /** Chance of a thousand. */
    boolean isChosen(final int mille)
    {
        return mille > 0 && random.nextInt(1000) < mille;
    }

    int upTo(final int inclusive)
    {
        return 0 == inclusive ? 0 : random.nextInt(inclusive + 1);
    }

    long sequence()
    {
        return sequence;
    }

    int blockBytes()
    {
        return blockBytes;
    }

    boolean contains(final long offset, final long lengthBytes)
    {
        return offset >= 0 && lengthBytes >= 0 && offset <= sizeBytes - lengthBytes;
    }

    /** Reads what was written last, cached or not. */
    synchronized byte[] read(final long offset, final int lengthBytes)
    {
        final byte[] read = new byte[lengthBytes];
        for (int done = 0; done < lengthBytes; done += blockBytes)
        {
            final int length = Math.min(blockBytes, lengthBytes - done);
            System.arraycopy(latest(block(offset + done)), 0, read, done, length);
        }
        return read;
    }

    /** Writes whole blocks into the cache. */
    void write(final long offset, final byte[] data, final int lengthBytes)
    {
        for (int done = 0; done < lengthBytes; done += blockBytes)
        {
            final byte[] content = new byte[blockBytes];
            System.arraycopy(data, done, content, 0, blockBytes);
            put(block(offset + done), content);
        }
    }

    /** As after {@link #write} of some of the blocks. */
    void writeSome(final long offset, final byte[] data)
    {
        for (int done = 0; done < data.length; done += blockBytes)
        {
            if (random.nextBoolean())
            {
                final byte[] content = new byte[blockBytes];
                System.arraycopy(data, done, content, 0, blockBytes);
                put(block(offset + done), content);
            }
        }
    }

    /** Makes stable what the latest write of each block in a range wrote. */
    void syncRange(final long offset, final long lengthBytes)
    {
        for (long done = 0; done < lengthBytes; done += blockBytes)
        {
            final long block = block(offset + done);
            final Deque<Version> versions = cached.remove(block);
            stable.put(block, versions.getLast().content());
        }
    }

    /** Makes stable what was written up to a point. */
    void sync(final long upTo)
    {
        syncs++;
        cached.forEach((block, versions) ->
        {
            Version covered = null;
            for (final Version version : versions)
            {
                covered = version.sequence() <= upTo && version.sequence() > lostSequence ? version : covered;
            }
            if (null != covered)
            {
                final long end = covered.sequence();
                stable.put(block, covered.content());
                versions.removeIf((version) -> version.sequence() <= end);
            }
        });
        cached.values().removeIf(Deque::isEmpty);
    }

    void failSync(final long upTo)
    {
        lostSyncListener.run();
        lostSequence = Math.max(lostSequence, upTo);
        losses++;
    }

    /** Fails to write back what was written so far. */
    synchronized void loseWrites()
    {
        failSync(sequence);
    }

    /** {@return whether a sync of a descriptor is the first one to report a loss} */
    boolean reportsLostWrites(final int fd)
    {
        final Integer reported = reportedLosses.put(fd, losses);
        return losses != (null == reported ? 0 : reported);
    }

    private void put(final long block, final byte[] content)
    {
        cached.computeIfAbsent(block, (number) -> new ArrayDeque<>()).add(new Version(++sequence, content));
    }

    private byte[] latest(final long block)
    {
        final Deque<Version> versions = cached.get(block);
        return null == versions ? stable.getOrDefault(block, new byte[blockBytes]) : versions.getLast().content();
    }

    private long block(final long offset)
    {
        if (0 != offset % blockBytes)
        {
            throw new IllegalStateException("offset " + offset + " is not a multiple of " + blockBytes);
        }
        return offset / blockBytes;
    }
}
