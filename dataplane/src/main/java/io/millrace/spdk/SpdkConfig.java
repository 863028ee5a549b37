package io.millrace.spdk;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Settings of SPDK in a process. Immutable.
 *
 * @param config      file with SPDK's JSON configuration, as its {@code save_config} writes; null: none.
 * @param memoryMib   memory of SPDK's own in MiB, from {@link #MEMORY_MIB_MIN}; its pools of buffers and requests are
 *                    in it.
 * @param hugepages   whether that memory is in hugepages, of which as many have to be free; else in ordinary pages.
 * @param pciAllowed  PCI addresses of the functions that SPDK may use, such as {@code 0000:01:00.0}; it looks at no
 *                    others. Empty: none.
 * @param rpcSocket   path of the Unix domain socket that serves SPDK's JSON-RPC; null: none.
 */
public record SpdkConfig(Path config, int memoryMib, boolean hugepages, List<String> pciAllowed, Path rpcSocket)
{
    /** Smallest {@link #memoryMib()}. */
    public static final int MEMORY_MIB_MIN = 256;
    /** Default of {@link #memoryMib()}. */
    public static final int MEMORY_MIB_DEFAULT = 512;
    /** Largest {@link #memoryMib()}: what DPDK takes. */
    public static final int MEMORY_MIB_MAX = 1 << 20;
    /** By which SPDK's pools, 390 MiB, are divided when there is less memory than {@link #MEMORY_MIB_DEFAULT}. */
    static final int POOLS_DIVISOR = 4;
    /** {@code sun_path} of a Unix domain socket, with the 0 at its end. */
    private static final int SOCKET_PATH_BYTES = 108;

    /**
     * Checks the settings.
     *
     * @throws SpdkException naming setting, value, bound and remedy.
     */
    public SpdkConfig
    {
        if (memoryMib < MEMORY_MIB_MIN || memoryMib > MEMORY_MIB_MAX)
        {
            throw new SpdkException("spdk: memory of " + memoryMib + " MiB is not between " + MEMORY_MIB_MIN + " and " +
                MEMORY_MIB_MAX + ": use " + MEMORY_MIB_DEFAULT + " unless SPDK says that it needs more");
        }
        if (null != rpcSocket && rpcSocket.toString().getBytes(StandardCharsets.UTF_8).length >=
            SOCKET_PATH_BYTES)
        {
            throw new SpdkException("spdk: rpc-socket " + rpcSocket + " is longer than " + (SOCKET_PATH_BYTES - 1) +
                " bytes, which the kernel takes for a socket: use a shorter path");
        }
        pciAllowed = List.copyOf(pciAllowed);
    }

    /**
     * {@return SPDK without a configuration, hugepages, PCI functions and JSON-RPC}
     */
    public static SpdkConfig defaults()
    {
        return new SpdkConfig(null, MEMORY_MIB_DEFAULT, false, List.of(), null);
    }
}
