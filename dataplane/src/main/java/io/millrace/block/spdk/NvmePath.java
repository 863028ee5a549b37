package io.millrace.block.spdk;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A path to an NVMe controller, as SPDK's JSON-RPC names it. Immutable.
 *
 * @param transport {@code PCIe}, {@code TCP} or {@code RDMA}.
 * @param address   PCI address, or host without brackets.
 * @param family    {@code ipv4} or {@code ipv6}; empty for PCIe.
 * @param port      of the listener; empty for PCIe.
 */
public record NvmePath(String transport, String address, String family, String port)
{
    private static final Pattern LISTENER =
        Pattern.compile("(tcp|rdma)://(?:\\[([0-9a-fA-F:.]+)]|([^:/\\[\\]]+)):(\\d+)");

    /**
     * {@return the path to a drive}
     *
     * @param pciAddress such as {@code 0000:01:00.0}.
     */
    public static NvmePath pcie(final String pciAddress)
    {
        return new NvmePath("PCIe", pciAddress, "", "");
    }

    /**
     * {@return the path to a listener of a target}
     *
     * @param listener such as {@code tcp://192.0.2.1:4420} or {@code rdma://[2001:db8::1]:4420}.
     * @throws IllegalArgumentException if the text is no address of a listener.
     */
    public static NvmePath listener(final String listener)
    {
        final Matcher matcher = LISTENER.matcher(listener);
        if (!matcher.matches())
        {
            throw new IllegalArgumentException(listener + " is no listener: write tcp://HOST:PORT or rdma://HOST:PORT");
        }
        final boolean isIpv6 = null != matcher.group(2);
        return new NvmePath("tcp".equals(matcher.group(1)) ? "TCP" : "RDMA",
            isIpv6 ? matcher.group(2) : matcher.group(3), isIpv6 ? "ipv6" : "ipv4", matcher.group(4));
    }

    boolean isRdma()
    {
        return "RDMA".equals(transport);
    }

    /** Members of a JSON object. */
    String json()
    {
        return "\"trtype\": \"" + transport + "\", \"traddr\": \"" + address + '"' +
            (port.isEmpty() ? "" : ", \"adrfam\": \"" + family + "\", \"trsvcid\": \"" + port + '"');
    }

    @Override
    public String toString()
    {
        return port.isEmpty() ? address : transport + ' ' + address + " port " + port;
    }
}
