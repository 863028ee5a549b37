package io.millrace.control.client;

import io.aeron.ChannelUri;
import io.aeron.CommonContext;
import io.millrace.control.codec.Role;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.Terms;
import io.millrace.control.session.SharedSecret;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Settings of a {@link ControlClient}. Each has a default that suits a client on the machine of the data plane.
 * Concluded once, by {@link ControlClient#connect(ControlClientContext)}; one context makes one client. Set up by one
 * thread.
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

    private static final long TIMEOUT_MIN_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long TIMEOUT_MAX_NS = TimeUnit.DAYS.toNanos(1);
    private static final int COMMANDS_MAX_BOUND = 65_536;
    private static final int NAME_LENGTH_MAX = 256;

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
    private NanoClock clock = SystemNanoClock.INSTANCE;
    private IdleStrategy idleStrategy;

    /**
     * Makes a context with all defaults.
     */
    public ControlClientContext()
    {
    }

    /**
     * Checks the settings against their bounds and each other, and fills in what depends on others.
     *
     * @return this.
     * @throws ControlSettingException when one is unavailable.
     * @throws IllegalStateException   when it was concluded before.
     */
    ControlClientContext conclude()
    {
        if (!concluded.compareAndSet(false, true))
        {
            throw new IllegalStateException("this context was concluded before: make one for each client");
        }
        final boolean isIpc = channel("requestChannel", requestChannel).isIpc();
        if (null == responseChannel)
        {
            if (!isIpc)
            {
                throw new ControlSettingException("responseChannel", null, "must be given when requests go over UDP",
                    "use aeron:udp?endpoint=ADDRESS:0 with an address of this machine that the data plane reaches");
            }
            responseChannel = CommonContext.IPC_CHANNEL;
        }
        if (isIpc != channel("responseChannel", responseChannel).isIpc())
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
        name("keyName", keyName);
        name("clientName", clientName);
        name("dataPlaneName", dataPlaneName);
        if (clientName.isEmpty())
        {
            throw new ControlSettingException("clientName", "\"\"", "must not be empty", "name program and user");
        }
        if (Role.READ != role && Role.OPERATOR != role && Role.ADMIN != role)
        {
            throw new ControlSettingException("role", role, "is invalid", "use READ, OPERATOR or ADMIN");
        }
        within("connectTimeoutNs", connectTimeoutNs, TIMEOUT_MIN_NS, TIMEOUT_MAX_NS);
        within("callTimeoutNs", callTimeoutNs, TIMEOUT_MIN_NS, TIMEOUT_MAX_NS);
        within("livenessTimeoutNs", livenessTimeoutNs, TIMEOUT_MIN_NS, TIMEOUT_MAX_NS);
        within("reconnectDelayNs", reconnectDelayNs, 0, TIMEOUT_MAX_NS);
        within("commandsMax", commandsMax, 1, COMMANDS_MAX_BOUND);
        within("term", term, CommandHeader.DIRECT, Terms.MAX);
        if (null == idleStrategy)
        {
            idleStrategy = new BackoffIdleStrategy(
                100, 10, TimeUnit.MICROSECONDS.toNanos(1), TimeUnit.MICROSECONDS.toNanos(100));
        }
        return this;
    }

    private static ChannelUri channel(final String setting, final String value)
    {
        try
        {
            final ChannelUri uri = ChannelUri.parse(value);
            if (uri.isIpc() || uri.isUdp())
            {
                return uri;
            }
        }
        catch (final IllegalArgumentException _)
        {
            // Said below.
        }
        throw new ControlSettingException(
            setting, value, "is no Aeron channel", "use aeron:ipc or aeron:udp?endpoint=ADDRESS:PORT");
    }

    private static void name(final String setting, final String value)
    {
        if (value.length() > NAME_LENGTH_MAX)
        {
            throw new ControlSettingException(setting, value.length() + " characters",
                "more than " + NAME_LENGTH_MAX, "shorten it");
        }
        for (int i = 0; i < value.length(); i++)
        {
            if (Character.isISOControl(value.charAt(i)) || Character.isSurrogate(value.charAt(i)))
            {
                throw new ControlSettingException(setting, "(not printable)",
                    "has a character at index " + i + " that cannot be sent", "use letters and digits");
            }
        }
    }

    private static void within(final String setting, final long value, final long min, final long max)
    {
        if (value < min || value > max)
        {
            throw new ControlSettingException(
                setting, value, "must be from " + min + " to " + max, "choose a value between");
        }
    }

    /**
     * {@return whether the messages of a session with a secret are encrypted}
     */
    public boolean isEncrypted()
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

    /**
     * {@return group that may write the directory of the media driver; null: none}
     */
    public String group()
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

    /**
     * {@return directory of the media driver to use}
     */
    public String aeronDirectoryName()
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

    /**
     * {@return channel of the requests}
     */
    public String requestChannel()
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

    /**
     * {@return stream of the requests}
     */
    public int requestStreamId()
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

    /**
     * {@return channel of the answers}
     */
    public String responseChannel()
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

    /**
     * {@return stream of the answers; 0: one that no other client of the media driver has}
     */
    public int responseStreamId()
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

    /**
     * {@return time to open the first session in}
     */
    public long connectTimeoutNs()
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

    /**
     * {@return time for an answer}
     */
    public long callTimeoutNs()
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

    /**
     * {@return silence of the data plane after which a session is lost}
     */
    public long livenessTimeoutNs()
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

    /**
     * {@return time between two attempts to open a session}
     */
    public long reconnectDelayNs()
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

    /**
     * {@return commands that wait for their answers at once}
     */
    public int commandsMax()
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

    /**
     * {@return secret that client and data plane prove, or null}
     */
    public SharedSecret secret()
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

    /**
     * {@return name of the secret, or empty}
     */
    public String keyName()
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

    /**
     * {@return name in logs and audit}
     */
    public String clientName()
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

    /**
     * {@return name of the data plane that the session is about; empty: the only one}
     */
    public String dataPlaneName()
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

    /**
     * {@return role that is asked for}
     */
    public Role role()
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

    /**
     * {@return whether unanswered calls are retried after a reconnect}
     */
    public boolean retryOnReconnect()
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

    /**
     * {@return term of the manager, or 0}
     */
    public long term()
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

    /**
     * {@return listener, or null}
     */
    public ControlListener listener()
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

    /**
     * {@return the consumer of warnings}
     */
    public Consumer<String> onWarning()
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

    /**
     * {@return clock of all time-outs}
     */
    public NanoClock clock()
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

    /**
     * {@return how a call waits, null before it is concluded}
     */
    public IdleStrategy idleStrategy()
    {
        return idleStrategy;
    }

    /**
     * Sets how a call waits.
     *
     * @param value between two polls of a call that waits. Default: backs off to 100 µs.
     * @return this.
     */
    public ControlClientContext idleStrategy(final IdleStrategy value)
    {
        idleStrategy = value;
        return this;
    }
}
