package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.agent.MetricsRecords;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.ReactorInfo;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.manager.metrics.CycleWatch;
import io.millrace.manager.metrics.Probes.Answer;
import io.millrace.serve.config.ConfigReader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ServeProbesTest
{
    private static final String CONFIG = """
        reactors: [{name: r0}]
        memory: {size: 16MiB}
        devices: [{name: mem0, type: memory, size: 1MiB}]
        subsystems:
          - {nqn: "nqn.2026-11.io.millrace:probes", allow-any-host: true, namespaces: [{nsid: 1, device: mem0}]}
        discovery: false
        status: {file: none}
        """;
    private static final String LISTENER = "listeners: [{address: localhost, port: 0}]\n";

    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 7);

    private static DataPlane start(final String text)
    {
        return DataPlane.start(ConfigReader.read("probes", text).config());
    }

    @Test
    void shouldNotBeReadyWithoutListenersOrWhileItDrains()
    {
        try (DataPlane dataPlane = start(CONFIG))
        {
            final ServeProbes probes = new ServeProbes(dataPlane, null, nowNs::get);
            assertEquals(new Answer(true, "healthy"), probes.health());
            assertEquals(new Answer(false, "no listeners"), probes.ready());
        }
        try (DataPlane dataPlane = start(CONFIG + LISTENER))
        {
            final ServeProbes probes = new ServeProbes(dataPlane, null, nowNs::get);
            assertEquals(new Answer(true, "serving on 127.0.0.1:" + dataPlane.addresses().getFirst().port()),
                probes.ready());
            dataPlane.state(DataPlaneState.DRAINING).join();
            assertEquals(new Answer(false, "the data plane is draining"), probes.ready());
            assertEquals(new Answer(true, "healthy"), probes.health());
        }
    }

    @Test
    void shouldBeUnhealthyWhileAReactorCarriesNothingOut()
    {
        try (DataPlane dataPlane = start(CONFIG + LISTENER))
        {
            final ServeProbes probes = new ServeProbes(dataPlane, null, nowNs::get);
            final CountDownLatch release = new CountDownLatch(1);
            dataPlane.reactors().getFirst().execute(() ->
            {
                try
                {
                    release.await();
                }
                catch (final InterruptedException e)
                {
                    Thread.currentThread().interrupt();
                }
            });
            assertEquals(new Answer(true, "healthy"), probes.health(), "a long cycle is no reason for a restart");
            nowNs.addAndGet(CycleWatch.STALL_NS);
            assertEquals(new Answer(false, "reactor r0 has not carried out a task for 5 s"), probes.health());
            assertEquals(probes.health(), probes.ready());
            release.countDown();
            assertEquals(new Answer(true, "healthy"), probes.health());
            assertTrue(probes.ready().isOk());
        }
    }

    @Test
    void shouldHaveRecordsForMetricsWithoutAManager()
    {
        try (DataPlane dataPlane = start(CONFIG + LISTENER))
        {
            final MetricsRecords records = new MetricsRecords(dataPlane, "dp0", "1.2.3");
            assertTrue(records.get().stream().anyMatch((each) ->
                each instanceof final DataPlaneInfo info && "dp0".equals(info.name())), records.get()::toString);
            assertTrue(records.get().stream().anyMatch((each) ->
                each instanceof final ReactorInfo info && "r0".equals(info.name())), records.get()::toString);
            assertTrue(records.get().stream().anyMatch((each) ->
                each instanceof final NamespaceInfo info && "mem0".equals(info.device())), records.get()::toString);
        }
    }
}
