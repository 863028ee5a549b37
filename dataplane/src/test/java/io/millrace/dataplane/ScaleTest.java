package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.nvmf.transport.TransportAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ten thousand namespaces. What it takes is printed; that it does not grow with the square is what the bound of each
 * test finds.
 */
class ScaleTest
{
    private static final int COUNT = 10_000;
    private static final long NS_PER_MS = 1_000_000;

    private final OperationsFixture fixture = new OperationsFixture();
    private final DataPlane dataPlane = fixture.dataPlane;

    @AfterEach
    void close()
    {
        fixture.close();
    }

    private static long elapsedMs(final Runnable task)
    {
        final long startNs = System.nanoTime();
        task.run();
        return (System.nanoTime() - startNs) / NS_PER_MS;
    }

    private static void all(final IntFunction<CompletableFuture<Void>> operation)
    {
        final List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (int i = 0; i < COUNT; i++)
        {
            parts.add(operation.apply(i));
        }
        get(CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)));
    }

    private void forEach(final IntConsumer operation)
    {
        for (int i = 0; i < COUNT; i++)
        {
            operation.accept(i);
        }
    }

    private static long heapBytes()
    {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static String nqn(final int index, final int perSubsystem)
    {
        return NQN + '-' + index / perSubsystem;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, COUNT})
    void shouldKeepTenThousandNamespaces(final int perSubsystem)
    {
        final long emptyBytes = heapBytes();
        final long devicesMs = elapsedMs(() -> forEach((i) ->
            dataPlane.devices().create(DeviceConfig.memory("mem" + i, 1 << 20, 512))));
        final long subsystemsMs = elapsedMs(() ->
        {
            for (int i = 0; i < COUNT; i += perSubsystem)
            {
                fixture.subsystem(nqn(i, perSubsystem));
            }
        });
        final long addMs = elapsedMs(() -> forEach((i) ->
            fixture.namespace(nqn(i, perSubsystem), i % perSubsystem + 1, "mem" + i)));
        final long heapBytes = (heapBytes() - emptyBytes) / COUNT;
        final long firstListMs = elapsedMs(() -> dataPlane.namespaces().list(null));
        final List<NamespaceSnapshot> listed = new ArrayList<>();
        final long listMs = elapsedMs(() -> listed.addAll(dataPlane.namespaces().list(null)));
        assertEquals(COUNT, listed.size());
        final long deviceListMs = elapsedMs(() -> dataPlane.devices().list());
        final long removeMs = elapsedMs(() -> all((i) ->
            dataPlane.namespaces().remove(nqn(i, perSubsystem), i % perSubsystem + 1)));
        final long deleteMs = elapsedMs(() -> forEach((i) -> dataPlane.devices().delete("mem" + i)));
        System.out.println(COUNT + " namespaces, " + perSubsystem + " a subsystem, ms: devices " + devicesMs +
            ", subsystems " + subsystemsMs + ", add " + addMs + ", list first " + firstListMs + ", list " + listMs +
            ", list devices " + deviceListMs + ", remove " + removeMs + ", delete devices " + deleteMs +
            "; heap bytes each with device and subsystem " + heapBytes);
        assertTrue(devicesMs + subsystemsMs + addMs + removeMs + deleteMs < 20_000, "grows with the square");
    }

    @ParameterizedTest
    @ValueSource(ints = COUNT)
    void shouldServeTenThousandNamespacesToAHost(final int count)
    {
        fixture.subsystem(NQN);
        final TransportAddress address = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        try (RemoteController controller = fixture.connect(address))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            forEach((i) -> dataPlane.devices().create(DeviceConfig.memory("mem" + i, 1 << 20, 4096)));
            final long addMs = elapsedMs(() ->
            {
                forEach((i) -> fixture.namespace(NQN, i + 1, "mem" + i));
                OperationsFixture.until("every namespace to be served", () -> 0 == fixture.write(queue, count, 0));
            });
            final List<Integer> active = new ArrayList<>();
            int after = 0;
            do
            {
                after = readActive(get(controller.identify(IdentifyCns.ACTIVE_NAMESPACES, after)), active);
            }
            while (0 != after);
            assertEquals(count, active.size());
            final long removeMs = elapsedMs(() -> get(dataPlane.subsystems().delete(NQN)));
            System.out.println(count + " namespaces under a host, ms: add " + addMs + ", delete subsystem " + removeMs);
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
