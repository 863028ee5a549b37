package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.block.StripedDevice;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.rdma.HostBuffers;
import io.millrace.nvmf.initiator.rdma.RdmaHostTransport;
import io.millrace.nvmf.rdma.RdmaTransport;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.model.LinuxDescriptors;
import io.millrace.rdma.model.ModelRdmaCore;
import io.millrace.rdma.model.RdmaModel;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whatever a host sends over RDMA as private data and capsules is answered, or ends its connection, and leaves nothing
 * behind. Runs on the kept corpus with every build; {@code JAZZER_FUZZ=1} fuzzes, as {@code perf/fuzz} does.
 */
class RdmaCapsuleFuzzTest
{
    private static final int CAPSULES_MAX = 16;
    private static final int PRIVATE_DATA_BYTES_MAX = 56;
    private static final int IN_CAPSULE_BYTES = 4096;
    private static final int UNIT_BYTES = 64;
    private static final int LENGTH_FULL = 0x3E;
    private static final long DEVICE_BYTES = 4L << 20;
    private static final int COMMAND_ID_OFFSET = 2;
    private static final int ATTEMPTS_MAX = 6;
    private static RdmaCapsuleFuzzTest target;

    private final RdmaModel model = new RdmaModel();
    private final MemoryRegistry registry = new MemoryRegistry();
    private final HostBuffers hostBuffers = new HostBuffers(new MemoryRegistry(), model.hostCore());
    private TransportContractFixture fixture;
    private ScriptedRdmaHost host;
    private int resources;

    private void serve()
    {
        fixture = new TransportContractFixture(
            new StripedDevice(DEVICE_BYTES, TransportContractFixture.BLOCK_BYTES, 1, 2), 1, 16L << 20, registry,
            (target, groups) -> new RdmaTransport(
                target, groups, RdmaTransportConfig.defaults(), model.targetCore(), registry),
            (reactor) -> new HostPollGroup(reactor, List.of(new RdmaHostTransport(model.hostCore(), hostBuffers))),
            (_) ->
            {
            });
        fixture.listen(TransportAddress.of(
            TransportAddress.Type.RDMA, new InetSocketAddress(RdmaModel.address(2), 0)));
        final ModelRdmaCore core = new ModelRdmaCore(model.network(), new LinuxDescriptors());
        core.addDevice(RdmaModel.address(3));
        host = new ScriptedRdmaHost(core);
        // Classes are instrumented as they are loaded, which on a busy machine takes longer than a connection may.
        int attempts = 0;
        while (!isAnswered() && attempts < ATTEMPTS_MAX)
        {
            attempts++;
        }
        fixture.awaitNothing();
        resources = model.targetCore().resources();
    }

    private boolean isAnswered()
    {
        final ScriptedRdmaHost.Queue queue = host.connect(fixture.address().socketAddress(),
            new ConnectRequest(0, ScriptedRdmaHost.ENTRIES, ScriptedRdmaHost.ENTRIES, 0).toBytes(),
            ScriptedRdmaHost.ENTRIES, 0);
        final boolean isAnswered = queue.established.handle((_, failure) -> null == failure).join();
        if (isAnswered)
        {
            queue.end();
        }
        return isAnswered;
    }

    /**
     * The first byte says (bits 1:0) on which queue the capsules behind it come: one that has not sent Connect, an
     * admin queue, an I/O queue; or that the rest is private data. Each capsule has a byte before it: its length
     * (bits 5:0), in bytes with bit 7, without it one less in units of 64, the longest two a full capsule and one that
     * is too long; bit 6 gives it the address and key of the host's memory.
     */
    @FuzzTest(maxDuration = "2m")
    void shouldAnswerAnyCapsules(final byte[] input)
    {
        if (input.length < 2)
        {
            return;
        }
        if (null == target)
        {
            target = new RdmaCapsuleFuzzTest();
            target.serve();
        }
        target.run(input);
    }

    private void run(final byte[] input)
    {
        final int stage = input[0] & 3;
        if (3 == stage)
        {
            connect(Arrays.copyOfRange(input, 1, Math.min(input.length, 1 + PRIVATE_DATA_BYTES_MAX)));
        }
        else
        {
            final ScriptedRdmaHost.Queue admin = host.open(fixture.address().socketAddress(), 0, 0);
            ScriptedRdmaHost.Queue io = null;
            if (0 != stage)
            {
                final int controller = admin.associate(
                    TransportContractFixture.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).result() & 0xFFFF;
                ScriptedRdmaHost.enable(admin);
                if (2 == stage)
                {
                    io = host.open(fixture.address().socketAddress(), 1, 1);
                    io.associate(TransportContractFixture.NQN, 1, controller);
                }
            }
            send(null == io ? admin : io, input);
            admin.end();
            if (null != io)
            {
                io.end();
            }
        }
        fixture.awaitNothing();
        fixture.await("identifiers and queue pairs to end", () -> resources == model.targetCore().resources());
        assertEquals(List.of(), model.network().violations());
    }

    private void connect(final byte[] data)
    {
        final ScriptedRdmaHost.Queue queue = host.connect(fixture.address().socketAddress(), data, 1, 0);
        fixture.await("an answer to the request", () -> queue.established.isDone());
        if (!queue.established.isCompletedExceptionally())
        {
            queue.end();
        }
    }

    private static int lengthBytes(final int form)
    {
        final int length = form & 0x3F;
        return form < 0 ? length : length < LENGTH_FULL ? UNIT_BYTES * (1 + length) :
            SubmissionQueueEntry.SIZE_BYTES + IN_CAPSULE_BYTES + length - LENGTH_FULL;
    }

    private void send(final ScriptedRdmaHost.Queue queue, final byte[] input)
    {
        final int key = queue.key();
        int answers = 0;
        int offset = 1;
        for (int i = 0; i < CAPSULES_MAX && offset < input.length && !queue.closed.isDone(); i++)
        {
            final int form = input[offset++];
            final int lengthBytes = lengthBytes(form);
            final byte[] capsule = Arrays.copyOf(Arrays.copyOfRange(
                input, offset, Math.min(input.length, offset + lengthBytes)), Math.max(1, lengthBytes));
            offset += lengthBytes;
            if (capsule.length >= SubmissionQueueEntry.SIZE_BYTES)
            {
                if (0 != (form & 0x40))
                {
                    final SubmissionQueueEntry entry = new SubmissionQueueEntry();
                    entry.wrap(new UnsafeBuffer(capsule), 0);
                    entry.sglAddress(host.dataAddress()).sglKey(key).sglType(SglDescriptor.KEYED_ADDRESS);
                }
                // Identifiers are the host's own business.
                capsule[COMMAND_ID_OFFSET] = (byte)i;
                capsule[COMMAND_ID_OFFSET + 1] = 0;
                // Those of events are answered when there is one.
                answers += AdminOpcode.ASYNC_EVENT_REQUEST == capsule[0] ? 0 : 1;
            }
            queue.send(capsule);
        }
        final int expected = answers;
        fixture.await("an answer to each command",
            () -> queue.closed.isDone() || queue.answers.size() >= expected);
    }
}
