package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.get;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.testing.MeasuresTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Thousands of namespaces. What an operation costs its caller in processor time, which other load of the machine hardly
 * changes, grows with the number of resources and not with its square.
 */
@MeasuresTime
class ScaleTest
{
    private static final int COUNT = 10_000;
    private static final int QUARTER = 1500;
    /** Other load only adds to what an operation costs: the least of several rounds is its cost. */
    private static final int ROUNDS_MAX = 6;
    /**
     * Of four times as many resources. With the square it would be 16 times; the rest is for caches, and for the tables
     * that each new device replaces.
     */
    private static final double GROWTH_MAX = 8;
    /** What takes less than this for a quarter is too small for a ratio; the bound holds for it as if it took this. */
    private static final long LEAST_NS = 1_000_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static void all(final int count, final IntFunction<CompletableFuture<Void>> operation)
    {
        final List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            parts.add(operation.apply(i));
        }
        get(CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)));
    }

    private static void forEach(final int count, final IntConsumer operation)
    {
        for (int i = 0; i < count; i++)
        {
            operation.accept(i);
        }
    }

    private static String nqn(final int index, final int perSubsystem)
    {
        return NQN + '-' + index / perSubsystem;
    }

    /** Processor time of the calling thread by operation, least of several runs. */
    private static final class Costs
    {
        private final Map<String, Long> leastNs = new LinkedHashMap<>();

        void measure(final String operation, final Runnable task)
        {
            final long startNs = THREADS.getCurrentThreadCpuTime();
            task.run();
            leastNs.merge(operation, THREADS.getCurrentThreadCpuTime() - startNs, Math::min);
        }
    }

    private static void run(final Costs costs, final int count, final int perSubsystem)
    {
        try (OperationsFixture fixture = new OperationsFixture())
        {
            final DataPlane dataPlane = fixture.dataPlane;
            costs.measure("create devices", () -> forEach(count, (i) ->
                dataPlane.devices().create(DeviceConfig.memory("mem" + i, 1 << 20, 512))));
            costs.measure("create subsystems", () ->
                forEach((count + perSubsystem - 1) / perSubsystem, (i) -> fixture.subsystem(NQN + '-' + i)));
            costs.measure("add namespaces", () -> forEach(count, (i) ->
                fixture.namespace(nqn(i, perSubsystem), i % perSubsystem + 1, "mem" + i)));
            costs.measure("list namespaces", () -> assertEquals(count, dataPlane.namespaces().list(null).size()));
            costs.measure("list devices", () -> assertEquals(count, dataPlane.devices().list().size()));
            costs.measure("remove namespaces", () -> all(count, (i) ->
                dataPlane.namespaces().remove(nqn(i, perSubsystem), i % perSubsystem + 1)));
            costs.measure("delete devices", () -> forEach(count, (i) -> dataPlane.devices().delete("mem" + i)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 4 * QUARTER})
    void shouldGrowWithTheNumberOfNamespacesAndNotWithItsSquare(final int perSubsystem)
    {
        run(new Costs(), QUARTER, perSubsystem);
        final Costs quarter = new Costs();
        final Costs whole = new Costs();
        List<String> tooMuch = List.of();
        for (int round = 0; 0 == round || round < ROUNDS_MAX && !tooMuch.isEmpty(); round++)
        {
            run(quarter, QUARTER, perSubsystem);
            run(whole, 4 * QUARTER, perSubsystem);
            tooMuch = tooMuch(quarter, whole);
        }
        System.out.println(perSubsystem + " a subsystem, ns of processor time for " + QUARTER + ": " + quarter.leastNs +
            ", for " + 4 * QUARTER + ": " + whole.leastNs);
        assertEquals(List.of(), tooMuch);
    }

    private static List<String> tooMuch(final Costs quarter, final Costs whole)
    {
        final List<String> found = new ArrayList<>();
        whole.leastNs.forEach((operation, ns) ->
        {
            final long before = quarter.leastNs.get(operation);
            if (ns >= GROWTH_MAX * Math.max(LEAST_NS, before))
            {
                found.add(operation + ": " + before + " ns for " + QUARTER + ", " + ns + " for four times as many");
            }
        });
        return found;
    }

    @Test
    void shouldServeTenThousandNamespacesToAHost()
    {
        try (OperationsFixture fixture = new OperationsFixture())
        {
            serve(fixture, COUNT);
        }
    }

    private static void serve(final OperationsFixture fixture, final int count)
    {
        final DataPlane dataPlane = fixture.dataPlane;
        fixture.subsystem(NQN);
        final TransportAddress address = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        try (RemoteController controller = fixture.connect(address))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            forEach(count, (i) -> dataPlane.devices().create(DeviceConfig.memory("mem" + i, 1 << 20, 4096)));
            forEach(count, (i) -> fixture.namespace(NQN, i + 1, "mem" + i));
            OperationsFixture.until("every namespace to be served", () -> 0 == fixture.write(queue, count, 0));
            final List<Integer> active = new ArrayList<>();
            int after = 0;
            do
            {
                after = readActive(get(controller.identify(IdentifyCns.ACTIVE_NAMESPACES, after)), active);
            }
            while (0 != after);
            assertEquals(count, active.size());
            get(dataPlane.subsystems().delete(NQN));
        }
    }

    /** Answers the last id of a list that is full, else 0. */
    private static int readActive(final byte[] list, final List<Integer> active)
    {
        final ByteBuffer ids = ByteBuffer.wrap(list).order(ByteOrder.LITTLE_ENDIAN);
        while (ids.remaining() >= Integer.BYTES)
        {
            final int nsid = ids.getInt();
            if (0 == nsid)
            {
                return 0;
            }
            active.add(nsid);
        }
        return active.getLast();
    }
}
