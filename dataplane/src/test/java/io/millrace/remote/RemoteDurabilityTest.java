package io.millrace.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** FUA and Flush on their way to a target: each command of a forced request is forced, or a Flush follows. */
class RemoteDurabilityTest
{
    private static final int MDTS_OFFSET = 77;
    private static final int CONTROLLER_ID_OFFSET = 78;
    private static final int OPTIONAL_COMMANDS_OFFSET = 520;
    private static final int DATASET_MANAGEMENT = 1 << 2;
    private static final int CACHE_OFFSET = 525;
    private static final int BLOCK = ModelTarget.BLOCK_BYTES;
    private static final TransportAddress ADDRESS = address(1);
    private static final TransportAddress OTHER_ADDRESS = address(2);

    private final ModelTarget target = new ModelTarget(TestSeeds.seed(), 250);
    private final DmaMemory arena = DmaMemory.map(1 << 20);
    private final Reactor admin = new Reactor(ReactorConfig.of("test-admin", -1));

    private static TransportAddress address(final int port)
    {
        return TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

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

    /** Offers Dataset Management, and says whether there is a volatile cache. */
    private void cache(final boolean isVolatile)
    {
        target.controllerData((data) ->
        {
            data[OPTIONAL_COMMANDS_OFFSET] |= DATASET_MANAGEMENT;
            data[CACHE_OFFSET] = (byte)(isVolatile ? 1 : 0);
        });
    }

    private RemoteDevice connect(final TransportAddress... addresses)
    {
        return RemoteDevice.connect(
            InnerTarget.config(List.of(addresses)).withTimeouts(250, 2_000, 60_000).withReconnect(1, 10, 60_000),
            target.groups, List.of(admin));
    }

    private List<String> executed(final Initiator initiator, final BlockOperation operation, final boolean isForced)
    {
        target.resetCounts();
        final int blocks = BlockOperation.FLUSH == operation ? 0 : 4;
        assertEquals(BlockStatus.SUCCESS, initiator.run(operation, 0, blocks, isForced));
        return target.executed();
    }

    private void run(final Initiator initiator, final BlockOperation operation, final boolean isForced)
    {
        target.resetCounts();
        final long[] segments =
            BlockOperation.WRITE == operation ? new long[]{arena.address(), 4L * BLOCK} : new long[0];
        assertEquals(BlockStatus.SUCCESS, initiator.run(operation, 0, 4, isForced, segments));
        assertEquals(isForced ? target.commands() : 0, target.forcedCommands());
    }

    @Test
    void shouldForceEachCommandOfAForcedRequest()
    {
        // 2^1 pages of 4 KiB.
        target.controllerData((data) -> data[MDTS_OFFSET] = 1);
        try (RemoteDevice device = connect(ADDRESS))
        {
            final Initiator initiator = new Initiator("host", device);
            for (final boolean isForced : new boolean[]{false, true})
            {
                run(initiator, BlockOperation.WRITE, isForced);
                assertEquals(2, target.commands());
                run(initiator, BlockOperation.WRITE_ZEROES, isForced);
            }
            initiator.close();
        }
    }

    @Test
    void shouldFlushWhenAskedToAndAfterAForcedDeallocation()
    {
        cache(true);
        try (RemoteDevice device = connect(ADDRESS); Initiator initiator = new Initiator("host", device))
        {
            assertEquals(List.of("FLUSH"), executed(initiator, BlockOperation.FLUSH, false));
            assertEquals(List.of("DATASET_MANAGEMENT"), executed(initiator, BlockOperation.DEALLOCATE, false));
            assertEquals(List.of("DATASET_MANAGEMENT", "FLUSH"), executed(initiator, BlockOperation.DEALLOCATE, true));
            assertEquals(List.of("WRITE_ZEROES"), executed(initiator, BlockOperation.WRITE_ZEROES, true));
        }
    }

    @Test
    void shouldNotFlushAfterAForcedDeallocationWithoutACache()
    {
        cache(false);
        try (RemoteDevice device = connect(ADDRESS); Initiator initiator = new Initiator("host", device))
        {
            assertEquals(List.of("DATASET_MANAGEMENT"), executed(initiator, BlockOperation.DEALLOCATE, true));
        }
    }

    @Test
    void shouldDeallocateAgainWhenTheFlushIsSentInAnotherAssociation()
    {
        cache(true);
        try (RemoteDevice device = connect(ADDRESS); Initiator initiator = new Initiator("host", device))
        {
            target.loseConnectionAtFlush();
            assertEquals(List.of("DATASET_MANAGEMENT", "DATASET_MANAGEMENT", "FLUSH"),
                executed(initiator, BlockOperation.DEALLOCATE, true));
        }
    }

    @Test
    void shouldHaveTheVolatileCacheOfAnyPath()
    {
        for (int cached = 0; cached < 2; cached++)
        {
            final int remainder = cached;
            target.controllerData((data) ->
                data[CACHE_OFFSET] = (byte)(remainder == data[CONTROLLER_ID_OFFSET] % 2 ? 1 : 0));
            try (RemoteDevice device = connect(ADDRESS, OTHER_ADDRESS))
            {
                assertTrue(device.geometry().volatileWriteCache(), "cache of one path of two");
            }
        }
    }
}
