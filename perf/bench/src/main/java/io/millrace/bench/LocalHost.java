package io.millrace.bench;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.ConnectCommand;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.PropertyCommand;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.request.QueuePairTransport;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.transport.DataPointer;
import io.millrace.nvmf.transport.DataPointerFormat;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.EnumSet;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The host's end of one connection without a network: entries go straight into the queue pair, answers are taken at
 * once. Used on the poll group's thread; nothing is allocated per command.
 */
final class LocalHost implements QueuePairTransport
{
    static final int DATA_BYTES = 4096;
    private static final DataPointerFormat DATA_POINTERS = new DataPointerFormat(
        EnumSet.of(DataPointer.Kind.IN_CAPSULE, DataPointer.Kind.TRANSPORT), DATA_BYTES);

    private static final String HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:5c2d8b0e-7f1a-4b3e-9d55-0a1b2c3d4e5f";
    private static final int QUEUE_SIZE = 127;
    /** A transport reads the clock once a send, not here. */
    private static final long SENT_NS = System.nanoTime();

    private final UnsafeBuffer capsule =
        new UnsafeBuffer(BufferUtil.allocateDirectAligned(SubmissionQueueEntry.SIZE_BYTES, 64));
    private final UnsafeBuffer data = new UnsafeBuffer(BufferUtil.allocateDirectAligned(DATA_BYTES, DATA_BYTES));
    private final UnsafeBuffer answer =
        new UnsafeBuffer(BufferUtil.allocateDirectAligned(CompletionQueueEntry.SIZE_BYTES, 64));
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private final CompletionQueueEntry completion = new CompletionQueueEntry();
    private final QueuePair queuePair;
    private Request answered;
    private long answers;

    LocalHost(final PollGroup pollGroup, final TransportAddress local)
    {
        entry.wrap(capsule, 0);
        completion.wrap(answer, 0);
        queuePair = pollGroup.newQueuePair(this, local);
    }

    /**
     * Connects and, if it is the admin queue, enables the controller.
     *
     * @param subsystemNqn to connect to.
     * @param queueId      0 for the admin queue.
     * @param controllerId of the admin queue's controller, or any.
     * @return id of the controller.
     */
    int connect(final String subsystemNqn, final int queueId, final int controllerId)
    {
        final ConnectData connectData = new ConnectData();
        connectData.wrap(data, 0);
        connectData.setHostId(new byte[16]).controllerId(controllerId).subsystemNqn(subsystemNqn).hostNqn(HOST_NQN);
        final ConnectCommand connect = new ConnectCommand();
        connect.wrap(capsule, 0);
        begin(AdminOpcode.FABRICS, ConnectData.SIZE_BYTES, SglDescriptor.DATA_BLOCK_OFFSET);
        connect.fabricsType(FabricsType.CONNECT).queueId(queueId).queueSize(0 == queueId ? 31 : QUEUE_SIZE)
            .keepAliveTimeoutMs(0).attributes(ConnectCommand.ATTRIBUTE_NO_FLOW_CONTROL);
        final int connected = execute(ConnectData.SIZE_BYTES);
        if (0 == queueId)
        {
            final PropertyCommand property = new PropertyCommand();
            property.wrap(capsule, 0);
            begin(AdminOpcode.FABRICS, 0, SglDescriptor.TRANSPORT_DATA_BLOCK);
            property.fabricsType(FabricsType.PROPERTY_SET).attributes(PropertyCommand.SIZE_4)
                .propertyOffset(ControllerProperty.CONFIGURATION)
                .value(ControllerConfiguration.ENABLE | ControllerConfiguration.SUBMISSION_ENTRY_64 |
                    ControllerConfiguration.COMPLETION_ENTRY_16);
            execute(0);
        }
        return connected & 0xFFFF;
    }

    /**
     * Prepares an I/O command over {@link #DATA_BYTES} at the start of namespace 1.
     *
     * @param opcode  of the command.
     * @param sglType where its data comes from.
     */
    void prepare(final int opcode, final int sglType)
    {
        begin(opcode, DATA_BYTES, sglType);
        entry.namespaceId(1).startingLba(0).cdw12(0);
    }

    /**
     * Sends the command that was prepared last, and takes its answer.
     *
     * @param inCapsuleBytes of data that comes with it.
     * @return first double word of the answer.
     */
    int execute(final int inCapsuleBytes)
    {
        final long before = answers;
        final Request request = queuePair.dispatcher().begin(capsule, 0);
        request.dataPointer(DATA_POINTERS, inCapsuleBytes > 0 ? data.addressOffset() : 0, inCapsuleBytes);
        queuePair.dispatcher().onCommand(request);
        send();
        if (answers != before + 1 || 0 != completion.statusField())
        {
            throw new IllegalStateException(
                (answers - before) + " answers, status field 0x" + Integer.toHexString(completion.statusField()));
        }
        return completion.result0();
    }

    /** As a transport does: at the end of its poll, not within the command. */
    private void send()
    {
        final Request request = answered;
        if (null != request)
        {
            answered = null;
            answers++;
            queuePair.writeCompletion(request, completion);
            queuePair.onSent(request, SENT_NS);
            queuePair.onFlushed();
        }
    }

    void close()
    {
        queuePair.onDisconnected("over");
    }

    @Override
    public void receiveData(final Request request)
    {
        request.data().copyIn(0, data.addressOffset(), request.dataLength());
        queuePair.dispatcher().onDataReceived(request);
    }

    @Override
    public void respond(final Request request)
    {
        answered = request;
    }

    @Override
    public void disconnect(final String reason)
    {
        throw new IllegalStateException("the target ends the connection: " + reason);
    }

    @Override
    public String remote()
    {
        return "";
    }

    @Override
    public DataPointerFormat dataPointers()
    {
        return DATA_POINTERS;
    }

    private void begin(final int opcode, final int dataBytes, final int sglType)
    {
        capsule.setMemory(0, SubmissionQueueEntry.SIZE_BYTES, (byte)0);
        entry.opcode(opcode).flags(SglDescriptor.FLAGS_PSDT_SGL).commandId(1).sglType(sglType).sglLength(dataBytes);
    }
}
