package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * I/O queues of hosts that connect one after the other, over reactors that have nothing to do.
 */
class QueuePlacementTest
{
    private static final int HOSTS = 5;

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2", "3, 2", "3, 3", "3, 4", "4, 4", "4, 7"})
    void shouldSpreadIoQueuesAndAdminQueuesOverReactors(final int reactors, final int queues) throws IOException
    {
        final List<TestHost> connections = new ArrayList<>();
        try (TargetFixture target = new TargetFixture(reactors, TcpTransportConfig.defaults()))
        {
            final List<TcpPollGroup> groups = IntStream.range(0, reactors).mapToObj(target.transport()::group).toList();
            for (int host = 1; host <= HOSTS; host++)
            {
                final int[] before = ioCounts(groups);
                final TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
                connections.add(admin);
                for (int id = 1; id <= queues; id++)
                {
                    connections.add(
                        TestHost.io(target.address(), TargetFixture.NQN, admin, id, 8, Digests.NONE));
                }
                final int[] after = ioCounts(groups);
                assertEquals(host * queues, IntStream.of(after).sum());
                assertTrue(spread(after) <= 1, "all hosts: " + Arrays.toString(after));
                final int[] ofHost = IntStream.range(0, reactors).map((i) -> after[i] - before[i]).toArray();
                assertTrue(spread(ofHost) <= (0 == queues % reactors ? 0 : 2),
                    "host " + host + ": " + Arrays.toString(ofHost));
            }
            final int[] admins = groups.stream().mapToInt((group) -> group.adminCount().get()).toArray();
            assertEquals(HOSTS, IntStream.of(admins).sum());
            assertTrue(0 != queues % reactors || spread(admins) <= 1, Arrays.toString(admins));
            for (final TestHost connection : connections)
            {
                connection.close();
            }
            TargetFixture.await("no connection left", () -> 0 == target.transport().connectionCount());
            TargetFixture.await("no admin queue left",
                () -> 0 == groups.stream().mapToInt((group) -> group.adminCount().get()).sum());
        }
    }

    private static int[] ioCounts(final List<TcpPollGroup> groups)
    {
        return groups.stream().mapToInt((group) -> group.assignedCount().get() - group.adminCount().get()).toArray();
    }

    private static int spread(final int[] counts)
    {
        return IntStream.of(counts).max().orElseThrow() - IntStream.of(counts).min().orElseThrow();
    }
}
