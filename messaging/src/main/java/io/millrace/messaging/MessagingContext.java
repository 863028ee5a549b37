package io.millrace.messaging;

import io.millrace.messaging.rdma.RdmaProbe;
import io.millrace.messaging.rdma.RdmaSizes;
import io.millrace.messaging.transport.LinkSizes;
import io.millrace.messaging.transport.TransportReason;
import io.millrace.messaging.wire.Hello;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.ReactorConfig;
import io.millrace.validation.AddressFilter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Settings of {@link Messaging}, which takes a copy of their values. Not thread-safe.
 */
public final class MessagingContext
{
    /** Default of {@link #messageBytesMax()}: 64 MiB. */
    public static final long MESSAGE_BYTES_MAX_DEFAULT = 64L << 20;
    /** Default of {@link #bulkBytesMax()}: 256 MiB. */
    public static final long BULK_BYTES_MAX_DEFAULT = 256L << 20;
    /** Default of {@link #tcpStreams()}. */
    public static final int TCP_STREAMS_DEFAULT = 4;
    /** Default of {@link #connectTimeoutNs()}: 5 s. */
    public static final long CONNECT_TIMEOUT_NS_DEFAULT = TimeUnit.SECONDS.toNanos(5);
    /** Default of {@link #keepAliveIntervalNs()}: 1 s. */
    public static final long KEEP_ALIVE_INTERVAL_NS_DEFAULT = TimeUnit.SECONDS.toNanos(1);
    /** Default of {@link #keepAliveTimeoutNs()}: 5 s. */
    public static final long KEEP_ALIVE_TIMEOUT_NS_DEFAULT = TimeUnit.SECONDS.toNanos(5);
    /** Default of {@link #reconnectDelayMinNs()}: 100 ms. */
    public static final long RECONNECT_DELAY_MIN_NS_DEFAULT = TimeUnit.MILLISECONDS.toNanos(100);
    /** Default of {@link #reconnectDelayMaxNs()}: 5 s. */
    public static final long RECONNECT_DELAY_MAX_NS_DEFAULT = TimeUnit.SECONDS.toNanos(5);
    /** Default of {@link #connectionsMax()}. */
    public static final int CONNECTIONS_MAX_DEFAULT = 1024;

    private RdmaCore rdmaCore = LinuxRdmaCore.INSTANCE;
    private UnaryOperator<InetSocketAddress> rdmaAddresses = UnaryOperator.identity();
    /** Null: what this machine has. */
    private Supplier<RdmaProbe> modelProbe;
    private String name = "messaging";
    private int cpu = -1;
    private ReactorConfig.IdleMode idle = ReactorConfig.IdleMode.SLEEP;
    private long spinNs = ReactorConfig.SPIN_NS_DEFAULT;
    private RdmaOptions rdma = RdmaOptions.DEFAULT;
    private byte[] secret = {};
    private List<String> allowedAddresses = List.of();
    private MessagingListener listener = MessagingListener.HANDLER_ERRORS;
    private long messageBytesMax = MESSAGE_BYTES_MAX_DEFAULT;
    private long bulkBytesMax = BULK_BYTES_MAX_DEFAULT;
    private int tcpStreams = TCP_STREAMS_DEFAULT;
    private long connectTimeoutNs = CONNECT_TIMEOUT_NS_DEFAULT;
    private long keepAliveIntervalNs = KEEP_ALIVE_INTERVAL_NS_DEFAULT;
    private long keepAliveTimeoutNs = KEEP_ALIVE_TIMEOUT_NS_DEFAULT;
    private boolean reconnects = true;
    private long reconnectDelayMinNs = RECONNECT_DELAY_MIN_NS_DEFAULT;
    private long reconnectDelayMaxNs = RECONNECT_DELAY_MAX_NS_DEFAULT;
    private int connectionsMax = CONNECTIONS_MAX_DEFAULT;
    /** Null: a thread for each probe. */
    private Executor probeThreads;

    /** Makes one with the defaults. */
    public MessagingContext()
    {
    }

    MessagingContext copy()
    {
        if (keepAliveTimeoutNs < 2 * keepAliveIntervalNs)
        {
            throw new IllegalArgumentException("keepAliveTimeoutNs " + keepAliveTimeoutNs +
                ": must be at least twice keepAliveIntervalNs, " + keepAliveIntervalNs);
        }
        if (reconnectDelayMaxNs < reconnectDelayMinNs)
        {
            throw new IllegalArgumentException("reconnectDelayMaxNs " + reconnectDelayMaxNs +
                ": must be at least reconnectDelayMinNs, " + reconnectDelayMinNs);
        }
        final MessagingContext copy = new MessagingContext();
        copy.name = name;
        copy.cpu = cpu;
        copy.rdmaCore = rdmaCore;
        copy.rdmaAddresses = rdmaAddresses;
        copy.modelProbe = modelProbe;
        copy.idle = idle;
        copy.spinNs = spinNs;
        copy.rdma = rdma;
        copy.secret = secret.clone();
        copy.allowedAddresses = allowedAddresses;
        copy.listener = listener;
        copy.messageBytesMax = messageBytesMax;
        copy.bulkBytesMax = bulkBytesMax;
        copy.tcpStreams = tcpStreams;
        copy.connectTimeoutNs = connectTimeoutNs;
        copy.keepAliveIntervalNs = keepAliveIntervalNs;
        copy.keepAliveTimeoutNs = keepAliveTimeoutNs;
        copy.reconnects = reconnects;
        copy.reconnectDelayMinNs = reconnectDelayMinNs;
        copy.reconnectDelayMaxNs = reconnectDelayMaxNs;
        copy.connectionsMax = connectionsMax;
        copy.probeThreads = probeThreads;
        return copy;
    }

    /** Another rdma-core for tests, whose addresses are not those of TCP. */
    MessagingContext model(final RdmaCore core, final UnaryOperator<InetSocketAddress> addresses)
    {
        rdmaCore = core;
        rdmaAddresses = addresses;
        modelProbe = () -> RdmaProbe.of(TransportReason.RDMA_AVAILABLE, core.toString());
        return this;
    }

    /** What tests have the search for a device answer. */
    MessagingContext modelProbe(final RdmaProbe probe)
    {
        modelProbe = () -> probe;
        return this;
    }

    /** Other threads for tests, by which a device is looked for. */
    MessagingContext probeThreads(final Executor threads)
    {
        probeThreads = threads;
        return this;
    }

    Executor probeThreads()
    {
        return null != probeThreads ? probeThreads :
            (task) -> Thread.ofPlatform().daemon().name(name + "-rdma-probe").start(task);
    }

    RdmaCore rdmaCore()
    {
        return rdmaCore;
    }

    InetSocketAddress rdmaAddress(final InetSocketAddress address)
    {
        return rdmaAddresses.apply(address);
    }

    RdmaSizes rdmaSizes()
    {
        return new RdmaSizes(
            sizes(), rdma.sendDepth(), rdma.segments(), rdma.inlineBytes(), rdma.eventChannel(), rdma.settings());
    }

    /** What looks for a device. Any thread but a reactor's. */
    RdmaProbe probe()
    {
        try
        {
            return null == modelProbe ? RdmaProbe.run(rdma.settings()) : modelProbe.get();
        }
        catch (final RuntimeException | Error e)
        {
            // Endpoints wait for the answer: without one they would never connect.
            return RdmaProbe.of(TransportReason.RDMA_FAILED, "looking for a device failed: " + e);
        }
    }

    LinkSizes sizes()
    {
        return new LinkSizes(rdma.slotBytes(), rdma.receiveDepth(), messageBytesMax,
            Math.max(rdma.sendBufferBytes(), 4 * rdma.slotBytes()), bulkBytesMax, tcpStreams, keepAliveTimeoutNs);
    }

    private static long check(final String name, final long value, final long min, final long max)
    {
        if (value < min || value > max)
        {
            throw new IllegalArgumentException(name + " " + value + ": must be " + min + " to " + max);
        }
        return value;
    }

    /**
     * {@return the name of the reactor and its thread}
     */
    public String name()
    {
        return name;
    }

    /**
     * Sets the name of the reactor and its thread.
     *
     * @param value not blank.
     * @return this.
     */
    public MessagingContext name(final String value)
    {
        name = Objects.requireNonNull(value, "name");
        return this;
    }

    /**
     * {@return the CPU that the reactor is pinned to; -1, the default, for none}
     */
    public int cpu()
    {
        return cpu;
    }

    /**
     * Sets the CPU that the reactor is pinned to.
     *
     * @param value CPU, or -1.
     * @return this.
     */
    public MessagingContext cpu(final int value)
    {
        cpu = (int)check("cpu", value, -1, 4095);
        return this;
    }

    /**
     * {@return what the reactor does without work; it sleeps by default}
     */
    public ReactorConfig.IdleMode idle()
    {
        return idle;
    }

    /**
     * Sets what the reactor does without work.
     *
     * @param value mode.
     * @return this.
     */
    public MessagingContext idle(final ReactorConfig.IdleMode value)
    {
        idle = Objects.requireNonNull(value, "idle");
        return this;
    }

    /**
     * {@return how long the reactor spins after the last work before it sleeps, in nanoseconds; 100 µs by default. Not
     * used when it never sleeps}
     */
    public long spinNs()
    {
        return spinNs;
    }

    /**
     * Sets how long the reactor spins after the last work before it sleeps, in nanoseconds. A message that comes later
     * pays for waking the thread.
     *
     * @param value 0 to 1 s.
     * @return this.
     */
    public MessagingContext spinNs(final long value)
    {
        spinNs = check("spinNs", value, 0, TimeUnit.SECONDS.toNanos(1));
        return this;
    }

    /**
     * {@return the settings of RDMA; its queues and buffers are those of TCP connections too}
     */
    public RdmaOptions rdma()
    {
        return rdma;
    }

    /**
     * Sets the settings of RDMA.
     *
     * @param value settings.
     * @return this.
     */
    public MessagingContext rdma(final RdmaOptions value)
    {
        rdma = Objects.requireNonNull(value, "rdma");
        return this;
    }

    /**
     * {@return the listener for logs; by default one that prints errors of handlers}
     */
    public MessagingListener listener()
    {
        return listener;
    }

    /**
     * Sets the listener for logs.
     *
     * @param value listener.
     * @return this.
     */
    public MessagingContext listener(final MessagingListener value)
    {
        listener = Objects.requireNonNull(value, "listener");
        return this;
    }

    /**
     * {@return the largest message that is received, in bytes; 64 MiB by default}
     */
    public long messageBytesMax()
    {
        return messageBytesMax;
    }

    /**
     * Sets the largest message that is received, in bytes.
     *
     * @param value 0 to 1 GiB. What fits a receive slot is always taken.
     * @return this.
     */
    public MessagingContext messageBytesMax(final long value)
    {
        messageBytesMax = check("messageBytesMax", value, 0, Hello.MESSAGE_BYTES_MAX);
        return this;
    }

    /**
     * {@return the memory of a connection for large messages, in bytes, for each direction; 256 MiB by default. One
     * message is possible in any case}
     */
    public long bulkBytesMax()
    {
        return bulkBytesMax;
    }

    /**
     * Sets the memory of a connection for large messages, in bytes, for each direction.
     *
     * @param value 1 and above.
     * @return this.
     */
    public MessagingContext bulkBytesMax(final long value)
    {
        bulkBytesMax = check("bulkBytesMax", value, 1, Long.MAX_VALUE);
        return this;
    }

    /**
     * {@return the streams of a TCP connection that this side makes; 4 by default: one for messages, the others for
     * bulk}
     */
    public int tcpStreams()
    {
        return tcpStreams;
    }

    /**
     * Sets the streams of a TCP connection that this side makes.
     *
     * @param value 1 to 16.
     * @return this.
     */
    public MessagingContext tcpStreams(final int value)
    {
        tcpStreams = (int)check("tcpStreams", value, 1, Hello.STREAMS_MAX);
        return this;
    }

    /**
     * {@return how long an attempt to connect may take, in nanoseconds; 5 s by default}
     */
    public long connectTimeoutNs()
    {
        return connectTimeoutNs;
    }

    /**
     * Sets how long an attempt to connect may take, in nanoseconds.
     *
     * @param value 1 ms and above.
     * @return this.
     */
    public MessagingContext connectTimeoutNs(final long value)
    {
        connectTimeoutNs = check("connectTimeoutNs", value, 1_000_000, Long.MAX_VALUE / 4);
        return this;
    }

    /**
     * {@return how long nothing is sent before a keep-alive frame is, in nanoseconds; 1 s by default}
     */
    public long keepAliveIntervalNs()
    {
        return keepAliveIntervalNs;
    }

    /**
     * Sets how long nothing is sent before a keep-alive frame is, in nanoseconds.
     *
     * @param value 1 ms and above.
     * @return this.
     */
    public MessagingContext keepAliveIntervalNs(final long value)
    {
        keepAliveIntervalNs = check("keepAliveIntervalNs", value, 1_000_000, Long.MAX_VALUE / 4);
        return this;
    }

    /**
     * {@return how long nothing may come from the peer before the connection ends, in nanoseconds; 5 s by default}
     */
    public long keepAliveTimeoutNs()
    {
        return keepAliveTimeoutNs;
    }

    /**
     * Sets how long nothing may come from the peer before the connection ends, in nanoseconds.
     *
     * @param value twice the interval and above.
     * @return this.
     */
    public MessagingContext keepAliveTimeoutNs(final long value)
    {
        keepAliveTimeoutNs = check("keepAliveTimeoutNs", value, 2_000_000, Long.MAX_VALUE / 4);
        return this;
    }

    /**
     * {@return whether endpoints connect again; true by default}
     */
    public boolean reconnects()
    {
        return reconnects;
    }

    /**
     * Sets whether endpoints connect again.
     *
     * @param value false: the endpoint is closed when its connection ends.
     * @return this.
     */
    public MessagingContext reconnects(final boolean value)
    {
        reconnects = value;
        return this;
    }

    /**
     * {@return the delay before the first new attempt to connect, in nanoseconds; 100 ms by default. It doubles with
     * each}
     */
    public long reconnectDelayMinNs()
    {
        return reconnectDelayMinNs;
    }

    /**
     * Sets the delay before the first new attempt to connect, in nanoseconds.
     *
     * @param value 1 ms and above.
     * @return this.
     */
    public MessagingContext reconnectDelayMinNs(final long value)
    {
        reconnectDelayMinNs = check("reconnectDelayMinNs", value, 1_000_000, Long.MAX_VALUE / 4);
        return this;
    }

    /**
     * {@return the largest delay between attempts to connect, in nanoseconds; 5 s by default}
     */
    public long reconnectDelayMaxNs()
    {
        return reconnectDelayMaxNs;
    }

    /**
     * Sets the largest delay between attempts to connect, in nanoseconds.
     *
     * @param value the first delay and above.
     * @return this.
     */
    public MessagingContext reconnectDelayMaxNs(final long value)
    {
        reconnectDelayMaxNs = check("reconnectDelayMaxNs", value, 1_000_000, Long.MAX_VALUE / 4);
        return this;
    }

    /**
     * {@return how many connections listeners take; 1024 by default}
     */
    public int connectionsMax()
    {
        return connectionsMax;
    }

    /**
     * Sets how many connections listeners take.
     *
     * @param value 1 to 1048576.
     * @return this.
     */
    public MessagingContext connectionsMax(final int value)
    {
        connectionsMax = (int)check("connectionsMax", value, 1, 1 << 20);
        return this;
    }

    /**
     * Sets the shared secret; none by default. Only peers with the same secret connect.
     *
     * @param value at least 16 bytes, or none.
     * @return this.
     */
    public MessagingContext secret(final byte[] value)
    {
        if (value.length > 0)
        {
            check("length of the secret", value.length, 16, 4096);
        }
        secret = value.clone();
        return this;
    }

    /**
     * Sets the shared secret to that of a file, such as the one of the control channel.
     *
     * @param file readable by its owner and group alone, with 16 to 1,024 bytes; a line end after the last is none of
     *             them.
     * @return this.
     * @throws IllegalArgumentException when it is missing, open to all users, too short or too long.
     */
    public MessagingContext secretFile(final Path file)
    {
        return secret(SecretFile.read(file));
    }

    byte[] secret()
    {
        return secret;
    }

    /**
     * Sets the addresses that may connect to listeners; all by default.
     *
     * @param value addresses and prefixes, such as {@code 192.0.2.0/24}.
     * @return this.
     * @throws IllegalArgumentException when one is invalid.
     */
    public MessagingContext allowedAddresses(final List<String> value)
    {
        allowedAddresses = List.copyOf(value);
        filter();
        return this;
    }

    AddressFilter filter()
    {
        return new AddressFilter(allowedAddresses);
    }
}
