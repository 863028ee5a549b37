package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.request.OpenQueue;
import io.millrace.reactor.Reactor;
import io.millrace.testing.MeasuresTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Devices that take their time to open and to close, or do not. */
@MeasuresTime
class DeviceOpeningTest
{
    private final ManualDevice device = ManualDevice.create(4);
    private final TestTarget target = new TestTarget(1);

    @AfterEach
    void close()
    {
        target.close();
    }

    private void add()
    {
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID()));
    }

    private static CompletableFuture<Completion> flush(final TestHost host, final int nsid)
    {
        return host.submit((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(nsid));
    }

    private void awaitOpening()
    {
        TestTarget.await("opening", () -> target.reactor(0).call(device::isOpening));
    }

    @Test
    void shouldConnectAndServeOthersWhileADeviceOpens()
    {
        device.opensLater(true);
        add();
        final TestHost host = target.io();
        awaitOpening();
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(flush(host, 1)).status());
        device.automatic(BlockStatus.SUCCESS);
        final CompletableFuture<Completion> waiting = flush(host, 2);
        final CompletableFuture<Completion> write = host.submit((entry) ->
            entry.opcode(IoOpcode.WRITE).namespaceId(2).cdw12(0), new byte[512], true);
        assertFalse(host.retryCapsule() || waiting.isDone() || write.isDone());
        assertEquals(0, target.reactor(0).call(() -> target.reactor(0).buffers().usedBytes()));
        target.reactor(0).run(device::finishOpening);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(waiting).status());
        assertTrue(host.retryCapsule());
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(write).status());
        assertEquals(1, device.openings());
    }

    @Test
    void shouldAnswerNotReadyWhenADeviceDoesNotOpenInTime()
    {
        device.opensLater(true);
        add();
        final TestHost host = target.io();
        final Reactor reactor = target.reactor(0).reactor();
        final long beginNs = reactor.call(reactor::nowNs).join();
        final Completion late = TestHost.await(flush(host, 2));
        final long tookNs = reactor.call(reactor::nowNs).join() - beginNs;
        assertEquals(NvmeStatus.NAMESPACE_NOT_READY, late.status());
        assertTrue(late.isRetryable());
        assertTrue(tookNs >= OpenQueue.OPEN_WAIT_NS && tookNs < 2 * OpenQueue.OPEN_WAIT_NS,
            () -> "after " + tookNs + " ns");
        target.reactor(0).run(device::finishOpening);
        device.automatic(BlockStatus.SUCCESS);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(flush(host, 2)).status());
    }

    @Test
    void shouldTryAgainAfterAWhileAndTellOnce()
    {
        device.openFailure("no way in");
        add();
        final TestHost host = target.io();
        TestTarget.await("refused", () -> NvmeStatus.NAMESPACE_NOT_READY == TestHost.await(flush(host, 2)).status());
        for (int i = 0; i < 20; i++)
        {
            target.io().close();
        }
        assertEquals(1, target.reactor(0).call(device::openings));
        TestTarget.await("second attempt", () -> target.reactor(0).call(device::openings) > 1);
        target.reactor(0).run(() -> device.openFailure(null));
        device.automatic(BlockStatus.SUCCESS);
        TestTarget.await("opened", () -> NvmeStatus.SUCCESS == TestHost.await(flush(host, 2)).status());
        assertEquals(1, target.log().stream().filter((line) -> line.contains("no way in")).count(),
            () -> target.log().toString());
        assertTrue(device.openings() <= 4, () -> device.openings() + " attempts");
    }

    @Test
    void shouldEndWhatWaitsWhenTheNamespaceIsRemovedWhileItsDeviceOpens()
    {
        device.opensLater(true);
        add();
        final TestHost host = target.io();
        awaitOpening();
        final CompletableFuture<Completion> waiting = flush(host, 2);
        final CompletableFuture<Void> removed = target.subsystem().removeNamespace(2);
        assertEquals(NvmeStatus.INVALID_NAMESPACE, TestHost.await(waiting).code());
        assertFalse(removed.isDone());
        target.reactor(0).run(device::finishOpening);
        removed.orTimeout(10, TimeUnit.SECONDS).join();
        assertEquals(0, target.reactor(0).call(device::openChannels));
    }

    @Test
    void shouldNotSayThatADeviceIsFreeBeforeItHasClosed()
    {
        device.closesLater(true);
        add();
        target.io();
        TestTarget.await("open", () -> 1 == target.reactor(0).call(device::openChannels));
        final CompletableFuture<Void> removed = target.subsystem().removeNamespace(2);
        TestTarget.await("closing", () -> target.reactor(0).call(device::isClosing));
        assertFalse(removed.isDone());
        target.reactor(0).run(device::finishClosing);
        removed.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Test
    void shouldOpenAnewANamespaceThatComesBackWhileItsDeviceCloses()
    {
        device.closesLater(true);
        add();
        final TestHost host = target.io();
        TestTarget.await("open", () -> 1 == target.reactor(0).call(device::openChannels));
        final CompletableFuture<Void> removed = target.subsystem().removeNamespace(2);
        TestTarget.await("closing", () -> target.reactor(0).call(device::isClosing));
        add();
        device.automatic(BlockStatus.SUCCESS);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(flush(host, 2)).status());
        assertFalse(removed.isDone());
        target.reactor(0).run(device::finishClosing);
        removed.orTimeout(10, TimeUnit.SECONDS).join();
        device.closesLater(false);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(flush(host, 2)).status());
    }

    @Test
    void shouldSayWhichDeviceKeepsAReactorFromClosing()
    {
        device.closesLater(true);
        add();
        final TestHost admin = target.admin();
        target.io(admin, 1).close();
        admin.close();
        final PollGroup group = target.reactor(0).pollGroup();
        TestTarget.await("open", () -> 1 == target.reactor(0).call(device::openChannels));
        final CompletableFuture<Void> closed = target.reactor(0).call(group::close);
        assertFalse(closed.isDone());
        assertEquals(List.of("manual"), target.reactor(0).call(group::closingDevices));
        target.reactor(0).run(device::finishClosing);
        closed.orTimeout(10, TimeUnit.SECONDS).join();
        assertEquals(List.of(), target.reactor(0).call(group::closingDevices));
    }

    @Test
    void shouldLetAConnectionGoWhoseCommandsWaitForADevice()
    {
        device.opensLater(true);
        add();
        final TestHost host = target.io();
        awaitOpening();
        flush(host, 2);
        host.submit((entry) -> entry.opcode(IoOpcode.WRITE).namespaceId(2).cdw12(0), new byte[512], true);
        target.reactor(0).run(() ->
        {
        });
        host.close();
        // What is left is the event request of no admin queue: nothing waits for the device.
        assertEquals(0, target.reactor(0).call(() -> target.reactor(0).pollGroup().requestsInUse()));
        target.reactor(0).run(device::finishOpening);
    }

    @Test
    void shouldCountAFlushOfAllOnlyWhenEveryCacheWasReached()
    {
        device.opensLater(true);
        add();
        final TestHost host = target.io();
        awaitOpening();
        final CompletableFuture<Completion> all = flush(host, Namespace.NSID_ALL);
        target.reactor(0).run(() ->
        {
        });
        assertFalse(all.isDone());
        device.automatic(BlockStatus.SUCCESS);
        target.reactor(0).run(device::finishOpening);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(all).status());
        assertEquals(List.of("FLUSH 0+0"), device.asked());
    }
}
