package io.millrace.control.setting;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * Addresses as people write them: of IPv4, of IPv6 with or without brackets, or the name of a host, which is resolved
 * at once. Blocks while it resolves: for set-up and commands, never for a reactor.
 */
public final class Addresses
{
    /** What an address may be, for messages. */
    public static final String BOUND = "an IP address or a host name";
    private static final Pattern NAME =
        Pattern.compile("(?=.{1,253}\\.?$)[A-Za-z0-9_]([A-Za-z0-9_-]*)(\\.[A-Za-z0-9_][A-Za-z0-9_-]*)*\\.?");
    private static final Pattern DIGITS = Pattern.compile("[0-9.]*");

    private Addresses()
    {
    }

    /**
     * Parses or resolves an address.
     *
     * @param text an address, or the name of a host, of which the first address is taken.
     * @return the address.
     * @throws SettingType.BadValue when it is neither, or the name is unknown.
     */
    public static InetAddress resolve(final String text)
    {
        final boolean isBracketed = text.startsWith("[") && text.endsWith("]");
        try
        {
            return InetAddress.ofLiteral(isBracketed ? text.substring(1, text.length() - 1) : text);
        }
        catch (final IllegalArgumentException _)
        {
            if (isBracketed || DIGITS.matcher(text).matches() || !NAME.matcher(text).matches())
            {
                throw new SettingType.BadValue("neither an IP address nor a host name",
                    "write one such as 127.0.0.1, 0.0.0.0, \"::1\" or storage.example");
            }
        }
        try
        {
            return InetAddress.getByName(text);
        }
        catch (final UnknownHostException _)
        {
            throw new SettingType.BadValue("an unknown host name", "write an IP address, or a name that this machine " +
                "resolves ('getent hosts " + text + "' shows it)");
        }
    }
}
