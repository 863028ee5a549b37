package io.millrace.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.FailureCause;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which answers of a controller are sent again and which fail the request, how long a request is refused before it
 * fails, and what a channel leaves behind.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RemoteRefusalTest
{
    private static final int OPTIONAL_COMMANDS_OFFSET = 520;
    private static final int DATASET_MANAGEMENT = 1 << 2;
    private static final int BLOCK = ModelTarget.BLOCK_BYTES;
    private static final int FOREVER = Integer.MAX_VALUE;
    private static final int CHANNELS = 16;
    private static final TransportAddress ADDRESS =
        TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));

    private final ModelTarget target = new ModelTarget(1, 250);
    private final DmaMemory arena = DmaMemory.map(1 << 20);
    private final Reactor admin = new Reactor(ReactorConfig.of("test-admin", -1));

    @BeforeEach
    void start()
    {
        admin.start();
        target.executePercent(100);
    }

    @AfterEach
    void stop()
    {
        admin.close();
        arena.close();
    }

    private RemoteDevice connect(final int controllerLossTimeoutMs)
    {
        return RemoteDevice.connect(InnerTarget.config(List.of(ADDRESS)).withTimeouts(250, 2_000, 60_000)
            .withReconnect(1, 10, controllerLossTimeoutMs), target.groups, List.of(admin));
    }

    private Initiator.Io send(final Initiator initiator, final BlockOperation operation)
    {
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), operation, 0, 1, false, arena.address(), BLOCK);
        initiator.send(io);
        return io;
    }

    @ParameterizedTest
    @ValueSource(ints = {
        NvmeStatus.INVALID_NAMESPACE, NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY,
        NvmeStatus.NAMESPACE_NOT_READY, NvmeStatus.TRANSIENT_TRANSPORT_ERROR, NvmeStatus.ABORTED_SQ_DELETION,
        NvmeStatus.INTERNAL_PATH_ERROR, NvmeStatus.ASYMMETRIC_ACCESS_TRANSITION})
    void shouldSendAgainWhatMaySucceedLater(final int status)
    {
        try (RemoteDevice device = connect(60_000); Initiator initiator = new Initiator("host", device))
        {
            for (final BlockOperation operation : List.of(BlockOperation.READ, BlockOperation.WRITE))
            {
                target.ioRefusals().set(status, 2);
                final long retriedBefore = device.retriedCount();
                assertEquals(BlockStatus.SUCCESS, initiator.await(send(initiator, operation)));
                assertEquals(0, target.ioRefusals().left());
                assertEquals(2, device.retriedCount() - retriedBefore);
            }
            assertEquals(0, device.failedCount());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {
        NvmeStatus.NAMESPACE_NOT_READY | NvmeStatus.DO_NOT_RETRY,
        NvmeStatus.INTERNAL_PATH_ERROR | NvmeStatus.DO_NOT_RETRY,
        NvmeStatus.UNRECOVERED_READ_ERROR, NvmeStatus.INTERNAL_ERROR})
    void shouldPassOnWhatNoPathChanges(final int status)
    {
        try (RemoteDevice device = connect(60_000); Initiator initiator = new Initiator("host", device))
        {
            target.ioRefusals().set(status, 1);
            final Initiator.Io read = send(initiator, BlockOperation.READ);
            assertTrue(BlockStatus.SUCCESS != initiator.await(read));
            assertEquals(FailureCause.NVME_STATUS, read.request().cause());
            assertEquals(NvmeStatus.code(status), NvmeStatus.code(read.request().causeCode()));
            assertEquals(0, device.retriedCount());
        }
    }

    /** The path comes back after each refusal, so that no outage of paths ends the request. */
    @Test
    void shouldFailARequestThatIsRefusedForLongerThanTheLossTimeout()
    {
        try (RemoteDevice device = connect(300); Initiator initiator = new Initiator("host", device))
        {
            target.ioRefusals().set(NvmeStatus.NAMESPACE_NOT_READY, FOREVER);
            final Initiator.Io read = send(initiator, BlockOperation.READ);
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(read));
            assertEquals(NvmeStatus.HOST_PATHING_ERROR, read.request().causeCode());
            assertEquals(1, device.failedCount());
            target.ioRefusals().set(NvmeStatus.SUCCESS, 0);
            assertEquals(BlockStatus.SUCCESS, initiator.await(send(initiator, BlockOperation.READ)));
        }
    }

    @Test
    void shouldReleaseThePollGroupWhenAChannelHasClosed()
    {
        try (RemoteDevice device = connect(60_000); Initiator host = new Initiator("host", device))
        {
            final Initiator initiator = host.beside(device);
            final HostPollGroup shared = ((RemoteChannel)initiator.channel()).group();
            assertEquals(shared, ((RemoteChannel)host.channel()).group());
            initiator.close();
            host.beginClosing().join();
            final HostPollGroup next = target.groups.acquire(host.reactor());
            assertNotSame(shared, next);
            target.groups.release(next);
        }
    }

    /** The memory of ranges of Dataset Management, whose address the target is told. */
    @Test
    void shouldUnmapItsMemoryWhenAChannelHasClosed() throws IOException
    {
        target.controllerData((data) -> data[OPTIONAL_COMMANDS_OFFSET] |= DATASET_MANAGEMENT);
        final Set<Long> addresses = new TreeSet<>();
        try (RemoteDevice device = connect(60_000); Initiator host = new Initiator("host", device))
        {
            for (int i = 0; i < CHANNELS; i++)
            {
                final Initiator initiator = host.beside(device);
                assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.DEALLOCATE, 0, 1, false));
                addresses.add(target.rangeAddress());
                initiator.close();
            }
        }
        final List<long[]> mappings = mappings();
        final long mapped = addresses.stream().filter((address) ->
            mappings.stream().anyMatch((each) -> each[0] <= address && address < each[1])).count();
        // Others may have mapped memory in such a place meanwhile.
        assertTrue(mapped < CHANNELS / 2, mapped + " of " + CHANNELS + " are mapped");
    }

    private static List<long[]> mappings() throws IOException
    {
        final List<long[]> all = new ArrayList<>();
        for (final String line : Files.readAllLines(Path.of("/proc/self/maps")))
        {
            final String[] range = line.substring(0, line.indexOf(' ')).split("-");
            all.add(new long[] {Long.parseUnsignedLong(range[0], 16), Long.parseUnsignedLong(range[1], 16)});
        }
        return all;
    }
}
