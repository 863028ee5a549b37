package io.millrace.control.state;

import io.millrace.validation.ResourceValidation;
import io.millrace.control.setting.Similar;
import java.util.Collection;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Syntax of names and texts of NVMe and of devices. A test compares it with that of the data plane. Stateless.
 */
public final class Names
{
    static final int NSID_MAX = 16_384;
    static final int ANA_GROUP_MAX = 128;
    static final String DISCOVERY_NQN = "nqn.2014-08.org.nvmexpress.discovery";

    private static final int LISTED_MAX = 5;
    private static final Pattern DRIVE =
        Pattern.compile("(\\p{XDigit}{4,8}:)?\\p{XDigit}{2}:[01]\\p{XDigit}\\.[0-7]/[1-9][0-9]{0,8}");

    private Names()
    {
    }

    /**
     * {@return what is wrong with an NQN (NVM Express Base 2.0, section 4.5) and what to write instead; null when it is
     * well}
     *
     * @param nqn to look at.
     */
    static String nqnProblem(final String nqn)
    {
        final ResourceValidation.Problem problem = ResourceValidation.ofNqn(nqn);
        return null == problem ? null : "NQN is " + problem.bound() + ": " + problem.remedy();
    }

    private static boolean isUnprintable(final int c)
    {
        return switch (Character.getType((char)c))
        {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
                Character.PARAGRAPH_SEPARATOR, Character.UNASSIGNED -> true;
            default -> false;
        };
    }

    /**
     * {@return what a message says of a name that does not exist, and which do}
     *
     * @param name     that was written.
     * @param existing names.
     * @param nouns    what the names are of, in the plural.
     */
    public static String missing(final String name, final Collection<String> existing, final String nouns)
    {
        final String near = Similar.nearest(name, existing);
        return "does not exist; " + (null != near ? "did you mean " + near + "?" :
            existing.isEmpty() ? "there are no " + nouns :
            "existing " + nouns + ": " + existing.stream().limit(LISTED_MAX).collect(Collectors.joining(", ")) +
                (existing.size() > LISTED_MAX ? " and " + (existing.size() - LISTED_MAX) + " more" : ""));
    }

    /**
     * {@return a text for messages, without what would break a line or turn the direction of writing}
     *
     * @param text as it came.
     */
    static String printable(final String text)
    {
        final StringBuilder result = new StringBuilder(text.length());
        text.chars().forEach((c) ->
        {
            if (isUnprintable(c))
            {
                result.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            }
            else
            {
                result.append((char)c);
            }
        });
        return result.toString();
    }
}
