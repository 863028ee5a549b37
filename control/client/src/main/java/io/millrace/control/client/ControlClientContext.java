package io.millrace.control.client;

import io.aeron.CommonContext;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.Terms;
import io.millrace.control.session.SharedSecret;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Settings of an {@link AsyncControlClient} or a {@link ControlClient}. Each has a default that suits a client on the
 * machine of the data plane. One context makes one client. Set up by one thread.
 */
public final class ControlClientContext
{
    /** Stream of the requests when none is given. */
    public static final int REQUEST_STREAM_ID_DEFAULT = 4420;
    /** Time to open the first session in, when none is given: 5 s. */
    public static final long CONNECT_TIMEOUT_DEFAULT_NS = TimeUnit.SECONDS.toNanos(5);
    /** Time for an answer when none is given: 5 s. */
    public static final long CALL_TIMEOUT_DEFAULT_NS = TimeUnit.SECONDS.toNanos(5);
    /** Silence of a data plane after which a session is lost, when none is given: 3 s. */
    public static final long LIVENESS_TIMEOUT_DEFAULT_NS = TimeUnit.SECONDS.toNanos(3);
    /** Time between two attempts to open a session, when none is given: 50 ms. */
    public static final long RECONNECT_DELAY_DEFAULT_NS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Commands that wait for their answers at once, when none is given. */
    public static final int COMMANDS_MAX_DEFAULT = 1024;

    /** Commands that may be outstanding in an {@link AsyncControlClient}, when none is given. */
    public static final int OUTSTANDING_MAX_DEFAULT = 8192;
    /** Events kept for a listener that does not return, when none is given. */
    public static final int EVENTS_MAX_DEFAULT = 65_536;

    private static final long TIMEOUT_MIN_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long TIMEOUT_MAX_NS = TimeUnit.DAYS.toNanos(1);
    private static final long IDLE_MAX_POLLED_NS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long IDLE_MAX_ASYNC_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int COMMANDS_MAX_BOUND = 65_536;
    private static final int QUEUE_MAX_BOUND = 1 << 20;

    private final AtomicBoolean concluded = new AtomicBoolean();
    private String aeronDirectoryName = CommonContext.getAeronDirectoryName();
    private String requestChannel = CommonContext.IPC_CHANNEL;
    private int requestStreamId = REQUEST_STREAM_ID_DEFAULT;
    private String responseChannel;
    private boolean isEncrypted = true;
    private String group;
    private int responseStreamId;
    private long connectTimeoutNs = CONNECT_TIMEOUT_DEFAULT_NS;
    private long callTimeoutNs = CALL_TIMEOUT_DEFAULT_NS;
    private long livenessTimeoutNs = LIVENESS_TIMEOUT_DEFAULT_NS;
    private long reconnectDelayNs = RECONNECT_DELAY_DEFAULT_NS;
    private int commandsMax = COMMANDS_MAX_DEFAULT;
    private SharedSecret secret;
    private String keyName = "";
    private String clientName = "control-client";
    private String dataPlaneName = "";
    private Role role = Role.READ;
    private boolean retryOnReconnect = true;
    private long term;
    private ControlListener listener;
    private Consumer<String> onWarning = (remark) ->
    {
    };
    private Consumer<Command> onExecuted = (command) ->
    {
    };
    private NanoClock clock = SystemNanoClock.INSTANCE;
    private IdleStrategy idleStrategy;
    private int outstandingMax = OUTSTANDING_MAX_DEFAULT;
    private int eventsMax = EVENTS_MAX_DEFAULT;
    private Executor callbackExecutor = Runnable::run;
    private Consumer<Throwable> onError = ControlClientContext::reportUncaught;
    private ThreadFactory threadFactory = (task) -> Thread.ofPlatform().daemon().name(clientName).unstarted(task);

    /**
     * Makes a context with all defaults.
     */
    public ControlClientContext()
    {
    }

    private static void reportUncaught(final Throwable error)
    {
        final Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
    }

    /** For a client that its caller polls. */
    ControlClientContext conclude()
    {
        return conclude(IDLE_MAX_POLLED_NS);
    }

    /** For a client with a thread, which idles most of the time and is woken by a command. */
    ControlClientContext concludeAsync()
    {
        return conclude(IDLE_MAX_ASYNC_NS);
    }

    /**
     * Checks the settings against their bounds and each other, and fills in what depends on others.
     *
     * @throws ControlSettingException when one is unavailable.
     * @throws IllegalStateException   when it was concluded before.
     */
    private ControlClientContext conclude(final long idleMaxNs)
    {
        if (!concluded.compareAndSet(false, true))
        {
            throw new IllegalStateException("this context was concluded before: make one for each client");
        }
        final boolean isIpc = SettingChecks.channel("requestChannel", requestChannel).isIpc();
        if (null == responseChannel)
        {
            if (!isIpc)
            {
                throw new ControlSettingException("responseChannel", null, "must be given when requests go over UDP",
                    "use aeron:udp?endpoint=ADDRESS:0 with an address of this machine that the data plane reaches");
            }
            responseChannel = CommonContext.IPC_CHANNEL;
        }
        if (isIpc != SettingChecks.channel("responseChannel", responseChannel).isIpc())
        {
            throw new ControlSettingException("responseChannel", responseChannel,
                "must be of the same medium as requestChannel = " + requestChannel, "use IPC or UDP for both");
        }
        if (!isIpc && null == secret)
        {
            throw new ControlSettingException("secret", null, "must be given when requests go over UDP",
                "read one with SharedSecret.read(file)");
        }
        if (null == secret != keyName.isEmpty())
        {
            throw new ControlSettingException("keyName", '"' + keyName + '"',
                null == secret ? "names a secret that was not given" : "must name the secret",
                "give both, secret and name, or none");
        }
        SettingChecks.name("keyName", keyName);
        SettingChecks.name("clientName", clientName);
        SettingChecks.name("dataPlaneName", dataPlaneName);
        if (clientName.isEmpty())
        {
            throw new ControlSettingException("clientName", "\"\"", "must not be empty", "name program and user");
        }
        if (Role.READ != role && Role.OPERATOR != role && Role.ADMIN != role)
        {
            throw new ControlSettingException("role", role, "is invalid", "use READ, OPERATOR or ADMIN");
        }
        checkTimeout("connectTimeoutNs", connectTimeoutNs);
        checkTimeout("callTimeoutNs", callTimeoutNs);
        checkTimeout("livenessTimeoutNs", livenessTimeoutNs);
        SettingChecks.within("reconnectDelayNs", reconnectDelayNs, 0, TIMEOUT_MAX_NS);
        SettingChecks.within("commandsMax", commandsMax, 1, COMMANDS_MAX_BOUND);
        SettingChecks.within("outstandingMax", outstandingMax, 1, QUEUE_MAX_BOUND);
        SettingChecks.within("eventsMax", eventsMax, 1, QUEUE_MAX_BOUND);
        SettingChecks.within("term", term, CommandHeader.DIRECT, Terms.MAX);
        if (null == idleStrategy)
        {
            idleStrategy = new BackoffIdleStrategy(100, 10, TimeUnit.MICROSECONDS.toNanos(1), idleMaxNs);
        }
        return this;
    }

    static void checkTimeout(final String setting, final long value)
    {
        SettingChecks.within(setting, value, TIMEOUT_MIN_NS, TIMEOUT_MAX_NS);
    }

    boolean isEncrypted()
    {
        return isEncrypted;
    }

    /**
     * Sets whether the messages of a session with a secret are encrypted. A data plane may refuse those that are not.
     *
     * @param value true, the default; false: they are authenticated, and everybody on the path can read them.
     * @return this.
     */
    public ControlClientContext encrypted(final boolean value)
    {
        isEncrypted = value;
        return this;
    }

    String group()
    {
        return group;
    }

    /**
     * Sets a group that is trusted with the directory of the media driver, over IPC. Without one a directory that
     * belongs to somebody else than this user or root, or that a group can write, is not used.
     *
     * @param value name of the group, or null.
     * @return this.
     */
    public ControlClientContext group(final String value)
    {
        group = value;
        return this;
    }

    String aeronDirectoryName()
    {
        return aeronDirectoryName;
    }

    /**
     * Sets the directory of the media driver to use.
     *
     * @param value of the media driver; over IPC that of the data plane. Default: that of Aeron.
     * @return this.
     */
    public ControlClientContext aeronDirectoryName(final String value)
    {
        aeronDirectoryName = value;
        return this;
    }

    String requestChannel()
    {
        return requestChannel;
    }

    /**
     * Sets the channel of the requests.
     *
     * @param value that the data plane listens on: {@code aeron:ipc}, the default, or UDP.
     * @return this.
     */
    public ControlClientContext requestChannel(final String value)
    {
        requestChannel = value;
        return this;
    }

    int requestStreamId()
    {
        return requestStreamId;
    }

    /**
     * Sets the stream of the requests.
     *
     * @param value that the data plane listens on. Default: {@link #REQUEST_STREAM_ID_DEFAULT}.
     * @return this.
     */
    public ControlClientContext requestStreamId(final int value)
    {
        requestStreamId = value;
        return this;
    }

    String responseChannel()
    {
        return responseChannel;
    }

    /**
     * Sets the channel of the answers.
     *
     * @param value that the data plane answers on; over UDP an address of this machine, with port 0 for any that
     *              is free. Default over IPC: {@code aeron:ipc}.
     * @return this.
     */
    public ControlClientContext responseChannel(final String value)
    {
        responseChannel = value;
        return this;
    }

    int responseStreamId()
    {
        return responseStreamId;
    }

    /**
     * Sets the stream of the answers.
     *
     * @param value of the answers. Default: 0.
     * @return this.
     */
    public ControlClientContext responseStreamId(final int value)
    {
        responseStreamId = value;
        return this;
    }

    long connectTimeoutNs()
    {
        return connectTimeoutNs;
    }

    /**
     * Sets the time to open the first session in.
     *
     * @param value 1 ms to 1 day, in nanoseconds. Default: {@link #CONNECT_TIMEOUT_DEFAULT_NS}.
     * @return this.
     */
    public ControlClientContext connectTimeoutNs(final long value)
    {
        connectTimeoutNs = value;
        return this;
    }

    long callTimeoutNs()
    {
        return callTimeoutNs;
    }

    /**
     * Sets the time for an answer.
     *
     * @param value from the call to the answer, repeats included; 1 ms to 1 day, in nanoseconds. Default: {@link
     *              #CALL_TIMEOUT_DEFAULT_NS}.
     * @return this.
     */
    public ControlClientContext callTimeoutNs(final long value)
    {
        callTimeoutNs = value;
        return this;
    }

    long livenessTimeoutNs()
    {
        return livenessTimeoutNs;
    }

    /**
     * Sets the silence of the data plane after which a session is lost.
     *
     * @param value 1 ms to 1 day, in nanoseconds. Default: {@link #LIVENESS_TIMEOUT_DEFAULT_NS}.
     * @return this.
     */
    public ControlClientContext livenessTimeoutNs(final long value)
    {
        livenessTimeoutNs = value;
        return this;
    }

    long reconnectDelayNs()
    {
        return reconnectDelayNs;
    }

    /**
     * Sets the time between two attempts to open a session.
     *
     * @param value up to 1 day, in nanoseconds. Default: {@link #RECONNECT_DELAY_DEFAULT_NS}.
     * @return this.
     */
    public ControlClientContext reconnectDelayNs(final long value)
    {
        reconnectDelayNs = value;
        return this;
    }

    int commandsMax()
    {
        return commandsMax;
    }

    /**
     * Sets the commands that wait for their answers at once.
     *
     * @param value 1 to 65536; the data plane may want fewer. What is above waits in the client. Default: {@link
     *              #COMMANDS_MAX_DEFAULT}.
     * @return this.
     */
    public ControlClientContext commandsMax(final int value)
    {
        commandsMax = value;
        return this;
    }

    SharedSecret secret()
    {
        return secret;
    }

    /**
     * Sets the secret that client and data plane prove.
     *
     * @param value that the data plane has under the key name. Needed over UDP. Default: none.
     * @return this.
     */
    public ControlClientContext secret(final SharedSecret value)
    {
        secret = value;
        return this;
    }

    String keyName()
    {
        return keyName;
    }

    /**
     * Sets the name of the secret.
     *
     * @param value under which the data plane knows the secret. Default: none.
     * @return this.
     */
    public ControlClientContext keyName(final String value)
    {
        keyName = value;
        return this;
    }

    String clientName()
    {
        return clientName;
    }

    /**
     * Sets the name in logs and audit.
     *
     * @param value of program and user, 1 to 256 characters. Default: control-client.
     * @return this.
     */
    public ControlClientContext clientName(final String value)
    {
        clientName = value;
        return this;
    }

    String dataPlaneName()
    {
        return dataPlaneName;
    }

    /**
     * Sets the name of the data plane that the session is about.
     *
     * @param value which of a manager's data planes; a data plane takes its own name only. Default: empty, the only
     *              one.
     * @return this.
     */
    public ControlClientContext dataPlaneName(final String value)
    {
        dataPlaneName = value;
        return this;
    }

    Role role()
    {
        return role;
    }

    /**
     * Sets the role that is asked for.
     *
     * @param value what the client wants to do. Default: {@link Role#READ}.
     * @return this.
     */
    public ControlClientContext role(final Role value)
    {
        role = value;
        return this;
    }

    boolean retryOnReconnect()
    {
        return retryOnReconnect;
    }

    /**
     * Sets whether unanswered calls are retried after a reconnect.
     *
     * @param value false: they fail, and the caller decides whether to retry. Default: true.
     * @return this.
     */
    public ControlClientContext retryOnReconnect(final boolean value)
    {
        retryOnReconnect = value;
        return this;
    }

    long term()
    {
        return term;
    }

    /**
     * Sets the term of the manager.
     *
     * @param value of the manager; 0, the default, when it is none.
     * @return this.
     */
    public ControlClientContext term(final long value)
    {
        term = value;
        return this;
    }

    ControlListener listener()
    {
        return listener;
    }

    /**
     * Sets the listener.
     *
     * @param value of events and of the session. When there is one the client subscribes. Default: none.
     * @return this.
     */
    public ControlClientContext listener(final ControlListener value)
    {
        listener = value;
        return this;
    }

    Consumer<String> onWarning()
    {
        return onWarning;
    }

    /**
     * Sets the consumer of warnings in successful answers, such as that a manager has saved a change while the data
     * plane is disconnected. Called within the call that waits for the answer; not for
     * {@linkplain ControlClient#submit submitted} calls.
     *
     * @param value of one sentence each. Default: nobody.
     * @return this.
     */
    public ControlClientContext onWarning(final Consumer<String> value)
    {
        onWarning = value;
        return this;
    }

    Consumer<Command> onExecuted()
    {
        return onExecuted;
    }

    /**
     * Sets the consumer of commands that were carried out. Called within the call that waits for the answer, after the
     * consumer of its warning; not for {@linkplain ControlClient#submit submitted} calls.
     *
     * @param value of commands. Default: nobody.
     * @return this.
     */
    public ControlClientContext onExecuted(final Consumer<Command> value)
    {
        onExecuted = value;
        return this;
    }

    NanoClock clock()
    {
        return clock;
    }

    /**
     * Sets the clock of all time-outs.
     *
     * @param value of all time-outs. Default: that of the system.
     * @return this.
     */
    public ControlClientContext clock(final NanoClock value)
    {
        clock = value;
        return this;
    }

    IdleStrategy idleStrategy()
    {
        return idleStrategy;
    }

    /**
     * Sets how a call waits, or the thread of an {@link AsyncControlClient} when it has nothing to do.
     *
     * @param value between two polls; made for one client. Default: backs off to 100 µs in a call that waits, to 1 ms
     *              on a client's thread, which a command wakes if it is parked.
     * @return this.
     */
    public ControlClientContext idleStrategy(final IdleStrategy value)
    {
        idleStrategy = value;
        return this;
    }

    int outstandingMax()
    {
        return outstandingMax;
    }

    /**
     * Sets how many commands of an {@link AsyncControlClient} may be outstanding.
     *
     * @param value 1 to 1048576; those beyond fail with {@link ControlOverloadedException}. Default: {@link
     *              #OUTSTANDING_MAX_DEFAULT}.
     * @return this.
     */
    public ControlClientContext outstandingMax(final int value)
    {
        outstandingMax = value;
        return this;
    }

    int eventsMax()
    {
        return eventsMax;
    }

    /**
     * Sets how many events are kept for a listener that does not return.
     *
     * @param value 1 to 1048576; those beyond are lost, which {@link ControlListener#onEventsLost(long)} announces.
     *              Default: {@link #EVENTS_MAX_DEFAULT}.
     * @return this.
     */
    public ControlClientContext eventsMax(final int value)
    {
        eventsMax = value;
        return this;
    }

    Executor callbackExecutor()
    {
        return callbackExecutor;
    }

    /**
     * Sets what completes the futures of an {@link AsyncControlClient} and calls its listener, one event at a time and
     * in order. The futures may complete in another order than that of the answers.
     *
     * @param value for callbacks that wait, of several threads if they wait for futures of this client; stays open
     *              until the client is closed. What it rejects runs on the client's thread. Default: that thread.
     * @return this.
     */
    public ControlClientContext callbackExecutor(final Executor value)
    {
        callbackExecutor = value;
        return this;
    }

    Consumer<Throwable> onError()
    {
        return onError;
    }

    /**
     * Sets the consumer of what the listener of an {@link AsyncControlClient} throws, of a callback executor's
     * rejections, and of what ends the client's thread.
     *
     * @param value called on the thread where it happens. Default: the uncaught exception handler of that thread.
     * @return this.
     */
    public ControlClientContext onError(final Consumer<Throwable> value)
    {
        onError = value;
        return this;
    }

    ThreadFactory threadFactory()
    {
        return threadFactory;
    }

    /**
     * Sets what makes the thread of an {@link AsyncControlClient}.
     *
     * @param value of a thread that is not started. Default: a daemon with the name of the client.
     * @return this.
     */
    public ControlClientContext threadFactory(final ThreadFactory value)
    {
        threadFactory = value;
        return this;
    }
}
