package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.StripedDevice;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.HostPollGroup;
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
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A target over RDMA on the model with its own clock, our host, and a scripted one, each on a device of its own.
 */
final class RdmaTargetFixture
{
    static final long POOL_BYTES = 16L << 20;
    private static final int BLOCK = TransportContractFixture.BLOCK_BYTES;
    private static final int SCRIPTED_HOST = 3;

    private final RdmaModel model = new RdmaModel();
    private final ModelRdmaCore scriptedCore = new ModelRdmaCore(model.network(), new LinuxDescriptors());
    private final ModelDevice scriptedDevice = scriptedCore.addDevice(RdmaModel.address(SCRIPTED_HOST));
    private final MemoryRegistry registry = new MemoryRegistry();
    private final MemoryRegistry hostRegistry = new MemoryRegistry();
    private final HostBuffers hostBuffers = new HostBuffers(hostRegistry, model.hostCore());
    private final HeldClock clock = new HeldClock();
    private final ScriptedRdmaHost scripted = new ScriptedRdmaHost(scriptedCore);
    private TransportContractFixture fixture;
    private int controllerId;

    /** {@return a device that answers within {@code submit}, and lends} */
    static StripedDevice lendingDevice(final long bytes)
    {
        return new StripedDevice(bytes, BLOCK, 1, 2);
    }

    static RdmaTransportConfig transferTimeout(final long timeoutNs)
    {
        final RdmaTransportConfig defaults = RdmaTransportConfig.defaults();
        return new RdmaTransportConfig(defaults.inCapsuleDataBytes(), defaults.capsulesMax(), defaults.readsMax(),
            defaults.connectTimeoutNs(), defaults.connectionsMax(), timeoutNs, List.of(), false);
    }

    /** Serves a device by one reactor, with the defaults of RDMA. */
    TransportContractFixture serve(final BlockDevice device)
    {
        return serve(device, 1, POOL_BYTES, RdmaTransportConfig.defaults());
    }

    TransportContractFixture serve(
        final BlockDevice device, final int reactors, final long poolBytes, final RdmaTransportConfig config)
    {
        // Its pages are small ones here, which would be copied from; as buffers they stay where they are.
        device.lentMemory().forEach((memory) -> registry.add(memory, MemoryRole.BUFFERS));
        fixture = new TransportContractFixture(device, reactors, poolBytes, registry,
            (target, groups) -> new RdmaTransport(target, groups, config, model.targetCore(), registry),
            (reactor) -> new HostPollGroup(reactor, List.of(new RdmaHostTransport(model.hostCore(), hostBuffers))),
            this::register, clock);
        fixture.listen(TransportAddress.of(
            TransportAddress.Type.RDMA, new InetSocketAddress(RdmaModel.address(2), 0)));
        return fixture;
    }

    private void register(final MemorySegment memory)
    {
        hostRegistry.add(MemoryRegion.imported(
            MemoryRole.BUFFERS, MemoryDomain.HOST, memory.address(), memory.byteSize(), BLOCK));
    }

    RdmaModel model()
    {
        return model;
    }

    MemoryRegistry registry()
    {
        return registry;
    }

    HeldClock clock()
    {
        return clock;
    }

    ScriptedRdmaHost scripted()
    {
        return scripted;
    }

    ModelRdmaCore scriptedCore()
    {
        return scriptedCore;
    }

    ModelDevice scriptedDevice()
    {
        return scriptedDevice;
    }

    InetSocketAddress address()
    {
        return fixture.address().socketAddress();
    }

    /** {@return the first I/O queue of the scripted host's controller, which is made and enabled before} */
    ScriptedRdmaHost.Queue openController()
    {
        final ScriptedRdmaHost.Queue admin = scripted.open(address(), 0, 0);
        controllerId = admin.associate(
            TransportContractFixture.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).result() & 0xFFFF;
        ScriptedRdmaHost.enable(admin);
        return openQueue(1);
    }

    /** {@return another queue of that controller} */
    ScriptedRdmaHost.Queue openQueue(final int queueId)
    {
        final ScriptedRdmaHost.Queue queue = scripted.open(address(), queueId, queueId);
        assertEquals(NvmeStatus.SUCCESS,
            queue.associate(TransportContractFixture.NQN, queueId, controllerId).status());
        return queue;
    }

    /** Has the first reactor of the target do nothing until the result has run. */
    Runnable block() throws InterruptedException
    {
        final CountDownLatch isBlocked = new CountDownLatch(1);
        final CountDownLatch mayGoOn = new CountDownLatch(1);
        final CompletableFuture<Boolean> released = fixture.group(0).reactor().call(() ->
        {
            isBlocked.countDown();
            return mayGoOn.await(20, TimeUnit.SECONDS);
        });
        assertTrue(isBlocked.await(20, TimeUnit.SECONDS));
        return () ->
        {
            mayGoOn.countDown();
            assertTrue(TransportContractFixture.get(released), "the reactor was blocked for too long");
        };
    }

    /** Has the first reactor of the target go through some cycles. */
    void turn()
    {
        for (int i = 0; i < 3; i++)
        {
            TransportContractFixture.get(fixture.group(0).reactor().call(() -> null));
        }
    }

    /** The scripted host's device answers no more. Nothing of the devices ends its connections for that. */
    void cut()
    {
        model.network().timeouts(60_000_000_000L, 60_000_000_000L);
        model.network().cut(scriptedDevice, model.targetDevice(), true);
    }

    /** It answers again. */
    void reconnect()
    {
        model.network().timeouts(20_000_000L, 500_000_000L);
        model.network().cut(scriptedDevice, model.targetDevice(), false);
    }

    /** Ends all hosts; nothing is left of them. */
    void close()
    {
        closeScripted();
        closeTarget();
    }

    /** Ends the scripted host alone. */
    void closeScripted()
    {
        scripted.close();
    }

    /** Ends the other hosts, once the scripted one has ended; nothing is left of them. */
    void closeTarget()
    {
        fixture.endHosts();
        fixture.awaitNothing();
        fixture.close();
        hostBuffers.close();
        assertEquals(List.of(), model.network().violations());
        model.close();
    }
}
