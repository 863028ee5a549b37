package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.queue.AsyncEvents;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AsyncEventsTest
{
    private final TestTarget target = new TestTarget(2);
    private final TestHost host = target.admin();

    @AfterEach
    void close()
    {
        target.close();
    }

    private static CompletableFuture<Completion> request(final TestHost host)
    {
        return host.submit((entry) -> entry.opcode(AdminOpcode.ASYNC_EVENT_REQUEST));
    }

    private void addNamespace(final int nsid)
    {
        target.subsystem().addNamespace(
            new Namespace(nsid, target.subsystem().namespace(1).device(), UUID.randomUUID()));
        awaitHome();
    }

    /**
     * The last reactor to open the namespace tells home; what it tells comes behind the first command, so there are
     * two.
     */
    private void awaitHome()
    {
        target.reactor(1).run(() -> { });
        host.status();
        host.status();
    }

    @Test
    void shouldTellOfNamespacesThatComeAndGo()
    {
        final CompletableFuture<Completion> event = request(host);
        addNamespace(5);
        final Completion told = TestHost.await(event);
        assertEquals(NvmeStatus.SUCCESS, told.status());
        assertEquals(2 | 4 << 16, told.result0());

        // Until the log page was read nothing more is told.
        final CompletableFuture<Completion> next = request(host);
        target.subsystem().removeNamespace(1);
        addNamespace5Twice();
        assertFalse(next.isDone());
        final Completion log = LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, false);
        assertEquals(1, log.dword(0));
        assertEquals(5, log.dword(1));
        assertEquals(0, log.dword(2));
        assertEquals(0, LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, false).dword(0));
        target.subsystem().removeNamespace(5);
        assertEquals(2 | 4 << 16, TestHost.await(next).result0());
    }

    private void addNamespace5Twice()
    {
        final Namespace namespace = target.subsystem().namespace(5);
        target.subsystem().removeNamespace(5);
        target.subsystem().addNamespace(namespace);
        awaitHome();
    }

    @Test
    void shouldKeepAnEventUntilARequestComes()
    {
        addNamespace(9);
        assertEquals(AsyncEvent.NAMESPACE_CHANGED, TestHost.await(request(host)).result0());
    }

    /** It read what the event would have been for. */
    @Test
    void shouldForgetAnEventWhoseLogPageWasReadBeforeARequestCame()
    {
        addNamespace(9);
        assertEquals(9, LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, false).dword(0));
        final CompletableFuture<Completion> event = request(host);
        host.status();
        assertFalse(event.isDone());
        addNamespace(10);
        TestHost.await(event);
        assertEquals(10, LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, false).dword(0));
    }

    @Test
    void shouldRetainTheEventWhenAsked()
    {
        final CompletableFuture<Completion> event = request(host);
        addNamespace(9);
        TestHost.await(event);
        final CompletableFuture<Completion> next = request(host);
        assertEquals(9, LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, true).dword(0));
        addNamespace(10);
        assertFalse(next.isDone());
        assertEquals(9, LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, false).dword(0));
        addNamespace(11);
        TestHost.await(next);
    }

    @Test
    void shouldTellNothingThatTheHostTurnedOff()
    {
        host.execute((entry) -> entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.ASYNC_EVENT_CONFIGURATION));
        final CompletableFuture<Completion> event = request(host);
        addNamespace(9);
        TestTarget.await("the namespace to be in the log",
            () -> 9 == LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, false).dword(0));
        assertFalse(event.isDone());
    }

    @Test
    void shouldSayThatAllNamespacesChangedWhenTheLogHasNoRoomForThem()
    {
        final CompletableFuture<Completion> event = request(host);
        for (int nsid = 2; nsid < 2 + AsyncEvents.CHANGED_NAMESPACES_MAX + 1; nsid++)
        {
            addNamespace(nsid);
        }
        TestHost.await(event);
        TestTarget.await("the log to overflow",
            () -> Namespace.NSID_ALL == LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, true).dword(0));
        assertEquals(0, LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, false).dword(1));
        assertEquals(0, LogPagesTest.log(host, LogPageId.CHANGED_NAMESPACES, 0, 4096, false).dword(0));
    }

    @Test
    void shouldRefuseMoreRequestsThanItsLimit()
    {
        final List<CompletableFuture<Completion>> events = new ArrayList<>();
        for (int i = 0; i < 4; i++)
        {
            events.add(request(host));
        }
        assertEquals(NvmeStatus.ASYNC_EVENT_LIMIT_EXCEEDED, TestHost.await(request(host)).code());
        addNamespace(9);
        TestHost.await(events.getFirst());
        events.add(request(host));
        events.subList(1, 5).forEach((event) -> assertFalse(event.isDone()));
    }

    @Test
    void shouldAbortARequest()
    {
        final int commandId = host.nextCommandId();
        final CompletableFuture<Completion> event = request(host);
        final Completion abort = host.execute((entry) ->
            entry.opcode(AdminOpcode.ABORT).cdw10(commandId << 16));
        assertEquals(0, abort.result0());
        assertEquals(NvmeStatus.ABORT_REQUESTED, TestHost.await(event).code());
    }

    @Test
    void shouldForgetARequestWhoseCommandIdIsUsedAgain()
    {
        final int commandId = host.nextCommandId();
        final CompletableFuture<Completion> event = request(host);
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) ->
            entry.opcode(AdminOpcode.KEEP_ALIVE).commandId(commandId)).status());
        addNamespace(9);
        assertFalse(event.isDone());
        // The event was not lost with it.
        assertEquals(AsyncEvent.NAMESPACE_CHANGED, TestHost.await(request(host)).result0());
    }

    @Test
    void shouldTellOfChangesOfTheDiscoveryLog()
    {
        final TestHost discovery = target.admin(Nqn.DISCOVERY);
        final CompletableFuture<Completion> event = request(discovery);
        target.target().addListener(TransportAddress.tcp("127.0.0.1", 4421));
        assertEquals(2 | 0xF0 << 8 | 0x70 << 16, TestHost.await(event).result0());
        final CompletableFuture<Completion> next = request(discovery);
        target.target().removeListener(TransportAddress.tcp("127.0.0.1", 4421));
        discovery.status();
        assertFalse(next.isDone());
        assertEquals(NvmeStatus.SUCCESS,
            LogPagesTest.log(discovery, LogPageId.DISCOVERY, 0, 1024, false).status());
        target.target().addSubsystem(new Subsystem(SubsystemConfig.open("nqn.2026-11.io.millrace:second")));
        assertEquals(AsyncEvent.DISCOVERY_CHANGED, TestHost.await(next).result0());
    }
}
