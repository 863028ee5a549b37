package io.millrace.serve;

import io.millrace.console.Terminal;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.perf.load.LoadConfig;
import io.millrace.perf.load.LoadGenerator;
import io.millrace.perf.load.LoadPattern;
import io.millrace.reactor.Housekeeping;
import io.millrace.reactor.ReactorConfig;
import java.util.List;

/**
 * Drives a small data plane of its own for four seconds, in the process that serves: the JVM's compiler then is done
 * with the I/O paths, also with those of a reactor that sleeps between two commands, before hosts come. Without it the
 * first commands run in the interpreter, several times slower, and it takes a host that asks for little minutes to get
 * a path compiled. Runs on threads of less weight, on CPUs that no reactor has if there are any; it listens on a free
 * port of 127.0.0.1 for one host, whose NQN nobody else can know.
 */
final class WarmUp implements AutoCloseable
{
    private static final String NQN = "nqn.2026-11.io.millrace:warm-up";
    private static final long MEMORY_BYTES = 8L << 20;
    private static final long DEVICE_BYTES = 1L << 20;
    private static final int BLOCK_BYTES = 512;
    private static final int ROUNDS = 4;

    private final Terminal terminal;
    private final Thread thread = Thread.ofPlatform().name("millrace-warm-up").daemon().unstarted(this::run);
    private LoadGenerator generator;
    private boolean closed;

    private WarmUp(final Terminal terminal)
    {
        this.terminal = terminal;
    }

    /**
     * Begins, in the background.
     *
     * @param terminal told when it could not be done.
     * @return to be closed before the data plane is.
     */
    static WarmUp start(final Terminal terminal)
    {
        final WarmUp warmUp = new WarmUp(terminal);
        warmUp.thread.start();
        return warmUp;
    }

    /**
     * Has it end soon when it still runs. Nobody waits for it: it has what others leave, and shares nothing with them.
     */
    @Override
    public void close()
    {
        synchronized (this)
        {
            closed = true;
            if (null != generator)
            {
                generator.stop();
            }
        }
    }

    private void run()
    {
        Housekeeping.lowerPriority();
        final HostConfig host = HostConfig.random();
        try (DataPlane dataPlane = DataPlane.start(config(host)))
        {
            final LoadConfig.Builder load =
                LoadConfig.to(dataPlane.addresses().getFirst().socketAddress(), NQN).host(host);
            // Each has connections of its own: code compiled from one long connection alone would be thrown away by the
            // first one of a host.
            for (int round = 0; round < ROUNDS; round++)
            {
                drive(small(load, 32, 250));
                drive(large(load, 8, 100));
                drive(small(load, 1, 600));
            }
        }
        catch (final RuntimeException e)
        {
            terminal.line(terminal.warn("note: ") + "no warm-up, the first commands take longer: " + e.getMessage());
        }
    }

    private static DataPlaneConfig config(final HostConfig host)
    {
        return new DataPlaneConfig(
            // Sleeps as soon as it can, which a reactor under load never does.
            List.of(new ReactorConfig("warm-up", -1, ReactorConfig.IdleMode.SLEEP, 0)),
            MEMORY_BYTES,
            List.of(DeviceConfig.memory("warm-up", DEVICE_BYTES, BLOCK_BYTES)),
            List.of(new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, false, List.of(host.hostNqn()),
                List.of(new SubsystemSettings.NamespaceSettings(1, "warm-up", null)))),
            List.of(new ListenerSettings(TransportAddress.tcp("127.0.0.1", 0))),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults());
    }

    private void drive(final LoadConfig load)
    {
        try (LoadGenerator mine = new LoadGenerator(load))
        {
            synchronized (this)
            {
                if (closed)
                {
                    return;
                }
                generator = mine;
            }
            mine.run();
        }
        finally
        {
            synchronized (this)
            {
                generator = null;
            }
        }
    }

    /**
     * A load of small commands, reads and writes.
     *
     * @param load       of a target.
     * @param depth      of the queue.
     * @param durationMs of it.
     * @return what to run.
     */
    static LoadConfig small(final LoadConfig.Builder load, final int depth, final long durationMs)
    {
        return mixed(load, 4096, depth, durationMs);
    }

    /**
     * A load of commands whose data travels in PDUs of its own.
     *
     * @param load       of a target.
     * @param depth      of the queue.
     * @param durationMs of it.
     * @return what to run.
     */
    static LoadConfig large(final LoadConfig.Builder load, final int depth, final long durationMs)
    {
        return mixed(load, 128 << 10, depth, durationMs);
    }

    private static LoadConfig mixed(
        final LoadConfig.Builder load, final int sizeBytes, final int depth, final long durationMs)
    {
        return load.pattern(LoadPattern.RANDRW)
            .readPercent(50)
            .sizeBytes(sizeBytes)
            .queues(depth, 1)
            .warmUpMs(0)
            .durationMs(durationMs)
            .build();
    }
}
