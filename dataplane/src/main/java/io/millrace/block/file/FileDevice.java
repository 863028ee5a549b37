package io.millrace.block.file;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.CompletionEntry;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.IoUring;
import io.millrace.bindings.linux.IoUringProbe;
import io.millrace.bindings.linux.SubmissionEntry;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceServices;
import io.millrace.block.DeviceStatus;
import io.millrace.block.GrowableDevice;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/**
 * A regular file or block device, accessed with direct I/O through one io_uring per reactor.
 * <p>
 * A write completes when the drive has taken it; it is stable when it was sent with FUA or when a later flush
 * completes. Flush is {@code fdatasync}: the file's size changes only when it is grown, which makes it stable, and the
 * file system's records of where blocks lie are made stable by it too. Where the file system has no direct I/O, writes
 * complete in the page cache; when the kernel fails to write them back, that and all later flushes fail, since it does
 * not try again. Write zeroes and deallocate are {@code
 * fallocate}, where the file system has it; a deallocated range is a hole, whose space another file may take, so that a
 * later write to it can find the disk full.
 */
public final class FileDevice implements GrowableDevice
{
    private static final int PROBE_TRIES = 10_000;
    private static final long PROBE_PARK_NS = 50_000;

    private final FileDeviceConfig config;
    private final BackingFile file;
    private volatile BlockGeometry geometry;
    private volatile int lostWritesErrno;
    private final FileCapabilities capabilities;
    private final Set<String> notes = new LinkedHashSet<>();
    private final RingFactory rings;
    private final FileHealth health;
    private final MemoryRegistry registry;
    private final RegisteredMemory memory;
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private volatile CloseTimeouts closeTimeouts = CloseTimeouts.DEFAULT;

    private FileDevice(
        final FileDeviceConfig config,
        final BackingFile file,
        final BlockGeometry geometry,
        final FileCapabilities capabilities,
        final MemoryRegistry registry,
        final RingFactory rings)
    {
        this.config = config;
        this.file = file;
        this.geometry = geometry;
        this.capabilities = capabilities;
        this.rings = rings;
        health = new FileHealth(config.path().toString());
        this.registry = registry;
        notes.addAll(file.notes());
        memory = new RegisteredMemory(config.name(), this::addNote);
    }

    /**
     * Opens the file, creates or grows it as configured, locks it for this process, and detects its capabilities.
     *
     * @param config of the device.
     * @return the device.
     * @throws BlockDeviceException when the file or io_uring is unavailable as configured.
     */
    public static FileDevice open(final FileDeviceConfig config)
    {
        return open(config, new MemoryRegistry());
    }

    /**
     * As {@link #open(FileDeviceConfig)}, for payload in announced memory.
     *
     * @param config   of the device.
     * @param registry whose buffers are registered with each ring, so that the kernel need not map their pages again
     *                 for each I/O. Other memory works too.
     * @return the device.
     * @throws BlockDeviceException when the file or io_uring is unavailable as configured.
     */
    public static FileDevice open(final FileDeviceConfig config, final MemoryRegistry registry)
    {
        return open(config, registry, UnaryOperator.identity());
    }

    /**
     * As {@link #open(FileDeviceConfig, MemoryRegistry)}, with other capabilities than were found: so that tests cover
     * every strategy on any machine.
     */
    static FileDevice open(
        final FileDeviceConfig config, final MemoryRegistry registry, final UnaryOperator<FileCapabilities> change)
    {
        final RingFactory rings = RingFactory.acquire();
        try
        {
            return open(config, registry, change, rings);
        }
        catch (final RuntimeException e)
        {
            rings.release();
            throw e;
        }
    }

    /**
     * As {@link #open(FileDeviceConfig, MemoryRegistry, UnaryOperator)}, with rings of another factory: so that tests
     * have a model in the place of the kernel.
     *
     * @param rings released when the device is closed, not when this call fails.
     */
    static FileDevice open(
        final FileDeviceConfig config,
        final MemoryRegistry registry,
        final UnaryOperator<FileCapabilities> change,
        final RingFactory rings)
    {
        check(config);
        checkIoUring(config, rings.opener());
        final BackingFile file = BackingFile.open(config);
        try
        {
            final FileCapabilities capabilities = change.apply(new FileCapabilities(
                file.isDirect(),
                findPolling(config, file, rings.opener()),
                ZeroStrategy.ZERO_RANGE,
                DeallocateStrategy.of(file, config.readOnly())));
            // A range of a file can be cloned or copied by the kernel, but not by way of a ring.
            final BlockGeometry geometry = BlockGeometry.builder(
                    config.blockSizeBytes(), file.lengthBytes() / config.blockSizeBytes())
                .memoryAlignmentBytes(file.memoryAlignmentBytes())
                .volatileWriteCache(!config.readOnly())
                .supportsWriteZeroes(!config.readOnly() && ZeroStrategy.NONE != capabilities.zeroStrategy())
                .supportsDeallocate(DeallocateStrategy.NONE != capabilities.deallocateStrategy())
                .deallocatedReadsZero(DeallocateStrategy.PUNCH_HOLE == capabilities.deallocateStrategy())
                .readOnly(config.readOnly())
                .build();
            final long unusedBytes = file.lengthBytes() - geometry.sizeBytes();
            if (0 != unusedBytes)
            {
                file.notes().add("the last " + unusedBytes + " bytes are less than a block and are not used");
            }
            final FileDevice device = new FileDevice(config, file, geometry, capabilities, registry, rings);
            file.keepRecord();
            device.notes.addAll(file.notes());
            registry.addListener(device.memory);
            return device;
        }
        catch (final RuntimeException e)
        {
            file.abandon();
            throw e;
        }
    }

    @Override
    public String name()
    {
        return config.name();
    }

    @Override
    public String location()
    {
        return config.path().toString();
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public DeviceStatus status()
    {
        return health.status();
    }

    @Override
    public void start(final DeviceServices services)
    {
        health.start(services);
    }

    /**
     * {@inheritDoc}
     * The file is grown and its size made stable; a block device is not, but may have been by its own tools.
     */
    @Override
    public void grow(final long sizeBytes)
    {
        final BlockGeometry grown = geometry.grown(config.name(), sizeBytes);
        file.grow(sizeBytes);
        geometry = grown;
    }

    /**
     * {@return whether I/O goes past the page cache}
     */
    public boolean isDirect()
    {
        return capabilities.isDirect();
    }

    /**
     * {@return whether completions are polled from the drive}
     */
    public boolean isPolled()
    {
        return capabilities.isPolled();
    }

    /**
     * Degraded features and their reasons, one sentence each. Grows as channels are opened. Any thread.
     *
     * @return a copy.
     */
    public List<String> notes()
    {
        synchronized (notes)
        {
            return new ArrayList<>(notes);
        }
    }

    /**
     * {@inheritDoc}
     * Rings are made by a thread of their own, since the kernel pins all registered memory for each.
     */
    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        rings.execute(() -> make(context, listener));
    }

    private void make(final ReactorContext context, final OpenListener listener)
    {
        FileDeviceChannel made = null;
        Runnable answer;
        try
        {
            final FileDeviceChannel channel = FileDeviceChannel.make(this, context);
            made = channel;
            answer = () -> attach(channel, listener);
        }
        catch (final RuntimeException e)
        {
            answer = () -> listener.onOpenFailed(refusal(e));
        }
        try
        {
            context.reactor().execute(answer);
        }
        catch (final RejectedExecutionException ended)
        {
            if (null != made)
            {
                made.free();
            }
        }
    }

    private void attach(final FileDeviceChannel channel, final OpenListener listener)
    {
        try
        {
            channel.attach();
        }
        catch (final NativeException e)
        {
            channel.free();
            listener.onOpenFailed(refusal(e));
            return;
        }
        listener.onOpened(channel);
    }

    private BlockDeviceException refusal(final RuntimeException e)
    {
        return new BlockDeviceException("device " + config.name() + ": a ring of queue-depth " +
            config.queueDepth() + " cannot be made (" + e.getMessage() +
            "): lower queue-depth or raise the limits on open files and locked memory", e);
    }

    @Override
    public void close()
    {
        close(false);
    }

    @Override
    public void abandon()
    {
        close(true);
    }

    private void close(final boolean isAbandoned)
    {
        if (isClosed.compareAndSet(false, true))
        {
            registry.removeListener(memory);
            rings.release();
            if (isAbandoned)
            {
                file.abandon();
            }
            else
            {
                file.close();
            }
        }
    }

    CloseTimeouts closeTimeouts()
    {
        return closeTimeouts;
    }

    void closeTimeouts(final CloseTimeouts times)
    {
        closeTimeouts = times;
    }

    FileDeviceConfig config()
    {
        return config;
    }

    /**
     * Gives a channel its descriptor. Of a buffered file each channel has its own: Linux reports data that it failed to
     * write back once for each open file, and each channel has to fail its flushes. Off the reactors.
     *
     * @return open until {@link #releaseDescriptor}.
     * @throws NativeException when none is available.
     */
    int acquireDescriptor()
    {
        return sharesDescriptor() ? file.fd() : file.openAgain();
    }

    /**
     * Takes a channel's descriptor back.
     *
     * @param fd of {@link #acquireDescriptor}.
     */
    void releaseDescriptor(final int fd)
    {
        if (!sharesDescriptor())
        {
            Files.close(fd);
        }
    }

    /** {@return what {@link BackingFile#measure} does} */
    long measure(final long address)
    {
        return file.measure(address);
    }

    private boolean sharesDescriptor()
    {
        return isDirect() || config.readOnly();
    }

    /** {@return errno of a failed sync of a buffered file, after which none succeeds; 0 before. Any thread} */
    int lostWritesErrno()
    {
        return lostWritesErrno;
    }

    /**
     * A sync of the buffered file has failed. On a reactor.
     *
     * @param errno   positive.
     * @param reactor of the channel.
     */
    void onLostWrites(final int errno, final Reactor reactor)
    {
        lostWritesErrno = errno;
        health.onLostWrites(errno, reactor);
    }

    FileHealth health()
    {
        return health;
    }

    RegisteredMemory memory()
    {
        return memory;
    }

    RingFactory rings()
    {
        return rings;
    }

    FileCapabilities capabilities()
    {
        return capabilities;
    }

    void addNote(final String note)
    {
        synchronized (notes)
        {
            notes.add(note);
        }
    }

    private static void check(final FileDeviceConfig config)
    {
        if (0 != config.sizeBytes())
        {
            BlockGeometry.blockCountOf(config.name(), config.sizeBytes(), config.blockSizeBytes());
        }
        else
        {
            BlockGeometry.blockCountOf(config.name(), config.blockSizeBytes(), config.blockSizeBytes());
        }
        if (config.queueDepth() < 1 || config.queueDepth() > FileDeviceConfig.QUEUE_DEPTH_MAX)
        {
            throw new BlockDeviceException("device " + config.name() + ": queue-depth " + config.queueDepth() +
                " is outside 1 to " + FileDeviceConfig.QUEUE_DEPTH_MAX + ": choose one inside");
        }
    }

    private static void checkIoUring(final FileDeviceConfig config, final RingOpener opener)
    {
        try (Ring ring = opener.open(1, false))
        {
            assert !ring.isPolled();
        }
        catch (final NativeException e)
        {
            throw new BlockDeviceException("device " + config.name() + ": io_uring is off (" + e.getMessage() +
                "): set kernel.io_uring_disabled=0, allow it in the container's seccomp profile, or use Linux " +
                IoUringProbe.LINUX_MIN + " or later", e);
        }
    }

    /** {@return longest transfer to poll for; 0 for no polling} */
    private static int findPolling(final FileDeviceConfig config, final BackingFile file, final RingOpener opener)
    {
        if (FileDeviceConfig.Polling.OFF == config.polling())
        {
            return 0;
        }
        // A read of blocks that were never written succeeds without the drive, so the drive is asked first.
        final int polledBytesMax = file.isDirect() ? file.queueAttributes().polledBytesMax() : 0;
        final boolean can = polledBytesMax >= config.blockSizeBytes() && canPoll(config, file, opener);
        if (!can && FileDeviceConfig.Polling.ON == config.polling())
        {
            throw new BlockDeviceException("device " + config.name() + ": polling on is not possible with " +
                config.path() + ": its driver has no poll queues (for NVMe, nvme.poll_queues=1) or the file " +
                "system no polling: " +
                "set polling: auto");
        }
        return can ? polledBytesMax : 0;
    }

    /**
     * Reads a block through a polled ring: drives without poll queues answer {@code EOPNOTSUPP}.
     */
    private static boolean canPoll(final FileDeviceConfig config, final BackingFile file, final RingOpener opener)
    {
        Reactor.checkMayBlock("a look at a drive");
        final DmaMemory memory = DmaMemory.map(config.blockSizeBytes());
        try (Ring ring = opener.open(1, true))
        {
            ring.enable();
            final int length = config.blockSizeBytes();
            SubmissionEntry.set(
                ring.nextEntry(), IoUring.IORING_OP_READ, 0, file.fd(), 0, memory.address(), length, 0, 0, 0);
            for (int i = 0; i < PROBE_TRIES; i++)
            {
                ring.enter();
                final long completion = ring.completion();
                if (0 != completion)
                {
                    final int result = CompletionEntry.result(completion);
                    memory.close();
                    return length == result;
                }
                LockSupport.parkNanos(PROBE_PARK_NS);
            }
            // A drive that has not answered yet may still do so: the memory stays mapped.
            return false;
        }
        catch (final NativeException e)
        {
            memory.close();
            return false;
        }
    }
}
