package io.millrace.nvmf;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * NVMe qualified names (NVM Express Base 2.0, section 4.5): {@code nqn.yyyy-mm.reverse.domain[:anything]}, or
 * {@code nqn.2014-08.org.nvmexpress:uuid:} with a UUID; UTF-8, at most 223 bytes. Stateless.
 */
public final class Nqn
{
    /** Most bytes of a name. */
    public static final int LENGTH_BYTES_MAX = 223;
    /** The name every discovery service answers to. */
    public static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

    private static final String UUID_PREFIX = "nqn.2014-08.org.nvmexpress:uuid:";
    /** Controls of ASCII and of Latin-1, what turns the direction of writing, and ends of lines and paragraphs. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");
    private static final Pattern UUID = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final Pattern DATED = Pattern.compile(
        "nqn\\.[0-9]{4}-(0[1-9]|1[0-2])\\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?" +
        "(\\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*(:[^\\p{Cntrl}]+)?");

    private Nqn()
    {
    }

    /**
     * Says what is wrong with a name.
     *
     * @param nqn to look at.
     * @return null when it is valid; else what is wrong, the value, the bound and what to write instead, in one line.
     */
    public static String problem(final String nqn)
    {
        if (null == nqn || nqn.isEmpty())
        {
            return "NQN is empty: write one such as nqn.2026-11.io.example:vol0";
        }
        final int lengthBytes = nqn.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > LENGTH_BYTES_MAX)
        {
            return "NQN of " + lengthBytes + " bytes is longer than " + LENGTH_BYTES_MAX + ": shorten '" + nqn + "'";
        }
        if (nqn.startsWith(UUID_PREFIX))
        {
            final String uuid = nqn.substring(UUID_PREFIX.length());
            return UUID.matcher(uuid).matches() ? null : "NQN '" + nqn + "' has no UUID behind '" + UUID_PREFIX +
                "': write 32 hexadecimal digits as 8-4-4-4-12";
        }
        return DATED.matcher(nqn).matches() ? null : "NQN '" + nqn +
            "' is not of the form nqn.yyyy-mm.reverse.domain[:name]: write one such as nqn.2026-11.io.example:vol0";
    }

    /**
     * {@return whether a name is valid}
     *
     * @param nqn to look at.
     */
    public static boolean isValid(final String nqn)
    {
        return null == problem(nqn);
    }

    /**
     * Checks a name.
     *
     * @param what is named, for the message.
     * @param nqn  to check.
     * @return the same.
     * @throws IllegalArgumentException with what is named, value, bound and remedy.
     */
    public static String check(final String what, final String nqn)
    {
        final String problem = problem(nqn);
        if (null != problem)
        {
            throw new IllegalArgumentException(what + ": " + problem);
        }
        return nqn;
    }

    /**
     * {@return a name for messages: what a stranger sent must not write lines of its own into a log}
     *
     * @param nqn as it came.
     */
    static String printable(final String nqn)
    {
        return UNPRINTABLE.matcher(nqn).replaceAll("?");
    }
}
