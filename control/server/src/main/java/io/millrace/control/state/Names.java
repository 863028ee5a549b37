package io.millrace.control.state;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * What names and texts of NVMe and of devices have to look like. A test holds it to what the data plane takes.
 * Stateless.
 */
final class Names
{
    static final int NSID_MAX = 16_384;
    static final int ANA_GROUP_MAX = 128;
    static final int DEVICE_LENGTH_MAX = 255;
    static final int SERIAL_LENGTH_MAX = 20;
    static final int MODEL_LENGTH_MAX = 40;
    static final int NQN_LENGTH_BYTES_MAX = 223;
    static final String DISCOVERY_NQN = "nqn.2014-08.org.nvmexpress.discovery";

    private static final String UUID_PREFIX = "nqn.2014-08.org.nvmexpress:uuid:";
    private static final Pattern UUID = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    private static final Pattern DATED = Pattern.compile(
        "nqn\\.\\d{4}-(0[1-9]|1[0-2])(\\.\\p{Alnum}([\\p{Alnum}-]*\\p{Alnum})?)+(:[^\\p{Cntrl}]+)?");

    private static final Pattern DRIVE =
        Pattern.compile("(\\p{XDigit}{4,8}:)?\\p{XDigit}{2}:[01]\\p{XDigit}\\.[0-7]/[1-9][0-9]{0,8}");

    private Names()
    {
    }

    /**
     * {@return whether a text is PCI address and namespace identifier of a drive's namespace}
     *
     * @param target of a device, such as {@code 0000:01:00.0/1}.
     */
    static boolean isDrive(final String target)
    {
        return DRIVE.matcher(target).matches();
    }

    /**
     * {@return what is wrong with an NQN (NVM Express Base 2.0, section 4.5) and what to write instead; null when it is
     * well}
     *
     * @param nqn to look at.
     */
    static String problemOfNqn(final String nqn)
    {
        if (nqn.isEmpty())
        {
            return "NQN is empty: write one such as nqn.2026-11.io.example:vol0";
        }
        final int lengthBytes = nqn.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > NQN_LENGTH_BYTES_MAX)
        {
            return "NQN of " + lengthBytes + " bytes is longer than " + NQN_LENGTH_BYTES_MAX + ": shorten it";
        }
        if (nqn.startsWith(UUID_PREFIX))
        {
            return UUID.matcher(nqn.substring(UUID_PREFIX.length())).matches() ? null :
                "NQN has no UUID behind '" + UUID_PREFIX + "': write 32 hexadecimal digits as 8-4-4-4-12";
        }
        return DATED.matcher(nqn).matches() ? null : "NQN is not of the form nqn.yyyy-mm.reverse.domain[:name]: " +
            "write one such as nqn.2026-11.io.example:vol0";
    }

    /**
     * {@return whether a text is 1 to so many printable ASCII characters}
     *
     * @param text      to look at.
     * @param lengthMax of it.
     */
    static boolean isPrintableAscii(final String text, final int lengthMax)
    {
        return !text.isEmpty() && text.length() <= lengthMax && text.chars().allMatch((c) -> c >= 0x20 && c <= 0x7E);
    }

    /**
     * {@return whether a device can have this name}
     *
     * @param name to look at.
     */
    static boolean isDevice(final String name)
    {
        return !name.isBlank() && name.length() <= DEVICE_LENGTH_MAX && name.chars().noneMatch(Names::isUnprintable);
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
