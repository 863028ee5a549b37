package io.millrace.manager.config;

import io.millrace.control.session.SharedSecret;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Address of a data plane for its manager. Immutable.
 *
 * @param name            that the manager gives it.
 * @param directory       of the media driver: over IPC that of the data plane, over UDP that of the manager.
 * @param channel         of the requests.
 * @param streamId        of the requests.
 * @param keyName         of the secret; empty: none.
 * @param secret          that both prove; null over IPC without one.
 * @param responseChannel of the answers.
 */
public record PlaneConfig(
    String name,
    Path directory,
    String channel,
    int streamId,
    String keyName,
    SharedSecret secret,
    String responseChannel)
{
    /**
     * Rejects null for required values.
     */
    public PlaneConfig
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(channel, "channel");
        Objects.requireNonNull(keyName, "keyName");
        Objects.requireNonNull(responseChannel, "responseChannel");
    }

    /**
     * {@return where it is, for people}
     */
    public String address()
    {
        return channel.startsWith("aeron:udp") ? channel + " stream " + streamId : directory + " stream " + streamId;
    }
}
