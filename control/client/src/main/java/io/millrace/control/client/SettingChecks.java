package io.millrace.control.client;

import io.aeron.ChannelUri;

/**
 * Checks of single settings: each throws a {@link ControlSettingException} that names setting, value, bound and remedy.
 * Stateless.
 */
final class SettingChecks
{
    private static final int NAME_LENGTH_MAX = 256;

    private SettingChecks()
    {
    }

    static ChannelUri channel(final String setting, final String value)
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

    static void name(final String setting, final String value)
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

    static void within(final String setting, final long value, final long min, final long max)
    {
        if (value < min || value > max)
        {
            throw new ControlSettingException(
                setting, value, "must be from " + min + " to " + max, "choose a value between");
        }
    }
}
