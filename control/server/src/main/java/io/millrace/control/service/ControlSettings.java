package io.millrace.control.service;

import io.millrace.control.client.ControlDirectories;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Settings of the control service. Immutable.
 *
 * @param directory  of the media driver, created and removed by it; users with write access may send commands over IPC.
 * @param channel    {@code aeron:ipc}, or {@code aeron:udp?endpoint=ADDRESS:PORT} for commands over UDP besides.
 * @param streamId   of the requests.
 * @param secrets    file with the keys that clients prove; null without UDP: none is known.
 * @param name       that clients see.
 * @param idle       idle strategy of the service's thread.
 * @param encryption of sessions over UDP.
 * @param group      that may use the directory besides the user; null: none.
 */
public record ControlSettings(
    Path directory,
    String channel,
    int streamId,
    Path secrets,
    String name,
    Idle idle,
    Encryption encryption,
    String group)
{
    /** Whether sessions over UDP have to be encrypted. */
    public enum Encryption
    {
        /** Clients that do not encrypt are refused. */
        REQUIRED,
        /** Clients without encryption are accepted; their messages are authenticated, but readable on the network. */
        OPTIONAL
    }

    /** Idle strategy of the service's thread. */
    public enum Idle
    {
        /** Backs off to sleeping 1 ms, and to 10 ms after a second without work. */
        BACK_OFF,
        /** Polls for commands, using a whole core. */
        BUSY_SPIN
    }

    /** Channel that is always listened on. */
    public static final String IPC_CHANNEL = "aeron:ipc";
    /** Stream of the requests when none is given. */
    public static final int STREAM_ID_DEFAULT = 4420;
    /** Name when none is given. */
    public static final String NAME_DEFAULT = ControlDirectories.DATA_PLANE_NAME_DEFAULT;

    private static final Pattern UDP_CHANNEL =
        Pattern.compile("aeron:udp\\?endpoint=(\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-fA-F:]{2,39}]):(\\d{1,5})");
    private static final int PORT_MAX = 0xFFFF;

    /**
     * Rejects null for required values.
     */
    public ControlSettings
    {
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(channel, "channel");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(idle, "idle");
        Objects.requireNonNull(encryption, "encryption");
    }

    /**
     * With a thread that backs off.
     *
     * @param directory  of the media driver.
     * @param channel    of commands over UDP, or {@code aeron:ipc}.
     * @param streamId   of the requests.
     * @param secrets    file with the keys that clients prove; null: none.
     * @param name       that clients see.
     */
    public ControlSettings(
        final Path directory, final String channel, final int streamId, final Path secrets, final String name)
    {
        this(directory, channel, streamId, secrets, name, Idle.BACK_OFF, Encryption.REQUIRED, null);
    }

    /**
     * {@return the directory when none is given: in memory, one for each user, as {@link ControlDirectories} says}
     */
    public static Path directoryDefault()
    {
        return ControlDirectories.dataPlane();
    }

    /**
     * {@return whether commands can be accepted on a channel: {@code aeron:ipc}, or
     * {@code aeron:udp?endpoint=ADDRESS:PORT} with a numeric address}
     *
     * @param channel    to look at.
     */
    public static boolean isChannel(final String channel)
    {
        final Matcher matcher = UDP_CHANNEL.matcher(channel);
        return IPC_CHANNEL.equals(channel) || matcher.matches() && Integer.parseInt(matcher.group(3)) >= 1 &&
            Integer.parseInt(matcher.group(3)) <= PORT_MAX;
    }

    /**
     * {@return whether commands are accepted over UDP, too}
     */
    public boolean isUdp()
    {
        return !IPC_CHANNEL.equals(channel);
    }
}
