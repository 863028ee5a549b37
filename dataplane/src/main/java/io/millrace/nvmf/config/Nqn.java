package io.millrace.nvmf.config;

import io.millrace.validation.ResourceValidation;
import java.util.regex.Pattern;

/**
 * NVMe qualified names (NVM Express Base 2.0, section 4.5): {@code nqn.yyyy-mm.reverse.domain[:anything]}, or
 * {@code nqn.2014-08.org.nvmexpress:uuid:} with a UUID; UTF-8, at most 223 bytes. Stateless.
 */
public final class Nqn
{
    /** Most bytes of a name. */
    public static final int LENGTH_BYTES_MAX = ResourceValidation.NQN_LENGTH_BYTES_MAX;
    /** The name every discovery service answers to. */
    public static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

    /** Controls of ASCII and of Latin-1, what turns the direction of writing, and ends of lines and paragraphs. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

    private Nqn()
    {
    }

    /**
     * Validates a name.
     *
     * @param nqn to look at.
     * @return null when it is valid; else what is wrong, the value, the bound and what to write instead, in one line.
     */
    public static String problem(final String nqn)
    {
        final ResourceValidation.Problem problem = ResourceValidation.ofNqn(nqn);
        return null == problem ? null : (null == nqn || nqn.isEmpty() ? "NQN" : "NQN '" + nqn + "'") + " is " +
            problem.bound() + ": " + problem.remedy();
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
     * {@return a name for messages, without characters that would let a remote host write log lines of its own}
     *
     * @param nqn as it came.
     */
    public static String printable(final String nqn)
    {
        return UNPRINTABLE.matcher(nqn).replaceAll("?");
    }
}
