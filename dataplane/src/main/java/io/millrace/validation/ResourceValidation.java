package io.millrace.validation;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Validation of names, texts and sizes of resources: shared by configuration files, commands, desired state and the
 * data plane, so that all accept the same values. Each method returns null when a value is valid. Stateless; any
 * thread.
 */
public final class ResourceValidation
{
    /** Most characters of a name. */
    public static final int NAME_LENGTH_MAX = 64;
    /** Most bytes of an NQN. */
    public static final int NQN_LENGTH_BYTES_MAX = 223;
    /** Most characters of a serial number. */
    public static final int SERIAL_LENGTH_MAX = 20;
    /** Most characters of a model number. */
    public static final int MODEL_LENGTH_MAX = 40;
    /** Most characters of a path. */
    public static final int PATH_LENGTH_MAX = 4095;
    /** Smallest size of a device: a block. */
    public static final long SIZE_BYTES_MIN = 512;
    /** Largest size of a device: 8192 TiB, far below what 64 bits of bytes hold. */
    public static final long SIZE_BYTES_MAX = 8192L << 40;

    /** Most rules of a fault device: as many as a message carries. */
    public static final int FAULT_RULES_MAX = 128;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final String UUID_PREFIX = "nqn.2014-08.org.nvmexpress:uuid:";
    private static final Pattern UUID = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final Pattern DATED = Pattern.compile(
        "nqn\\.[0-9]{4}-(0[1-9]|1[0-2])(\\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)+(:.+)?");
    private static final Pattern BLANK_OR_UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Z}]");
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");
    private static final Pattern ASCII = Pattern.compile("[\\x20-\\x7e]*");

    /**
     * The problem of a value.
     *
     * @param bound  that it exceeds, as the end of a sentence that begins with the value and "is".
     * @param remedy what to do instead.
     */
    public record Problem(String bound, String remedy)
    {
    }

    private ResourceValidation()
    {
    }

    /**
     * {@return the problem of the name of a device, or of anything else that is not an NQN; null when it is valid}
     *
     * @param name to check.
     */
    public static Problem ofName(final String name)
    {
        return null != name && NAME.matcher(name).matches() ? null : new Problem(
            "not a name of 1 to " + NAME_LENGTH_MAX + " letters, digits, '.', '_' or '-', a letter or digit first",
            "choose another");
    }

    /**
     * {@return the problem of an NVMe qualified name (NVM Express Base 2.0, section 4.5); null when it is valid} Blanks
     * and unprintable characters are refused: no host uses them, and they break lists and completion.
     *
     * @param nqn to check.
     */
    public static Problem ofNqn(final String nqn)
    {
        if (null == nqn || nqn.isEmpty())
        {
            return new Problem("empty", "write one such as nqn.2026-11.io.example:vol0");
        }
        final int lengthBytes = nqn.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > NQN_LENGTH_BYTES_MAX)
        {
            return new Problem("of " + lengthBytes + " bytes, longer than " + NQN_LENGTH_BYTES_MAX, "shorten it");
        }
        if (BLANK_OR_UNPRINTABLE.matcher(nqn).find())
        {
            return new Problem("with a blank or a character that does not print", "write it without");
        }
        if (nqn.startsWith(UUID_PREFIX))
        {
            return UUID.matcher(nqn.substring(UUID_PREFIX.length())).matches() ? null : new Problem(
                "without a UUID behind '" + UUID_PREFIX + "'", "write 32 hexadecimal digits as 8-4-4-4-12");
        }
        return DATED.matcher(nqn).matches() ? null : new Problem("not of the form nqn.yyyy-mm.reverse.domain[:name]",
            "write one such as nqn.2026-11.io.example:vol0");
    }

    /**
     * {@return the problem of a serial number; null when it is valid}
     *
     * @param serial to check.
     */
    public static Problem ofSerial(final String serial)
    {
        return ofText(serial, SERIAL_LENGTH_MAX);
    }

    /**
     * {@return the problem of a model number; null when it is valid}
     *
     * @param model to check.
     */
    public static Problem ofModel(final String model)
    {
        return ofText(model, MODEL_LENGTH_MAX);
    }

    /**
     * {@return the problem of a text that hosts see; null when it is valid}
     *
     * @param text      to check.
     * @param lengthMax largest length.
     */
    public static Problem ofText(final String text, final int lengthMax)
    {
        return null != text && !text.isBlank() && text.length() <= lengthMax && ASCII.matcher(text).matches() ? null :
            new Problem("not 1 to " + lengthMax + " printable ASCII characters", "shorten or replace it");
    }

    /**
     * {@return the problem of the path of a file or block device; null when it is valid}
     *
     * @param path to check, absolute or not.
     */
    public static Problem ofPath(final String path)
    {
        return null != path && !path.isEmpty() && path.length() <= PATH_LENGTH_MAX &&
            !UNPRINTABLE.matcher(path).find() ? null : new Problem(
                "not a path of 1 to " + PATH_LENGTH_MAX + " printable characters", "name a file or a block device");
    }

    /**
     * {@return the problem of the number of rules of a fault device; null when it is valid}
     *
     * @param count to check.
     */
    public static Problem ofFaultRules(final int count)
    {
        return count <= FAULT_RULES_MAX ? null :
            new Problem("more than " + FAULT_RULES_MAX + " rules, the most that a fault device has", "join some");
    }

    /**
     * {@return whether two listeners cannot have one port: one of them is on every address of the same family}
     *
     * @param first  address of a listener.
     * @param second of another.
     */
    public static boolean overlap(final InetAddress first, final InetAddress second)
    {
        return first.getClass() == second.getClass() && (first.isAnyLocalAddress() || second.isAnyLocalAddress());
    }

    /**
     * {@return the problem of the bytes of a block; null when they are valid}
     *
     * @param blockSizeBytes to check.
     */
    public static Problem ofBlockSize(final int blockSizeBytes)
    {
        return 512 == blockSizeBytes || 4096 == blockSizeBytes ? null :
            new Problem("neither 512 nor 4096", "use one of them");
    }

    /**
     * {@return the problem of the size of a device; null when it is valid}
     *
     * @param sizeBytes      to check.
     * @param blockSizeBytes valid bytes of a block.
     */
    public static Problem ofSize(final long sizeBytes, final int blockSizeBytes)
    {
        if (sizeBytes > SIZE_BYTES_MAX)
        {
            return new Problem("above " + SIZE_BYTES_MAX + " bytes (8192 TiB), the most that a device has",
                "use less");
        }
        if (sizeBytes < blockSizeBytes || 0 != sizeBytes % blockSizeBytes)
        {
            final long lower = sizeBytes / blockSizeBytes * blockSizeBytes;
            return new Problem("not a positive multiple of block-size " + blockSizeBytes,
                "use " + (lower <= 0 ? "" : lower + " or ") + (Math.max(0, lower) + blockSizeBytes));
        }
        return null;
    }
}
