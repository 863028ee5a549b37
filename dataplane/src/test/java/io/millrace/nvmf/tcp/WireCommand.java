package io.millrace.nvmf.tcp;

import io.millrace.nvme.ConnectCommand;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.PropertyCommand;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Submission queue entries as bytes, for tests.
 */
final class WireCommand
{
    static final int OPCODE_FABRICS = 0x7F;
    static final int OPCODE_GET_LOG_PAGE = 0x02;
    static final int OPCODE_IDENTIFY = 0x06;
    static final int OPCODE_SET_FEATURES = 0x09;
    private static final int FEATURE_NUMBER_OF_QUEUES = 0x07;
    private static final int FORCE_UNIT_ACCESS = 1 << 30;

    private WireCommand()
    {
    }

    static byte[] connect(final int commandId, final int queueId, final int queueSize)
    {
        final byte[] bytes = entry(OPCODE_FABRICS, commandId, 0, SglDescriptor.DATA_BLOCK_OFFSET,
            ConnectData.SIZE_BYTES);
        final ConnectCommand command = new ConnectCommand();
        command.wrap(new UnsafeBuffer(bytes), 0);
        command.fabricsType(FabricsType.CONNECT).queueId(queueId).queueSize(queueSize - 1)
            .attributes(ConnectCommand.ATTRIBUTE_NO_FLOW_CONTROL).keepAliveTimeoutMs(0 == queueId ? 120_000 : 0);
        return bytes;
    }

    static byte[] connectData(final String subsystemNqn, final String hostNqn, final int controllerId)
    {
        final byte[] bytes = new byte[ConnectData.SIZE_BYTES];
        final ConnectData data = new ConnectData();
        data.wrap(new UnsafeBuffer(bytes), 0);
        final byte[] hostId = new byte[16];
        hostId[0] = 1;
        data.setHostId(hostId).controllerId(controllerId).subsystemNqn(subsystemNqn).hostNqn(hostNqn);
        return bytes;
    }

    static byte[] propertySet(final int commandId, final int property, final int value)
    {
        final byte[] bytes = entry(OPCODE_FABRICS, commandId, 0, 0, 0);
        final PropertyCommand command = new PropertyCommand();
        command.wrap(new UnsafeBuffer(bytes), 0);
        command.fabricsType(FabricsType.PROPERTY_SET).attributes(PropertyCommand.SIZE_4)
            .propertyOffset(property).value(value);
        return bytes;
    }

    static byte[] propertyGet(final int commandId, final int property)
    {
        final byte[] bytes = entry(OPCODE_FABRICS, commandId, 0, 0, 0);
        final PropertyCommand command = new PropertyCommand();
        command.wrap(new UnsafeBuffer(bytes), 0);
        command.fabricsType(FabricsType.PROPERTY_GET).attributes(PropertyCommand.SIZE_4).propertyOffset(property);
        return bytes;
    }

    static byte[] numberOfQueues(final int commandId, final int queues)
    {
        final byte[] bytes = entry(OPCODE_SET_FEATURES, commandId, 0, 0, 0);
        view(bytes).cdw10(FEATURE_NUMBER_OF_QUEUES).cdw11((queues - 1) | (queues - 1) << 16);
        return bytes;
    }

    static byte[] identifyController(final int commandId)
    {
        final byte[] bytes = entry(OPCODE_IDENTIFY, commandId, 0, SglDescriptor.TRANSPORT_DATA_BLOCK, 4096);
        view(bytes).cdw10(1);
        return bytes;
    }

    static byte[] getLogPage(final int commandId, final int page, final int lengthBytes)
    {
        final byte[] bytes = entry(OPCODE_GET_LOG_PAGE, commandId, 0xFFFFFFFF,
            SglDescriptor.TRANSPORT_DATA_BLOCK, lengthBytes);
        final int dwords = lengthBytes / Integer.BYTES - 1;
        view(bytes).cdw10(page | dwords << 16).cdw11(dwords >>> 16);
        return bytes;
    }

    static byte[] read(final int commandId, final long lba, final int blocks, final int lengthBytes)
    {
        return io(IoOpcode.READ, commandId, lba, blocks, SglDescriptor.TRANSPORT_DATA_BLOCK, lengthBytes);
    }

    static byte[] write(final int commandId, final long lba, final int blocks, final int lengthBytes)
    {
        return io(IoOpcode.WRITE, commandId, lba, blocks, SglDescriptor.TRANSPORT_DATA_BLOCK, lengthBytes);
    }

    static byte[] compare(final int commandId, final long lba, final int blocks, final int lengthBytes)
    {
        return io(IoOpcode.COMPARE, commandId, lba, blocks, SglDescriptor.TRANSPORT_DATA_BLOCK, lengthBytes);
    }

    /**
     * The command with force unit access.
     */
    static byte[] forced(final byte[] io)
    {
        view(io).cdw12(view(io).cdw12() | FORCE_UNIT_ACCESS);
        return io;
    }

    static byte[] writeInCapsule(final int commandId, final long lba, final int blocks, final int lengthBytes)
    {
        return io(IoOpcode.WRITE, commandId, lba, blocks, SglDescriptor.DATA_BLOCK_OFFSET, lengthBytes);
    }

    static byte[] flush(final int commandId)
    {
        return entry(IoOpcode.FLUSH, commandId, 1, 0, 0);
    }

    private static byte[] io(
        final int opcode,
        final int commandId,
        final long lba,
        final int blocks,
        final int sglType,
        final int lengthBytes)
    {
        final byte[] bytes = entry(opcode, commandId, 1, sglType, lengthBytes);
        view(bytes).startingLba(lba).cdw12(blocks - 1);
        return bytes;
    }

    private static byte[] entry(
        final int opcode, final int commandId, final int namespaceId, final int sglType, final int lengthBytes)
    {
        final byte[] bytes = new byte[SubmissionQueueEntry.SIZE_BYTES];
        view(bytes).opcode(opcode).flags(SglDescriptor.FLAGS_PSDT_SGL).commandId(commandId).namespaceId(namespaceId)
            .sglType(sglType).sglLength(lengthBytes);
        return bytes;
    }

    private static SubmissionQueueEntry view(final byte[] bytes)
    {
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(bytes), 0);
        return entry;
    }
}
