package io.millrace.nvmf.initiator;

import io.millrace.nvme.DiscoveryLogEntry;
import io.millrace.nvme.DiscoveryLogHeader;
import io.millrace.nvme.LogPageId;
import io.millrace.nvmf.transport.TransportAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the log of a discovery subsystem. Any thread.
 */
public final class Discovery
{
    /** Longest log that is read; longer ones are refused. */
    private static final long RECORDS_MAX = 65_536;
    private static final int ATTEMPTS = 5;

    private Discovery()
    {
    }

    /**
     * As {@link #discover(HostPollGroup, HostConfig, TransportAddress.Type, InetSocketAddress, int)}, over TCP.
     *
     * @param group            to do it on.
     * @param host             as whom.
     * @param address          of the target.
     * @param connectTimeoutMs to make the connection.
     * @return the records; fails with an {@link InitiatorException}.
     */
    public static CompletableFuture<List<DiscoveryEntry>> discover(
        final HostPollGroup group, final HostConfig host, final InetSocketAddress address, final int connectTimeoutMs)
    {
        return discover(group, host, TransportAddress.Type.TCP, address, connectTimeoutMs);
    }

    /**
     * Connects to the discovery subsystem, reads its log and disconnects.
     *
     * @param group            to do it on.
     * @param host             as whom.
     * @param transport        that the target is reached by.
     * @param address          of the target; discovery answers on port 8009, with many targets on every port.
     * @param connectTimeoutMs to make the connection.
     * @return the records; fails with an {@link InitiatorException}.
     */
    public static CompletableFuture<List<DiscoveryEntry>> discover(
        final HostPollGroup group,
        final HostConfig host,
        final TransportAddress.Type transport,
        final InetSocketAddress address,
        final int connectTimeoutMs)
    {
        final ConnectionConfig config = ConnectionConfig.to(transport, address, ConnectionConfig.DISCOVERY_NQN)
            .keepAliveMs(0).connectTimeoutMs(connectTimeoutMs).controllerLossTimeoutMs(0).build();
        return RemoteController.connect(group, host, config, ControllerListener.NONE)
            .thenCompose((controller) -> read(controller)
                .handle((entries, failure) -> controller.closeAsync().thenCompose((closed) -> null == failure ?
                    CompletableFuture.completedFuture(entries) :
                    CompletableFuture.<List<DiscoveryEntry>>failedFuture(failure)))
                .thenCompose((result) -> result));
    }

    /**
     * Reads the log of a discovery controller.
     *
     * @param controller of a discovery subsystem.
     * @return the records, all of one generation.
     */
    public static CompletableFuture<List<DiscoveryEntry>> read(final RemoteController controller)
    {
        return read(controller, ATTEMPTS);
    }

    private static CompletableFuture<List<DiscoveryEntry>> read(final RemoteController controller, final int attempts)
    {
        return header(controller).thenCompose((header) ->
        {
            final long records = header.records();
            if (records < 0 || records > RECORDS_MAX)
            {
                throw new InitiatorException("discovery log claims " + Long.toUnsignedString(records) +
                    " records: up to " + RECORDS_MAX + " are read");
            }
            return entries(controller, 0, (int)records, new ArrayList<>()).thenCompose((entries) ->
                header(controller).thenCompose((after) ->
                {
                    if (after.generation() == header.generation())
                    {
                        return CompletableFuture.completedFuture(entries);
                    }
                    if (1 == attempts)
                    {
                        throw new InitiatorException("discovery log changed while it was read, " + ATTEMPTS +
                            " times in a row: try again");
                    }
                    return read(controller, attempts - 1);
                }));
        });
    }

    private static CompletableFuture<DiscoveryLogHeader> header(final RemoteController controller)
    {
        return controller.logPage(LogPageId.DISCOVERY, 0, 0, DiscoveryLogHeader.SIZE_BYTES).thenApply((data) ->
        {
            final DiscoveryLogHeader header = new DiscoveryLogHeader();
            header.wrap(new UnsafeBuffer(data), 0);
            return header;
        });
    }

    private static CompletableFuture<List<DiscoveryEntry>> entries(
        final RemoteController controller, final int first, final int records, final List<DiscoveryEntry> entries)
    {
        if (first >= records)
        {
            return CompletableFuture.completedFuture(entries);
        }
        final int count = Math.min(records - first, AdminCommand.DATA_BYTES_MAX / DiscoveryLogEntry.SIZE_BYTES);
        final long offset = DiscoveryLogHeader.SIZE_BYTES + (long)first * DiscoveryLogEntry.SIZE_BYTES;
        return controller.logPage(LogPageId.DISCOVERY, 0, offset, count * DiscoveryLogEntry.SIZE_BYTES)
            .thenCompose((data) ->
            {
                final UnsafeBuffer buffer = new UnsafeBuffer(data);
                for (int i = 0; i < count; i++)
                {
                    entries.add(DiscoveryEntry.parse(buffer, i * DiscoveryLogEntry.SIZE_BYTES));
                }
                return entries(controller, first + count, records, entries);
            });
    }
}
