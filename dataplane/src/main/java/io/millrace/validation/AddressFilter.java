package io.millrace.validation;

import java.net.InetAddress;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Addresses that may connect: single ones or prefixes, such as {@code 192.0.2.0/24} or {@code fd00::/8}; all when none
 * is named. Immutable; any thread.
 */
public final class AddressFilter implements Predicate<InetAddress>
{
    /** An IPv4 address of fewer parts has zeros before the last one, which nobody means. */
    private static final Pattern LITERAL = Pattern.compile(
        "(?:[0-9]{1,3}\\.){3}[0-9]{1,3}|[0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    private final List<Prefix> prefixes;

    private record Prefix(byte[] bytes, int bits)
    {
        boolean holds(final byte[] address)
        {
            if (address.length != bytes.length)
            {
                return false;
            }
            for (int bit = 0; bit < bits; bit++)
            {
                final int mask = 0x80 >> (bit & 7);
                if (0 != ((address[bit >> 3] ^ bytes[bit >> 3]) & mask))
                {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Reads them.
     *
     * @param allowed addresses and prefixes as text; empty for all.
     * @throws IllegalArgumentException when one is neither.
     */
    public AddressFilter(final List<String> allowed)
    {
        prefixes = allowed.stream().map(AddressFilter::parse).toList();
    }

    private static Prefix parse(final String text)
    {
        final int slash = text.indexOf('/');
        final String address = slash < 0 ? text : text.substring(0, slash);
        try
        {
            if (!LITERAL.matcher(address).matches())
            {
                throw new IllegalArgumentException("not an address");
            }
            final byte[] bytes = InetAddress.ofLiteral(address).getAddress();
            final int bits = slash < 0 ? bytes.length * Byte.SIZE : Integer.parseInt(text.substring(slash + 1));
            if (bits < 0 || bits > bytes.length * Byte.SIZE)
            {
                throw new IllegalArgumentException("the prefix has " + bits + " bits");
            }
            return new Prefix(bytes, bits);
        }
        catch (final IllegalArgumentException e)
        {
            throw new IllegalArgumentException("allowed address " + text +
                ": must be an address or a prefix such as 192.0.2.0/24 (" + e.getMessage() + ")", e);
        }
    }

    @Override
    public boolean test(final InetAddress address)
    {
        if (prefixes.isEmpty())
        {
            return true;
        }
        final byte[] bytes = address.getAddress();
        for (final Prefix each : prefixes)
        {
            if (each.holds(bytes))
            {
                return true;
            }
        }
        return false;
    }
}
