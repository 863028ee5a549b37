package io.millrace.cli.local.spdk;

import io.millrace.console.Json;
import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.control.setting.Units;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.SpdkRpc;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What SPDK says of itself and its bdevs. Texts are SPDK's, and its users'. Immutable.
 *
 * @param version of SPDK.
 * @param bdevs   in the order of SPDK.
 */
record SpdkStatus(String version, List<Bdev> bdevs)
{
    /**
     * A bdev.
     *
     * @param name      of the bdev.
     * @param product   kind, such as {@code Malloc disk}.
     * @param blockSize in bytes.
     * @param blocks    count.
     * @param claimed   whether a module of SPDK has it.
     * @param aliases   its other names.
     */
    record Bdev(String name, String product, long blockSize, long blocks, boolean claimed, List<String> aliases)
    {
        private static Bdev of(final Map<?, ?> bdev)
        {
            return new Bdev(text(bdev, "name"), text(bdev, "product_name"), number(bdev, "block_size"),
                number(bdev, "num_blocks"), Boolean.TRUE.equals(bdev.get("claimed")),
                bdev.get("aliases") instanceof final List<?> aliases ?
                    aliases.stream().map((each) -> printable(String.valueOf(each))).toList() : List.of());
        }

        private long sizeBytes()
        {
            return blocks * blockSize;
        }

        private Map<String, Object> json()
        {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("name", name);
            map.put("product", product);
            map.put("block_size_bytes", blockSize);
            map.put("size_bytes", sizeBytes());
            map.put("claimed", claimed);
            map.put("aliases", aliases);
            return map;
        }
    }

    /**
     * {@return the status, asked of SPDK}
     *
     * @param rpc to ask by.
     * @throws RpcException if SPDK does not answer.
     */
    static SpdkStatus ask(final SpdkRpc rpc)
    {
        final String version = rpc.call("spdk_get_version", null) instanceof final Map<?, ?> map ?
            text(map, "version") : "";
        final List<Bdev> bdevs = new ArrayList<>();
        if (rpc.call("bdev_get_bdevs", null) instanceof final List<?> list)
        {
            list.stream().filter(Map.class::isInstance).forEach((each) -> bdevs.add(Bdev.of((Map<?, ?>)each)));
        }
        return new SpdkStatus(version, bdevs);
    }

    private static String text(final Map<?, ?> map, final String key)
    {
        return map.get(key) instanceof final String text ? printable(text) : "";
    }

    /** A terminal obeys control characters. */
    private static String printable(final String text)
    {
        return text.codePoints().mapToObj((c) -> Character.isISOControl(c) ? "?" : Character.toString(c))
            .collect(Collectors.joining());
    }

    private static long number(final Map<?, ?> map, final String key)
    {
        return map.get(key) instanceof final Number number ? number.longValue() : 0;
    }

    /** {@return the status as JSON} */
    String json()
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("version", version);
        map.put("bdevs", bdevs.stream().map(Bdev::json).toList());
        return Json.write(map);
    }

    /**
     * Prints the status.
     *
     * @param terminal to print to.
     */
    void print(final Terminal terminal)
    {
        terminal.line(version + ", " + Units.count(bdevs.size(), "bdev"));
        if (!bdevs.isEmpty())
        {
            final Table table = new Table("NAME", "PRODUCT", ">BLOCK", ">SIZE", "CLAIMED", "ALIASES");
            bdevs.forEach((each) -> table.row(each.name(), each.product(), Units.size(each.blockSize()),
                Units.size(each.sizeBytes()), each.claimed() ? "yes" : "no",
                each.aliases().isEmpty() ? "-" : String.join(", ", each.aliases())));
            table.print(terminal, "");
        }
    }
}
