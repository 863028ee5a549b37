package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.get;
import static io.millrace.dataplane.OperationsFixture.refused;
import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.initiator.HostCompletionListener;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.qos.QosSnapshot;
import io.millrace.reactor.Reactor;
import io.millrace.testing.MeasuresTime;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Limits by operations, and what hosts get of them on three reactors. What else runs on the machine delays commands,
 * but never makes more of them: no window of any length may have more than is allowed, and the sum must reach the rate.
 */
@MeasuresTime
class QosOperationsTest
{
    private static final int REACTORS = 3;
    private static final int DEPTH = 64;
    private static final int BLOCKS = 256;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long SAMPLE_NS = SECOND_NS / 200;
    private static final long MEASURED_NS = 3 * SECOND_NS;
    private static final long MEASURED_MAX_NS = 30 * SECOND_NS;
    private static final int BURST_MS = 100;
    private static final double BURST_S = BURST_MS / 1000.0;
    /** Reactors that get no processor for less have requests that wait, and tokens that are kept. */
    private static final long STARVED_NS = 25_000_000;
    private static final double TOLERANCE = 0.02;
    /** How equal shares are depends on which reactor gets a processor when: none may starve. */
    private static final double LEAST_SHARE = 0.5;

    private final OperationsFixture fixture = new OperationsFixture(REACTORS);
    private final DataPlane dataPlane = fixture.dataPlane;
    private final List<Pump> pumps = new ArrayList<>();

    @AfterEach
    void close()
    {
        pumps.forEach(Pump::stop);
        fixture.close();
    }

    /** Keeps a queue filled with commands of one kind, and counts. */
    private static final class Pump
    {
        private final OperationsFixture fixture;
        private final RemoteQueuePair queue;
        private final int nsid;
        private final int blocks;
        private final boolean isRead;
        private int running;
        private boolean isOver;
        private volatile long completed;
        private volatile int failed;

        Pump(
            final OperationsFixture fixture,
            final RemoteQueuePair queue,
            final int nsid,
            final int blocks,
            final boolean isRead)
        {
            this.fixture = fixture;
            this.queue = queue;
            this.nsid = nsid;
            this.blocks = blocks;
            this.isRead = isRead;
            fixture.onHost(() ->
            {
                for (int i = 0; i < DEPTH; i++)
                {
                    new Slot(i, fixture.arena).submit();
                }
                return null;
            });
        }

        long completed()
        {
            return completed;
        }

        void stop()
        {
            fixture.onHost(() -> isOver = true);
            until("outstanding commands to end", () -> fixture.onHost(() -> 0 == running));
            assertEquals(0, failed);
        }

        private final class Slot implements HostCompletionListener
        {
            private final HostRequest request = new HostRequest(null, this);
            private final long lba;
            private final long address;

            Slot(final int index, final Arena arena)
            {
                lba = index * (long)blocks % BLOCKS;
                address = arena.allocate((long)blocks * OperationsFixture.BLOCK, OperationsFixture.BLOCK).address();
                running++;
            }

            void submit()
            {
                final int lengthBytes = blocks * OperationsFixture.BLOCK;
                if (isOver || !queue.submit(isRead ? request.read(nsid, lba, blocks, address, lengthBytes) :
                    request.write(nsid, lba, blocks, address, lengthBytes)))
                {
                    failed += isOver ? 0 : 1;
                    running--;
                }
            }

            @Override
            public void onComplete(final HostRequest done)
            {
                completed++;
                failed += done.isSuccess() ? 0 : 1;
                submit();
            }
        }
    }

    /** One queue on each reactor, kept filled. */
    private void pumpEveryReactor(final int nsid, final int blocks, final boolean isRead)
    {
        final RemoteController controller = fixture.connect(dataPlane.listeners().list().getFirst().address());
        for (int i = 0; i < REACTORS; i++)
        {
            pumps.add(new Pump(fixture, fixture.queue(controller), nsid, blocks, isRead));
        }
        // The admin queue is somewhere too.
        assertTrue(dataPlane.reactorSnapshots().stream().allMatch((each) -> each.connections() >= 1));
    }

    private long[] counts()
    {
        return pumps.stream().mapToLong(Pump::completed).toArray();
    }

    private static long sum(final long[] counts)
    {
        long sum = 0;
        for (final long count : counts)
        {
            sum += count;
        }
        return sum;
    }

    /**
     * Samples what hosts get. No window from one sample to any later one may have more than the rate, the burst and
     * what was underway: checked by the distance from the least sample so far. The sum from the first sample must reach
     * the rate, without the time in which the host's reactor, or each of the others, was ready and got no processor:
     * tokens that come then are lost when they are more than the burst. What else delays them is averaged out by a
     * longer measurement.
     *
     * @param perSecond commands per second, for the least and the most.
     * @param burst     commands that any window may have on top.
     */
    private void expectRate(final double perSecond, final double burst)
    {
        final ProcessorWaits host = new ProcessorWaits("millrace-ops-.*", STARVED_NS);
        final ProcessorWaits reactors = new ProcessorWaits("millrace-ops[0-9]+", STARVED_NS);
        assertEquals(1, host.threads());
        assertEquals(REACTORS, reactors.threads());
        final long[] start = counts();
        final long startNs = System.nanoTime();
        final long initial = sum(start);
        double least = 0;
        while (true)
        {
            // The clock is read first and last: what is done in between never makes a window seem shorter than it was.
            final double before = perSecond * (System.nanoTime() - startNs) / SECOND_NS;
            final long[] counts = counts();
            final long elapsedNs = System.nanoTime() - startNs;
            final double allowed = perSecond * elapsedNs / SECOND_NS;
            final long starvedNs = host.look() + reactors.look();
            final double expected = (1 - TOLERANCE) * perSecond * (elapsedNs - starvedNs) / SECOND_NS;
            final long done = sum(counts) - initial;
            final double excess = done - allowed - least;
            assertTrue(excess <= burst + REACTORS * DEPTH,
                () -> "a window until " + elapsedNs + " ns had " + excess + " commands above the rate of " + perSecond +
                "/s, more than the burst of " + burst + " and the " + REACTORS * DEPTH + " underway");
            least = Math.min(least, done - before);
            if (elapsedNs >= MEASURED_NS)
            {
                final long[] shares = new long[counts.length];
                Arrays.setAll(shares, (i) -> counts[i] - start[i]);
                final LongSummaryStatistics summary = Arrays.stream(shares).summaryStatistics();
                if (done >= expected && summary.getMin() > LEAST_SHARE * summary.getMax())
                {
                    return;
                }
                assertTrue(elapsedNs < MEASURED_MAX_NS, () -> "in " + elapsedNs + " ns of a rate of " + perSecond +
                    "/s, with " + starvedNs + " ns without a processor, reactors had " + Arrays.toString(shares) +
                    ", not " + expected + " and the least " + LEAST_SHARE + " of the most");
            }
            LockSupport.parkNanos(SAMPLE_NS);
        }
    }

    private static QosLimits iops(final long iops)
    {
        return new QosLimits(0, 0, iops, 0, 0, 0, BURST_MS);
    }

    @ParameterizedTest
    @CsvSource({"4000, 1, true", "4000, 1, false", "2000, 4, false"})
    void shouldGiveThreeReactorsWhatTheLimitAllowsAndStarveNone(
        final long iops, final int blocks, final boolean isRead)
    {
        fixture.serveVolume();
        get(dataPlane.qos().setNamespace(NQN, 1, iops(iops)));
        pumpEveryReactor(1, blocks, isRead);
        expectRate(iops, iops * BURST_S + REACTORS);
        final QosSnapshot snapshot = dataPlane.qos().list(NQN).getFirst();
        assertTrue((isRead ? snapshot.throttledReads() : snapshot.throttledWrites()) > iops / 2, snapshot.toString());
        assertEquals(0, isRead ? snapshot.throttledWrites() : snapshot.throttledReads());
        assertTrue(snapshot.waitNs() > 0);
        // A change needs no quiet moment.
        get(dataPlane.qos().setNamespace(NQN, 1, iops(iops / 2)));
        expectRate(iops / 2.0, iops * BURST_S + REACTORS);
    }

    @ParameterizedTest
    @CsvSource({"4194304, 1, true", "16777216, 8, true", "16777216, 8, false"})
    void shouldLimitBytesOfAHost(final long bytesPerSecond, final int blocks, final boolean isRead)
    {
        fixture.serveVolume();
        final QosLimits limits = new QosLimits(0, 0, 0, 0, 0, bytesPerSecond, BURST_MS);
        get(dataPlane.qos().setHost(NQN, fixture.host.hostNqn(), limits));
        pumpEveryReactor(1, blocks, isRead);
        final double perSecond = (double)bytesPerSecond / (blocks * OperationsFixture.BLOCK);
        expectRate(perSecond, perSecond * BURST_S + 2 * REACTORS);
    }

    @Test
    void shouldLeaveOtherNamespacesAloneAndSleepMeanwhile()
    {
        fixture.serveVolume();
        fixture.memory("mem1", BLOCKS);
        fixture.namespace(NQN, 2, "mem1");
        get(dataPlane.qos().setNamespace(NQN, 1, QosLimits.ofIops(200)));
        final RemoteController controller =
            fixture.connect(dataPlane.listeners().list().getFirst().address());
        final RemoteQueuePair queue = fixture.queue(controller);
        pumps.add(new Pump(fixture, queue, 1, 1, false));
        final long sleeps = sleeps();
        until("limited commands", () -> pumps.getFirst().completed() > 100);
        // Not for every command of a machine that is slow enough for several to be due at once.
        assertTrue(sleeps() - sleeps > 20, () -> "slept " + (sleeps() - sleeps) + " times");
        pumps.add(new Pump(fixture, queue, 2, 1, true));
        final long limited = pumps.getFirst().completed();
        until("many commands of the other namespace", () -> pumps.getLast().completed() > 5000);
        final long meanwhile = pumps.getFirst().completed() - limited;
        assertTrue(meanwhile < 5000, () -> meanwhile + " commands");
    }

    private long sleeps()
    {
        return dataPlane.reactors().stream().map(Reactor::dutyCycle).mapToLong((duty) -> duty.sleepCount()).sum();
    }

    @Test
    void shouldSayWhatIsLimitedAndTellOfIt()
    {
        fixture.serveVolume();
        final String host = "nqn.2026-11.io.millrace:some-host";
        final QosLimits limits = new QosLimits(1, 2, 3, 4096, 5000, 6000, 70);
        get(dataPlane.qos().setNamespace(NQN, 1, limits));
        get(dataPlane.qos().setHost(NQN, host, QosLimits.ofIops(7)));
        assertEquals(List.of(new QosSnapshot(NQN, 1, "", limits, 0, 0, 0, 0),
            new QosSnapshot(NQN, 0, host, QosLimits.ofIops(7), 0, 0, 0, 0)), dataPlane.qos().list(null));
        fixture.awaitEvent(ResourceKind.NAMESPACE, ResourceChange.CHANGED, NQN + "/1");
        fixture.awaitEvent(ResourceKind.HOST, ResourceChange.CHANGED, NQN + '/' + host);
        assertTrue(fixture.events.stream().anyMatch((event) -> event.text().equals("is limited to 1 read IOPS, " +
            "2 write IOPS, 3 IOPS, 4096 bytes/s of reads, 5000 bytes/s of writes, 6000 bytes/s")));
        final int told = fixture.events.size();
        get(dataPlane.qos().setNamespace(NQN, 1, limits));
        assertEquals(told, fixture.events.size());
        get(dataPlane.qos().clearNamespace(NQN, 1));
        assertEquals("is not limited any more", fixture.events.stream().toList().getLast().text());
        get(dataPlane.qos().clearHost(NQN, host));
        get(dataPlane.qos().clearHost(NQN, host));
        assertEquals(List.of(), dataPlane.qos().list(NQN));
    }

    @Test
    void shouldRefuseWhatIsNotThere()
    {
        final Qos qos = dataPlane.qos();
        final QosLimits limits = QosLimits.ofIops(1);
        refused(Reason.NOT_FOUND, "subsystem " + NQN + ": does not exist; there are no subsystems",
            () -> qos.setNamespace(NQN, 1, limits));
        fixture.subsystem(NQN);
        refused(Reason.NOT_FOUND, "namespace " + NQN + "/1: does not exist; add it first",
            () -> qos.setNamespace(NQN, 1, limits));
        refused(Reason.NOT_FOUND, "subsystem nqn.none: does not exist; existing subsystems: " + NQN,
            () -> qos.list("nqn.none"));
        refused(Reason.INVALID, "host: " + Nqn.problem("nobody"), () -> qos.setHost(NQN, "nobody", limits));
        assertEquals(List.of(), qos.list(null));
    }

    @Test
    void shouldForgetTheLimitsOfANamespaceWithIt()
    {
        fixture.serveVolume();
        get(dataPlane.qos().setNamespace(NQN, 1, QosLimits.ofIops(1)));
        get(dataPlane.namespaces().remove(NQN, 1));
        fixture.namespace(NQN, 1, "mem0");
        assertEquals(List.of(), dataPlane.qos().list(NQN));
    }
}
