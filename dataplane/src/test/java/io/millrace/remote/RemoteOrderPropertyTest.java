package io.millrace.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections to a target that executes commands late are lost at random: whatever was acknowledged is read, and
 * nothing that came before it ever again.
 */
class RemoteOrderPropertyTest
{
    private static final int KEEP_ALIVE_MS = 100;
    private static final int ROUNDS = 150;
    private static final int DEPTH = 16;

    private final long seed = TestSeeds.seed();
    private final Random random = TestSeeds.random();

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldReadWhatWasAcknowledgedWhateverConnectionsAreLost(final int paths)
    {
        final ModelTarget target = new ModelTarget(seed, KEEP_ALIVE_MS);
        assertEquals(0, run(target, paths, 60_000), this::seedText);
        assertTrue(target.lateWrites() > 0, () -> "no write was late, " + seedText());
    }

    @Test
    void shouldReadWhatWasAcknowledgedAfterWritesFailed()
    {
        final ModelTarget target = new ModelTarget(seed, KEEP_ALIVE_MS);
        assertTrue(run(target, 1, 5) > 0, this::seedText);
    }

    /** {@return how many requests failed} */
    private int run(final ModelTarget target, final int paths, final int lossTimeoutMs)
    {
        final List<TransportAddress> addresses = new ArrayList<>();
        for (int i = 0; i < paths; i++)
        {
            addresses.add(TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1 + i)));
        }
        final RemoteDeviceConfig config = InnerTarget.config(addresses)
            .withTimeouts(KEEP_ALIVE_MS, 2_000, 5_000).withReconnect(1, 10, lossTimeoutMs);
        try (Reactor admin = new Reactor(ReactorConfig.of("test-admin", -1));
            DmaMemory arena = DmaMemory.map(4 << 20))
        {
            admin.start();
            try (RemoteDevice device = RemoteDevice.connect(config, target.groups, List.of(admin));
                VerifiedLoad load = new VerifiedLoad(device, arena.address(), 0, DEPTH))
            {
                disturb(target, load);
                load.stop();
                assertNull(load.violation(), () -> load.violation() + ", " + seedText());
                assertTrue(device.retriedCount() > 0 || device.failedCount() > 0, this::seedText);
                return load.failures();
            }
        }
    }

    private void disturb(final ModelTarget target, final VerifiedLoad load)
    {
        for (int round = 0; round < ROUNDS && null == load.violation(); round++)
        {
            // From a few turns of the reactors to longer than a late write may take.
            LockSupport.parkNanos((long)(1_000_000 * Math.pow(10, 1.6 * random.nextDouble())));
            switch (random.nextInt(4))
            {
                case 0 -> target.cut(false);
                case 1 -> target.cut(true);
                case 2 -> target.cutAll();
                default ->
                {
                    target.up(false);
                    LockSupport.parkNanos(1_000_000L * random.nextInt(20));
                    target.up(true);
                }
            }
        }
    }

    private String seedText()
    {
        return "seed " + seed + ": run with -Dmillrace.seed=" + seed;
    }
}
