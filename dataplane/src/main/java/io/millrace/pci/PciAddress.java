package io.millrace.pci;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address of a PCI function. Immutable; any thread.
 *
 * @param domain   segment group, 0 to 0xFFFFFF.
 * @param bus      0 to 255.
 * @param device   0 to 31.
 * @param function 0 to 7.
 */
public record PciAddress(int domain, int bus, int device, int function) implements Comparable<PciAddress>
{
    private static final Pattern TEXT =
        Pattern.compile("(?:([0-9a-fA-F]{4,6}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\\.([0-7])");
    private static final int DEVICE_MAX = 31;
    private static final int HEX = 16;

    /**
     * Reads an address as the kernel and {@code lspci} write it.
     *
     * @param text such as {@code 0000:01:00.0}, or {@code 01:00.0} in domain 0.
     * @return the address.
     * @throws PciException when it is none.
     */
    public static PciAddress parse(final String text)
    {
        final Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(3), HEX) > DEVICE_MAX)
        {
            throw new PciException("'" + text + "' is not a PCI address: it must be DOMAIN:BUS:DEVICE.FUNCTION, such " +
                "as " +
                "0000:01:00.0");
        }
        final int domain = null == matcher.group(1) ? 0 : Integer.parseInt(matcher.group(1), HEX);
        return new PciAddress(domain, Integer.parseInt(matcher.group(2), HEX),
            Integer.parseInt(matcher.group(3), HEX), Integer.parseInt(matcher.group(4)));
    }

    @Override
    public int compareTo(final PciAddress other)
    {
        int order = Integer.compare(domain, other.domain);
        order = 0 != order ? order : Integer.compare(bus, other.bus);
        order = 0 != order ? order : Integer.compare(device, other.device);
        return 0 != order ? order : Integer.compare(function, other.function);
    }

    /**
     * {@return the address as the kernel writes it, such as {@code 0000:01:00.0}}
     */
    @Override
    public String toString()
    {
        return hex(domain, 4) + ":" + hex(bus, 2) + ":" + hex(device, 2) + "." + function;
    }

    private static String hex(final int value, final int digits)
    {
        final String text = Integer.toHexString(value);
        return "0".repeat(Math.max(0, digits - text.length())) + text;
    }
}
