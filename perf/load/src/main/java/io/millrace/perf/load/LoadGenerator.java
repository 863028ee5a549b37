package io.millrace.perf.load;

import io.millrace.bindings.NativeMemory;
import io.millrace.dataplane.HostTransports;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryException;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.ControllerState;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.nvmf.initiator.OutagePolicy;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.rdma.HostBuffers;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.CpuAffinity;
import io.millrace.reactor.Housekeeping;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Runs one load. {@link #run()} does everything on the caller's thread, once, and overwrites the configured region;
 * callers that do not own the namespace call {@link #findData()} before. {@link #progress()} and {@link #stop()} are
 * for any thread meanwhile. {@link #close()} frees what it used.
 */
public final class LoadGenerator implements AutoCloseable
{
    private static final long COORDINATION_INTERVAL_NS = 2_000_000;
    /** Each check of a running load takes the CPU from its reactor where the two share one. */
    private static final long LOAD_INTERVAL_NS = 50_000_000;
    private static final long VERIFY_CELLS_MAX = 1L << 28;
    private static final int RANDOM_FILL_BYTES = Long.BYTES;
    /** Time after {@link #stop()} for a target to answer; then outstanding commands are abandoned. */
    private static final long STOP_DRAIN_NS = 1_000_000_000;
    private static final int PROBE_BYTES = 64 << 10;

    private final LoadConfig config;
    private final List<Reactor> reactors = new ArrayList<>();
    private final List<HostPollGroup> groups = new ArrayList<>();
    private Housekeeping housekeeping;
    private volatile List<LoadWorker> workers = List.of();
    private volatile RemoteController controller;
    private volatile LoadPhase phase = LoadPhase.CONNECT;
    private volatile long phaseStartNs = SystemNanoClock.INSTANCE.nanoTime();
    private volatile boolean stopping;
    private volatile long stopNs;
    private NamespaceInfo namespace;
    private DmaMemory memory;
    private final MemoryRegistry registry = new MemoryRegistry();
    private HostBuffers hostBuffers;
    private long bufferAddress;
    private LatencyCollector latencies;
    private volatile String lossReason = "";

    /**
     * Creates a generator; nothing is connected.
     *
     * @param config of the load.
     */
    public LoadGenerator(final LoadConfig config)
    {
        this.config = config;
    }

    /**
     * As {@link #run(LatencyLog)} without a log.
     *
     * @return the results.
     */
    public LoadReport run()
    {
        return run(LatencyLog.none());
    }

    /**
     * Connects, runs all phases and reports. Once; blocks until it is over or {@link #stop()} is called.
     *
     * @param log where latencies of each second go.
     * @return the results.
     * @throws InitiatorException when the target cannot be reached.
     * @throws LoadException      when the target cannot be loaded as configured.
     */
    public LoadReport run(final LatencyLog log)
    {
        latencies = new LatencyCollector(log);
        open();
        if (config.verify() && !config.writes() && !probe().hasMarks(regionBytes()))
        {
            throw new LoadException("namespace " + namespace.nsid() + " of " + config.subsystemNqn() +
                " holds nothing that a verified load wrote, and pattern " + config.pattern() +
                " writes nothing: write it first with pattern write and --verify, or read without --verify");
        }
        if (config.warmUpMs() > 0)
        {
            load(LoadPhase.WARM_UP, config.warmUpMs());
            if (config.operationCount() > 0)
            {
                pass(LoadPhase.DRAIN);
            }
        }
        latencies.begin();
        load(LoadPhase.MEASURE, config.durationMs());
        pass(LoadPhase.DRAIN);
        workers.forEach((worker) -> await(worker.queue().group().reactor().call(() ->
        {
            worker.giveUp();
            return null;
        })));
        latencies.collect(workers);
        if (config.verify() && config.writes())
        {
            pass(LoadPhase.READ_BACK);
        }
        pass(LoadPhase.DRAIN);
        phase = LoadPhase.DONE;
        return report();
    }

    /**
     * Connects, and checks whether a load that writes would overwrite data. Before {@link #run()}; blocks.
     *
     * @return what the region to be written holds, as a clause; empty when the load only reads, or when nothing but
     *     zeroes was found.
     * @throws InitiatorException when the target cannot be reached.
     * @throws LoadException      when the target cannot be loaded as configured.
     */
    public Optional<String> findData()
    {
        open();
        if (!config.writes())
        {
            return Optional.empty();
        }
        final String found = probe().findData(regionBytes());
        fillRandom(bufferAddress, (long)config.queueDepth() * config.sizeBytes());
        return Optional.ofNullable(found).map((clause) -> "namespace " + namespace.nsid() + " of " +
            config.subsystemNqn() + " holds data: " + clause);
    }

    private NamespaceProbe probe()
    {
        final int blockBytes = namespace.blockSizeBytes();
        final long readBytes = Math.min(Math.min(PROBE_BYTES, (long)config.queueDepth() * config.sizeBytes()),
            controller.info().maxTransferBytes());
        return new NamespaceProbe(workers.getFirst().queue(), namespace, bufferAddress,
            Math.max(blockBytes, (int)(readBytes / blockBytes * blockBytes)));
    }

    private void open()
    {
        if (null == controller)
        {
            connect();
            openWorkers();
        }
    }

    private void connect()
    {
        final List<Integer> cpus = config.cpus().isEmpty() ? List.of(-1) : config.cpus();
        final BitSet allowed = Housekeeping.allowed();
        for (final int cpu : config.cpus())
        {
            if (cpu < 0 || !allowed.get(cpu))
            {
                throw new LoadException("CPU " + cpu + ": not among the CPUs this process may run on, " +
                    CpuAffinity.format(allowed) + ": use one of them");
            }
        }
        if (TransportAddress.Type.RDMA == config.transport())
        {
            hostBuffers = new HostBuffers(registry);
        }
        for (final int cpu : cpus)
        {
            // As a data plane's: one that spins for longer takes the CPU from a kernel that moves its packets there.
            final Reactor reactor = new Reactor(ReactorConfig.of("load-" + reactors.size(), cpu));
            reactors.add(reactor);
            reactor.start();
            groups.add(null == hostBuffers ? HostTransports.pollGroup(reactor) :
                HostTransports.pollGroup(reactor, hostBuffers));
        }
        housekeeping = Housekeeping.begin(reactors);
        final ConnectionConfig connection = ConnectionConfig
            .to(config.transport(), config.address(), config.subsystemNqn())
            .queueDepth(config.queueDepth())
            .digests(config.headerDigest(), config.dataDigest())
            .connectTimeoutMs(config.connectTimeoutMs())
            .controllerLossTimeoutMs(config.controllerLossTimeoutMs())
            .outagePolicy(OutagePolicy.WAIT)
            .build();
        controller = await(RemoteController.connect(groups.getFirst(), config.host(), connection,
            new LossListener()));
        if (controller.info().discovery())
        {
            throw new LoadException(config.subsystemNqn() + " is a discovery subsystem, which has no namespaces: " +
                "name an NVM subsystem");
        }
        namespace = findNamespace();
        checkSize();
    }

    private NamespaceInfo findNamespace()
    {
        final List<NamespaceInfo> namespaces = await(controller.namespaces());
        if (namespaces.isEmpty())
        {
            throw new LoadException("subsystem " + config.subsystemNqn() + " has no active namespace: add one");
        }
        if (0 == config.nsid())
        {
            return namespaces.getFirst();
        }
        for (final NamespaceInfo candidate : namespaces)
        {
            if (candidate.nsid() == config.nsid())
            {
                return candidate;
            }
        }
        throw new LoadException("subsystem " + config.subsystemNqn() + " has no namespace " + config.nsid() +
            ": use one of " + namespaces.stream().map((candidate) -> String.valueOf(candidate.nsid())).toList());
    }

    private void checkSize()
    {
        if (0 != config.sizeBytes() % namespace.blockSizeBytes())
        {
            throw new LoadException("size " + config.sizeBytes() + " is not a multiple of the block size " +
                namespace.blockSizeBytes() + " of namespace " + namespace.nsid() + ": use one");
        }
        if (config.sizeBytes() > controller.info().maxTransferBytes())
        {
            throw new LoadException("size " + config.sizeBytes() + " is above the largest transfer of the target, " +
                controller.info().maxTransferBytes() + ": lower it");
        }
        if (namespace.metadataBytes() > 0)
        {
            throw new LoadException("namespace " + namespace.nsid() + " has " + namespace.metadataBytes() +
                " bytes of metadata in each block, which this generator does not make: use another");
        }
        if (config.regionBytes() > namespace.sizeBytes())
        {
            throw new LoadException("region of " + config.regionBytes() + " bytes is larger than namespace " +
                namespace.nsid() + " of " + namespace.sizeBytes() + ": lower it");
        }
        if (namespace.writeProtected() && config.writes())
        {
            throw new LoadException("namespace " + namespace.nsid() +
                " is write-protected: use a pattern that only reads");
        }
    }

    private void openWorkers()
    {
        final long cells = regionBytes() / config.sizeBytes() / config.queues();
        if (0 == cells)
        {
            throw new LoadException("region of " + regionBytes() + " bytes has no room for an I/O of " +
                config.sizeBytes() + " bytes on each of " + config.queues() + " queues: lower size or queues");
        }
        if (config.verify() && config.writes() && cells > VERIFY_CELLS_MAX)
        {
            throw new LoadException("verify of " + cells + " I/Os on a queue is above " + VERIFY_CELLS_MAX +
                ": limit the region");
        }
        final long bytesPerWorker = (long)config.queueDepth() * config.sizeBytes();
        memory = DmaMemory.map(bytesPerWorker * config.queues());
        bufferAddress = memory.allocate(bytesPerWorker * config.queues(), 4096);
        try
        {
            registry.add(memory, MemoryRole.BUFFERS);
        }
        catch (final MemoryException e)
        {
            throw new InitiatorException("no buffers for the load: " + e.getMessage(), e);
        }
        fillRandom(bufferAddress, bytesPerWorker * config.queues());
        final List<LoadWorker> opened = new ArrayList<>();
        for (int i = 0; i < config.queues(); i++)
        {
            final HostPollGroup group = groups.get(i % groups.size());
            final RemoteQueuePair queue = await(controller.openQueuePair(group));
            final int blocksPerCell = config.sizeBytes() / namespace.blockSizeBytes();
            final LoadWorker worker = new LoadWorker(config, queue, new Region(namespace.nsid(),
                i * cells * blocksPerCell, namespace.blockSizeBytes(), blocksPerCell, cells), i,
                bufferAddress + i * bytesPerWorker);
            await(group.reactor().call(() ->
            {
                group.reactor().addPoller(worker);
                return null;
            }));
            opened.add(worker);
        }
        workers = List.copyOf(opened);
    }

    private long regionBytes()
    {
        if (0 != config.regionBytes())
        {
            return config.regionBytes();
        }
        return config.verify() ? Math.min(namespace.sizeBytes(), LoadConfig.VERIFY_REGION_BYTES_DEFAULT) :
            namespace.sizeBytes();
    }

    private void fillRandom(final long address, final long lengthBytes)
    {
        for (long i = 0; i < lengthBytes; i += RANDOM_FILL_BYTES)
        {
            NativeMemory.putLong(address + i, BlockPattern.mix(config.seed() + i));
        }
    }

    private void enter(final LoadPhase next)
    {
        phase = next;
        phaseStartNs = SystemNanoClock.INSTANCE.nanoTime();
        for (final LoadWorker worker : workers)
        {
            worker.phase(next);
        }
    }

    private void load(final LoadPhase next, final long durationMs)
    {
        if (stopping)
        {
            return;
        }
        enter(next);
        while (!allEntered(next))
        {
            LockSupport.parkNanos(COORDINATION_INTERVAL_NS / 10);
        }
        phaseStartNs = SystemNanoClock.INSTANCE.nanoTime();
        final long deadlineNs = phaseStartNs + (0 == durationMs ? Long.MAX_VALUE / 2 : durationMs * 1_000_000L);
        while (!stopping && !allFinished(next) && SystemNanoClock.INSTANCE.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(Math.min(LOAD_INTERVAL_NS,
                Math.max(1, deadlineNs - SystemNanoClock.INSTANCE.nanoTime())));
            if (LoadPhase.MEASURE == next)
            {
                latencies.collectWhenDue(workers);
            }
        }
    }

    private void pass(final LoadPhase next)
    {
        final boolean drains = LoadPhase.DRAIN == next;
        if (stopping && !drains)
        {
            return;
        }
        enter(next);
        while (!allFinished(next) && !(stopping && (!drains || ControllerState.LIVE != controller.state() ||
            SystemNanoClock.INSTANCE.nanoTime() - stopNs > STOP_DRAIN_NS)))
        {
            LockSupport.parkNanos(COORDINATION_INTERVAL_NS);
        }
    }

    private boolean allEntered(final LoadPhase next)
    {
        for (final LoadWorker worker : workers)
        {
            if (!worker.hasEntered(next))
            {
                return false;
            }
        }
        return true;
    }

    private boolean allFinished(final LoadPhase ofPhase)
    {
        for (final LoadWorker worker : workers)
        {
            if (!worker.hasFinished(ofPhase))
            {
                return false;
            }
        }
        return true;
    }

    private LoadReport report()
    {
        long reads = 0;
        long writes = 0;
        long errors = 0;
        long verified = 0;
        long wrong = 0;
        long unmarked = 0;
        long unfinished = 0;
        long longestStallNs = 0;
        long elapsedNs = 0;
        int depth = config.queueDepth();
        double readRate = 0;
        double writeRate = 0;
        for (final LoadWorker worker : workers)
        {
            reads += worker.measuredReads();
            writes += worker.measuredWrites();
            readRate += worker.measuredReads() * 1e9 / Math.max(1, worker.measuredNs());
            writeRate += worker.measuredWrites() * 1e9 / Math.max(1, worker.measuredNs());
            elapsedNs = Math.max(elapsedNs, worker.measuredNs());
            errors += worker.counters().errors();
            verified += worker.counters().verifiedBlocks();
            wrong += worker.counters().verifyFailures();
            unmarked += worker.counters().unmarkedBlocks();
            unfinished += worker.unfinished();
            longestStallNs = Math.max(longestStallNs, worker.counters().longestStallNs());
            depth = Math.min(depth, worker.depth());
        }
        return new LoadReport(config, controller.info(), namespace, depth, elapsedNs,
            operation("read", reads, readRate, latencies.reads()),
            operation("write", writes, writeRate, latencies.writes()),
            operation("total", reads + writes, readRate + writeRate, latencies.all()),
            errors, config.ratePerSecond(), verified, wrong, unmarked, unfinished, longestStallNs,
            controller.reconnectCount(), failures(errors, wrong, unmarked, readRate + writeRate, elapsedNs));
    }

    private OperationReport operation(
        final String name, final long count, final double perSecond, final Histogram histogram)
    {
        return new OperationReport(name, count, perSecond, perSecond * config.sizeBytes(), histogram);
    }

    private List<String> failures(
        final long errors,
        final long wrong,
        final long unmarked,
        final double achievedPerSecond,
        final long elapsedNs)
    {
        final List<String> failures = new ArrayList<>();
        if (ControllerState.LOST == controller.state())
        {
            failures.add("target was lost: " + lossReason);
        }
        if (errors > 0)
        {
            failures.add(errors + " commands failed");
            workers.forEach((worker) -> failures.addAll(worker.messages().errors()));
        }
        if (wrong > 0)
        {
            failures.add(wrong + " blocks do not hold what was written");
        }
        if (unmarked > 0)
        {
            failures.add(unmarked + " blocks lack the mark of a verified write: write them with pattern write and " +
                "--verify first, or use the region that was written");
        }
        if (wrong > 0 || unmarked > 0)
        {
            workers.forEach((worker) -> failures.addAll(worker.messages().wrongBlocks()));
        }
        final long planned = config.ratePerSecond();
        if (0 == config.operationCount() &&
            planned - achievedPerSecond > planned * LoadReport.rateShareMissedMax(elapsedNs))
        {
            failures.add("rate of " + planned + " operations a second was asked for, " +
                Math.round(achievedPerSecond) + " were reached: lower the rate");
        }
        return List.copyOf(failures);
    }

    /**
     * {@return progress of the load; any thread}
     */
    public LoadProgress progress()
    {
        long reads = 0;
        long writes = 0;
        long errors = 0;
        long outstanding = 0;
        long quietNs = 0;
        final long nowNs = SystemNanoClock.INSTANCE.nanoTime();
        for (final LoadWorker worker : workers)
        {
            reads += worker.counters().reads();
            writes += worker.counters().writes();
            errors += worker.counters().errors();
            outstanding += worker.counters().outstanding();
            quietNs = Math.max(quietNs, worker.counters().quietNs(nowNs));
        }
        final LoadPhase current = phase;
        final long plannedNs = switch (current)
        {
            case WARM_UP -> config.warmUpMs() * 1_000_000L;
            case MEASURE -> config.durationMs() * 1_000_000L;
            default -> 0;
        };
        final RemoteController remote = controller;
        return new LoadProgress(current, nowNs - phaseStartNs, plannedNs, reads, writes,
            (reads + writes) * config.sizeBytes(), errors,
            null != remote && ControllerState.LIVE == remote.state(), outstanding, quietNs);
    }

    /**
     * Ends the load early; {@link #run()} reports the results so far. Any thread.
     */
    public void stop()
    {
        stopNs = SystemNanoClock.INSTANCE.nanoTime();
        stopping = true;
    }

    private static <T> T await(final CompletableFuture<T> future)
    {
        try
        {
            return future.join();
        }
        catch (final CompletionException e)
        {
            if (e.getCause() instanceof final InitiatorException cause)
            {
                throw new InitiatorException(cause.getMessage(), cause);
            }
            if (e.getCause() instanceof final RuntimeException cause)
            {
                throw cause;
            }
            throw e;
        }
    }

    /**
     * Disconnects and frees everything. Not on a reactor.
     */
    @Override
    public void close()
    {
        for (final LoadWorker worker : workers)
        {
            worker.remove();
        }
        workers = List.of();
        if (null != controller)
        {
            controller.close();
        }
        groups.forEach(HostPollGroup::close);
        groups.clear();
        if (null != housekeeping)
        {
            housekeeping.close();
        }
        reactors.forEach(Reactor::close);
        reactors.clear();
        if (null != memory)
        {
            memory.close();
            memory = null;
        }
        if (null != hostBuffers)
        {
            hostBuffers.close();
            hostBuffers = null;
        }
    }

    private final class LossListener implements ControllerListener
    {
        @Override
        public void onState(final RemoteController lost, final ControllerState state, final String reason)
        {
            lossReason = reason;
        }
    }
}
