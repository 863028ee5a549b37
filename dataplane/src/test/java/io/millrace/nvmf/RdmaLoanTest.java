package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.StripedDevice;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.rdma.HostBuffers;
import io.millrace.nvmf.initiator.rdma.RdmaHostTransport;
import io.millrace.nvmf.rdma.RdmaTransport;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.model.LinuxDescriptors;
import io.millrace.rdma.model.ModelDevice;
import io.millrace.rdma.model.ModelRdmaCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.HeldClock;
import io.millrace.status.DataPlaneCounters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** How long a reader may keep a writer from memory that was lent to its answer, by a clock that the test sets. */
class RdmaLoanTest
{
    private static final int BLOCK = TransportContractFixture.BLOCK_BYTES;
    private static final long BELOW_LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(900);
    private static final long LITTLE_NS = 50_000;
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final RdmaModel model = new RdmaModel();
    private final ModelRdmaCore readerCore = new ModelRdmaCore(model.network(), new LinuxDescriptors());
    private final ModelDevice readerDevice = readerCore.addDevice(RdmaModel.address(3));
    private final MemoryRegistry registry = new MemoryRegistry();
    private final MemoryRegistry hostRegistry = new MemoryRegistry();
    private final HostBuffers hostBuffers = new HostBuffers(hostRegistry, model.hostCore());
    private final HeldClock clock = new HeldClock();
    private TransportContractFixture fixture;

    private void serve()
    {
        final StripedDevice device = new StripedDevice(8L << 20, BLOCK, 1, 2);
        // Its pages are small ones here, which would be copied from; as buffers they stay where they are.
        device.lentMemory().forEach((memory) -> registry.add(memory, MemoryRole.BUFFERS));
        fixture = new TransportContractFixture(device, 1, 16L << 20, registry,
            (target, groups) -> new RdmaTransport(
                target, groups, RdmaTransportConfig.defaults(), model.targetCore(), registry),
            (reactor) -> new HostPollGroup(reactor, List.of(new RdmaHostTransport(model.hostCore(), hostBuffers))),
            (memory) -> hostRegistry.add(MemoryRegion.imported(
                MemoryRole.BUFFERS, MemoryDomain.HOST, memory.address(), memory.byteSize(), BLOCK)), clock);
        fixture.listen(TransportAddress.of(
            TransportAddress.Type.RDMA, new InetSocketAddress(RdmaModel.address(2), 0)));
    }

    private ScriptedRdmaHost.Queue openQueue(final ScriptedRdmaHost reader)
    {
        final InetSocketAddress address = fixture.address().socketAddress();
        final ScriptedRdmaHost.Queue admin = reader.open(address, 0, 0);
        final int controller = admin.associate(
            TransportContractFixture.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).result() & 0xFFFF;
        ScriptedRdmaHost.enable(admin);
        final ScriptedRdmaHost.Queue queue = reader.open(address, 1, 1);
        assertEquals(NvmeStatus.SUCCESS, queue.associate(TransportContractFixture.NQN, 1, controller).status());
        return queue;
    }

    /** Timers of the target that are due run. */
    private void pass(final long ns)
    {
        clock.advance(ns);
        for (int i = 0; i < 3; i++)
        {
            TransportContractFixture.get(fixture.group(0).reactor().call(() -> null));
        }
    }

    /** A reactor looks at descriptors now and then, by its clock, which is held. */
    private void awaitByClock(final String what, final BooleanSupplier condition) throws InterruptedException
    {
        fixture.await(what, () ->
        {
            // Not faster than the reactor sees it: a busy machine must not bring limits closer.
            pass(LITTLE_NS);
            return condition.getAsBoolean();
        });
    }

    @Test
    void shouldEndAReaderOnlyWhenItKeepsAWriterWaitingTooLong() throws InterruptedException
    {
        serve();
        final RemoteQueuePair writer = fixture.openQueue(fixture.connect());
        try (ScriptedRdmaHost reader = new ScriptedRdmaHost(readerCore))
        {
            final ScriptedRdmaHost.Queue queue = openQueue(reader);
            final int key = queue.key();
            fixture.await("no command but the writer's for events", () -> 1 == fixture.requestsInUse());
            clock.hold();
            final CountDownLatch isBlocked = new CountDownLatch(1);
            final CountDownLatch mayGoOn = new CountDownLatch(1);
            final CompletableFuture<Boolean> released = fixture.group(0).reactor().call(() ->
            {
                isBlocked.countDown();
                return mayGoOn.await(20, TimeUnit.SECONDS);
            });
            assertTrue(isBlocked.await(20, TimeUnit.SECONDS));
            queue.send(ScriptedRdmaHost.command(false, 1, 0, 16, reader.dataAddress(), 16 * BLOCK, key));
            fixture.await("the capsule to be in the target's memory", queue::hasDelivered);
            // Nothing of the devices ends the connection.
            model.network().timeouts(60_000_000_000L, 60_000_000_000L);
            model.network().cut(readerDevice, model.targetDevice(), true);
            mayGoOn.countDown();
            assertTrue(TransportContractFixture.get(released));
            awaitByClock("the answer", () -> 2 == fixture.requestsInUse());
            final MemorySegment data = fixture.random(16 * BLOCK, 8);
            final CompletableFuture<Integer> write =
                fixture.submit(writer, (request) -> request.write(1, 0, 16, data.address(), 16 * BLOCK));
            awaitByClock("the write to wait", () -> 3 == fixture.requestsInUse());
            pass(BELOW_LIMIT_NS);
            assertFalse(write.isDone());
            assertFalse(queue.closed.isDone());
            assertEquals(4, fixture.transport().connectionCount());
            pass(REST_NS);
            awaitByClock("the write", write::isDone);
            assertEquals(NvmeStatus.SUCCESS, TransportContractFixture.get(write));
            fixture.await("the reader's queue to end", () -> fixture.transport().connectionCount() < 4);
            assertTrue(fixture.transport().counters().get(
                DataPlaneCounters.Value.SEND_TIMEOUTS) > 0);
            clock.release();
            model.network().timeouts(20_000_000L, 500_000_000L);
            model.network().cut(readerDevice, model.targetDevice(), false);
        }
        fixture.endHosts();
        fixture.awaitNothing();
        fixture.close();
        hostBuffers.close();
        assertEquals(List.of(), model.network().violations());
        model.close();
    }
}
