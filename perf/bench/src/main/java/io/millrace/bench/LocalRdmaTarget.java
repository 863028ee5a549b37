package io.millrace.bench;

import io.millrace.block.BlockDevice;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectCommand;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.PropertyCommand;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.rdma.RdmaTransport;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An NVMe/RDMA target of one device on a running reactor, and queues of a {@link LocalRdmaHost} at it. One thread.
 */
final class LocalRdmaTarget implements AutoCloseable
{
    static final int BLOCK_BYTES = 4096;

    private static final String NQN = "nqn.2026-11.io.millrace:bench";
    private static final String HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:5c2d8b0e-7f1a-4b3e-9d55-0a1b2c3d4e5f";
    private static final long POOL_BYTES = 16L << 20;
    private static final int ADMIN_ENTRIES = 32;
    private static final long HOST_ADDRESS = 0x7000_0000_0000L;
    private static final int HOST_KEY = 0x1234;

    private final Reactor reactor = new Reactor(ReactorConfig.of("bench", -1));
    private final DmaMemory memory = DmaMemory.map(POOL_BYTES);
    private final LocalRdmaHost host = new LocalRdmaHost(InetAddress.ofLiteral("10.0.0.1"));
    private final BlockDevice device;
    private final PollGroup pollGroup;
    private final RdmaTransport transport;
    private final int controllerId;

    /**
     * Serves a device and connects an admin queue.
     *
     * @param device closed with this.
     */
    LocalRdmaTarget(final BlockDevice device)
    {
        this.device = device;
        final Subsystem subsystem = new Subsystem(SubsystemConfig.open(NQN));
        subsystem.addNamespace(Namespace.of(NQN, 1, device));
        final Target target = new Target(TargetConfig.defaults());
        target.addSubsystem(subsystem);
        final MemoryRegistry registry = new MemoryRegistry();
        registry.add(memory, MemoryRole.BUFFERS);
        // As buffers, whatever their pages are: where there are no huge pages, lent memory would be copied.
        device.lentMemory().forEach((each) -> registry.add(each, MemoryRole.BUFFERS));
        reactor.start();
        pollGroup = reactor.call(() -> new PollGroup(reactor, target, new BufferPool(
            memory.address(), memory.lengthBytes(), target.config().maxTransferBytes()))).join();
        transport = new RdmaTransport(target, List.of(pollGroup), RdmaTransportConfig.defaults(), host, registry);
        transport.listen(TransportAddress.of(
            TransportAddress.Type.RDMA, new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 4420)));
        final LocalRdmaQueue admin = host.connect(0, ADMIN_ENTRIES);
        controllerId = connect(admin, 0, ADMIN_ENTRIES, ConnectData.CONTROLLER_ID_DYNAMIC);
        final PropertyCommand enable = new PropertyCommand();
        enable.wrap(begin(admin, AdminOpcode.FABRICS), 0);
        enable.fabricsType(FabricsType.PROPERTY_SET).attributes(PropertyCommand.SIZE_4)
            .propertyOffset(ControllerProperty.CONFIGURATION)
            .value(ControllerConfiguration.ENABLE | ControllerConfiguration.SUBMISSION_ENTRY_64 |
                ControllerConfiguration.COMPLETION_ENTRY_16);
        admin.run(reactor, SubmissionQueueEntry.SIZE_BYTES, 1);
    }

    private static UnsafeBuffer begin(final LocalRdmaQueue queue, final int opcode)
    {
        final UnsafeBuffer capsule = queue.capsule();
        capsule.setMemory(0, SubmissionQueueEntry.SIZE_BYTES, (byte)0);
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(capsule, 0);
        entry.opcode(opcode).flags(SglDescriptor.FLAGS_PSDT_SGL);
        return capsule;
    }

    private int connect(final LocalRdmaQueue queue, final int queueId, final int entries, final int controller)
    {
        final UnsafeBuffer capsule = begin(queue, AdminOpcode.FABRICS);
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(capsule, 0);
        entry.sglAddress(0).sglLength(ConnectData.SIZE_BYTES).sglType(SglDescriptor.DATA_BLOCK_OFFSET);
        final ConnectCommand command = new ConnectCommand();
        command.wrap(capsule, 0);
        command.fabricsType(FabricsType.CONNECT).queueId(queueId).queueSize(entries - 1).keepAliveTimeoutMs(0)
            .attributes(ConnectCommand.ATTRIBUTE_NO_FLOW_CONTROL);
        final ConnectData data = new ConnectData();
        data.wrap(capsule, SubmissionQueueEntry.SIZE_BYTES);
        data.setHostId(new byte[16]).controllerId(controller).subsystemNqn(NQN).hostNqn(HOST_NQN);
        return queue.run(reactor, SubmissionQueueEntry.SIZE_BYTES + ConnectData.SIZE_BYTES, 1) & 0xFFFF;
    }

    /**
     * {@return a queue that sends a command over blocks from the first one on, whose data is in the host's memory}
     *
     * @param queueId from 1.
     * @param entries of the queue.
     * @param opcode  of the command.
     * @param blocks  of the command.
     */
    LocalRdmaQueue keyed(final int queueId, final int entries, final int opcode, final int blocks)
    {
        final LocalRdmaQueue queue = queue(queueId, entries);
        prepare(queue, opcode, blocks).sglAddress(HOST_ADDRESS).sglKeyedLength(blocks * BLOCK_BYTES).sglKey(HOST_KEY)
            .sglType(SglDescriptor.KEYED_ADDRESS);
        return queue;
    }

    /**
     * {@return a queue that sends a command over the first block, whose data is in the capsule}
     *
     * @param queueId from 1.
     * @param entries of the queue.
     * @param opcode  of the command.
     */
    LocalRdmaQueue inCapsule(final int queueId, final int entries, final int opcode)
    {
        final LocalRdmaQueue queue = queue(queueId, entries);
        prepare(queue, opcode, 1).sglAddress(0).sglLength(BLOCK_BYTES).sglType(SglDescriptor.DATA_BLOCK_OFFSET);
        return queue;
    }

    private LocalRdmaQueue queue(final int queueId, final int entries)
    {
        final LocalRdmaQueue queue = host.connect(queueId, entries);
        connect(queue, queueId, entries, controllerId);
        return queue;
    }

    private static SubmissionQueueEntry prepare(final LocalRdmaQueue queue, final int opcode, final int blocks)
    {
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(begin(queue, opcode), 0);
        return entry.namespaceId(1).startingLba(0).cdw12(blocks - 1);
    }

    Reactor reactor()
    {
        return reactor;
    }

    @Override
    public void close()
    {
        transport.close();
        reactor.call(pollGroup::close).join().join();
        reactor.close();
        device.close();
        memory.close();
        host.close();
    }
}
