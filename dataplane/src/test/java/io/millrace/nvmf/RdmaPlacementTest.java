package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.StripedDevice;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.rdma.HostBuffers;
import io.millrace.nvmf.initiator.rdma.RdmaHostTransport;
import io.millrace.nvmf.rdma.RdmaTransport;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.nvmf.rdma.cm.RejectStatus;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.model.LinuxDescriptors;
import io.millrace.rdma.model.ModelRdmaCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.status.DataPlaneCounters;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where connections are placed, whose receive buffers they get, and listeners whose device comes and goes. */
class RdmaPlacementTest
{
    private static final int CAPSULES = 128;
    private static final int QUEUE = 16;
    private static final int LARGE_QUEUE = 64;

    private final RdmaModel model = new RdmaModel();
    private final MemoryRegistry registry = new MemoryRegistry();
    private final HostBuffers hostBuffers = new HostBuffers(new MemoryRegistry(), model.hostCore());
    private final ScriptedRdmaHost first = host(3);
    private final ScriptedRdmaHost second = host(4);
    private TransportContractFixture fixture;

    private ScriptedRdmaHost host(final int number)
    {
        final ModelRdmaCore core = new ModelRdmaCore(model.network(), new LinuxDescriptors());
        core.addDevice(RdmaModel.address(number));
        return new ScriptedRdmaHost(core);
    }

    private void serve(final int reactors)
    {
        serve(reactors, List.of());
    }

    private void serve(final int reactors, final List<String> allowedAddresses)
    {
        serve(reactors, allowedAddresses, false);
    }

    private void serve(final int reactors, final List<String> allowedAddresses, final boolean isIwarpAllowed)
    {
        final RdmaTransportConfig config = new RdmaTransportConfig(4096, CAPSULES, 16,
            RdmaTransportConfig.CONNECT_TIMEOUT_NS_DEFAULT, RdmaTransportConfig.CONNECTIONS_MAX_DEFAULT,
            RdmaTransportConfig.TRANSFER_TIMEOUT_NS_DEFAULT, allowedAddresses, isIwarpAllowed);
        fixture = new TransportContractFixture(
            new StripedDevice(8L << 20, TransportContractFixture.BLOCK_BYTES, 1, 2), reactors, 16L << 20, registry,
            (target, groups) -> new RdmaTransport(target, groups, config, model.targetCore(), registry),
            (reactor) -> new HostPollGroup(reactor, List.of(new RdmaHostTransport(model.hostCore(), hostBuffers))),
            (_) ->
            {
            });
        fixture.listen(TransportAddress.of(
            TransportAddress.Type.RDMA, new InetSocketAddress(RdmaModel.address(2), 0)));
    }

    @AfterEach
    void shouldLeaveNothing()
    {
        first.close();
        second.close();
        fixture.awaitNothing();
        fixture.await("every connection to be counted out", () ->
            fixture.count(DataPlaneCounters.Value.ACCEPTED) == fixture.count(DataPlaneCounters.Value.CLOSED) &&
                0 == fixture.count(DataPlaneCounters.Value.PENDING_CONNECTIONS));
        fixture.close();
        hostBuffers.close();
        assertEquals(List.of(), model.network().violations());
        assertEquals(0, model.targetCore().resources());
        model.close();
    }

    private ScriptedRdmaHost.Queue connect(final ScriptedRdmaHost host, final int entries, final int part)
    {
        return host.connect(fixture.address().socketAddress(),
            new ConnectRequest(0, entries, entries, 0).toBytes(), QUEUE, part);
    }

    private ScriptedRdmaHost.Queue open(final ScriptedRdmaHost host, final int entries, final int part)
    {
        final ScriptedRdmaHost.Queue queue = connect(host, entries, part);
        ScriptedRdmaHost.await(queue.established);
        return queue;
    }

    /** The reactor with the fewest queues has no receive buffers left: another one has. */
    @Test
    void shouldPlaceAConnectionOnAReactorThatHasBuffersForIt()
    {
        serve(2);
        open(first, CAPSULES, 0);
        for (int i = 0; i < CAPSULES / QUEUE; i++)
        {
            open(second, QUEUE, 1 + i);
        }
        assertEquals(RejectStatus.NO_RESOURCES, connect(second, QUEUE, 15).rejection());
        assertEquals(1 + CAPSULES / QUEUE, fixture.transport().connectionCount());
    }

    /** Connections that say nothing have all the buffers: the oldest one ends for a host that has none. */
    @Test
    void shouldEndAConnectionWithoutConnectForAnotherHost()
    {
        serve(1);
        final ScriptedRdmaHost.Queue oldest = open(first, LARGE_QUEUE, 0);
        final ScriptedRdmaHost.Queue younger = open(first, LARGE_QUEUE, 1);
        final ScriptedRdmaHost.Queue queue = open(second, QUEUE, 0);
        ScriptedRdmaHost.await(oldest.closed);
        assertFalse(younger.closed.isDone());
        assertEquals(NvmeStatus.SUCCESS,
            queue.associate(TransportContractFixture.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).status());
        assertEquals(1, fixture.count(DataPlaneCounters.Value.REFUSED));
    }

    @Test
    void shouldEndAsManyAsTheBuffersOfAQueueTake()
    {
        serve(1);
        for (int i = 0; i < CAPSULES / QUEUE; i++)
        {
            open(first, QUEUE, i);
        }
        open(second, LARGE_QUEUE, 0);
        fixture.await("those that it took from to end",
            () -> 1 + (CAPSULES - LARGE_QUEUE) / QUEUE == fixture.transport().connectionCount());
    }

    /** It is refused whatever it says, and nothing is reserved for it. */
    @Test
    void shouldRefuseAHostWhoseAddressIsNotAllowed()
    {
        serve(1, List.of(RdmaModel.address(3).getHostAddress()));
        assertEquals(RejectStatus.NO_RESOURCES, connect(second, QUEUE, 0).rejection());
        assertEquals(RejectStatus.NO_RESOURCES,
            second.connect(fixture.address().socketAddress(), new byte[]{1, 0}, QUEUE, 1).rejection());
        assertEquals(2, fixture.count(DataPlaneCounters.Value.REFUSED));
        assertEquals(0, fixture.count(DataPlaneCounters.Value.ACCEPTED));
        open(first, CAPSULES, 0);
        assertEquals(1, fixture.transport().connectionCount());
    }

    /** Before any memory is registered with the device. */
    @Test
    void shouldRefuseAHostThatComesByIwarp()
    {
        model.targetDevice().iwarp();
        serve(1);
        assertEquals(RejectStatus.NO_RESOURCES, connect(first, QUEUE, 0).rejection());
        assertEquals(1, fixture.count(DataPlaneCounters.Value.REFUSED));
        assertEquals(0, fixture.count(DataPlaneCounters.Value.ACCEPTED));
        assertEquals(0, model.targetCore().lockedBytes());
    }

    @Test
    void shouldReadTheDataOfWritesByIwarpWhereThatIsAllowed()
    {
        model.targetDevice().iwarp();
        serve(1, List.of(), true);
        final ScriptedRdmaHost.Queue admin = open(first, QUEUE, 0);
        final int controller = admin.associate(
            TransportContractFixture.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).result() & 0xFFFF;
        ScriptedRdmaHost.enable(admin);
        final ScriptedRdmaHost.Queue queue = first.open(fixture.address().socketAddress(), 1, 1);
        assertEquals(NvmeStatus.SUCCESS, queue.associate(TransportContractFixture.NQN, 1, controller).status());
        queue.send(ScriptedRdmaHost.command(true, 1, 0, 16, first.dataAddress(), 16 * 4096, queue.key()));
        assertEquals(NvmeStatus.SUCCESS, queue.answer().status());
    }

    /** A host opens all its queues before it sends their Connect commands: it does not end its own. */
    @Test
    void shouldEndNoConnectionForOneOfTheSameHost()
    {
        serve(1);
        final ScriptedRdmaHost.Queue oldest = open(first, LARGE_QUEUE, 0);
        open(first, LARGE_QUEUE, 1);
        assertEquals(RejectStatus.NO_RESOURCES, connect(first, QUEUE, 2).rejection());
        assertFalse(oldest.closed.isDone());
    }

    /** What has become a queue is nobody's to take. */
    @Test
    void shouldEndNoQueueForAnotherHost()
    {
        serve(1);
        final ScriptedRdmaHost.Queue queue = open(first, CAPSULES, 0);
        assertEquals(NvmeStatus.SUCCESS,
            queue.associate(TransportContractFixture.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).status());
        assertEquals(RejectStatus.NO_RESOURCES, connect(second, QUEUE, 0).rejection());
        assertFalse(queue.closed.isDone());
        queue.end();
        fixture.await("the buffers to be back", () -> 0 == fixture.transport().connectionCount());
        open(second, CAPSULES, 1);
    }

    /** Its driver may end what is on the hardware only after it has taken the device away. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldListenAgainWhenTheDeviceIsBack(final boolean isDisassociated)
    {
        serve(1);
        open(first, QUEUE, 0);
        model.network().timeouts(1_000_000L, 20_000_000L);
        if (isDisassociated)
        {
            model.targetDevice().disassociate();
            model.targetDevice().endHardware();
        }
        else
        {
            model.targetDevice().remove();
        }
        fixture.await("the connection to end", () -> 0 == fixture.transport().connectionCount());
        fixture.await("the listener to wait", () -> !fixture.transport().isListening(fixture.address()));
        model.targetCore().addDevice(RdmaModel.address(2));
        model.network().timeouts(20_000_000L, 500_000_000L);
        final int[] attempts = new int[1];
        fixture.await("a connection", () ->
        {
            final CompletableFuture<Void> established = connect(second, QUEUE, attempts[0]++ % 8).established;
            return established.handle((_, failure) -> null == failure).join();
        });
        assertTrue(fixture.transport().isListening(fixture.address()));
        assertTrue(fixture.transport().stopListening(fixture.address()));
        assertFalse(fixture.transport().stopListening(fixture.address()));
    }

    /** Nobody wants it any more when the device comes back. */
    @Test
    void shouldStopListeningWhileTheDeviceIsGone()
    {
        serve(1);
        open(first, QUEUE, 0);
        model.targetDevice().remove();
        fixture.await("the connection to end", () -> 0 == fixture.transport().connectionCount());
        assertTrue(fixture.transport().stopListening(fixture.address()));
        model.targetCore().addDevice(RdmaModel.address(2));
        assertEquals(fixture.address(), fixture.transport().listen(fixture.address()));
        open(second, QUEUE, 0);
    }
}
