package io.millrace.nvmf;

import io.millrace.nvme.ConnectCommand;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.PropertyCommand;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.queue.CommandHandler;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.queue.QueuePairState;
import io.millrace.nvmf.queue.SubsystemChannels;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPayload;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Fabrics commands (NVM Express Base 2.0, section 6). One instance a reactor, used on its thread alone; they are rare,
 * so they may allocate.
 */
final class FabricsCommands implements CommandHandler
{
    private static final int INVALID_FIELD = NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
    private static final int INVALID_PARAMETERS = NvmeStatus.CONNECT_INVALID_PARAMETERS | NvmeStatus.DO_NOT_RETRY;
    private static final int SEQUENCE_ERROR = NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY;
    private static final int HOST_ID_BYTES = 16;

    private final PollGroup pollGroup;
    private final Target target;
    private final ConnectCommand connectCommand = new ConnectCommand();
    private final ConnectData connectData = new ConnectData();
    private final PropertyCommand propertyCommand = new PropertyCommand();
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);

    FabricsCommands(final PollGroup pollGroup)
    {
        this.pollGroup = pollGroup;
        target = pollGroup.target();
    }

    @Override
    public void execute(final QueuePair queuePair, final Request request)
    {
        final SubmissionQueueEntry entry = request.entry();
        final int type = FabricsType.of(entry);
        if (QueuePairState.DISCONNECTING == queuePair.state())
        {
            queuePair.complete(request, NvmeStatus.ABORTED_SQ_DELETION);
        }
        else if (FabricsType.CONNECT == type)
        {
            connect(queuePair, request);
        }
        else if (QueuePairState.NEW == queuePair.state())
        {
            queuePair.complete(request, SEQUENCE_ERROR);
        }
        else if (FabricsType.PROPERTY_GET == type && QueuePairState.ADMIN == queuePair.state())
        {
            propertyGet(queuePair, request);
        }
        else if (FabricsType.PROPERTY_SET == type && QueuePairState.ADMIN == queuePair.state())
        {
            propertySet(queuePair, request);
        }
        else if (FabricsType.DISCONNECT == type)
        {
            disconnect(queuePair, request);
        }
        else
        {
            queuePair.complete(request, NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY);
        }
    }

    private void connect(final QueuePair queuePair, final Request request)
    {
        if (QueuePairState.NEW != queuePair.state())
        {
            queuePair.complete(request, SEQUENCE_ERROR);
            return;
        }
        if (RequestPayload.NONE == request.payload())
        {
            final int status = request.dataPointer().checkFromHost(ConnectData.SIZE_BYTES, ConnectData.SIZE_BYTES);
            if (NvmeStatus.SUCCESS != status)
            {
                queuePair.complete(request, status);
                return;
            }
        }
        if (request.dataPointer().isInCapsule())
        {
            // Without a buffer, so that hosts can connect while others hold all of them.
            view.wrap(request.capsuleDataAddress(), ConnectData.SIZE_BYTES);
        }
        else if (queuePair.resources().payloads().receive(request, ConnectData.SIZE_BYTES))
        {
            view.wrap(request.bufferAddress(), ConnectData.SIZE_BYTES);
        }
        else
        {
            return;
        }
        connectData.wrap(view, 0);
        connectCommand.wrap(request.entry().buffer(), request.entry().offset());
        int status = checkCommand(request);
        final boolean isDiscovery =
            0 == connectCommand.queueId() && Nqn.DISCOVERY.equals(connectData.subsystemNqn());
        if (NvmeStatus.SUCCESS == status && !queuePair.transport().admit(connectCommand.queueId(), isDiscovery))
        {
            final String limit = isDiscovery ? "limits.discovery-connections" : "limits.connections";
            refused(request, "there are as many connections as " + limit + " or " + limit + "-per-address allow");
            status = NvmeStatus.CONNECT_CONTROLLER_BUSY;
            // It would take the place of a host that may connect.
            queuePair.disconnectAfter(request, "Connect was refused");
        }
        else if (NvmeStatus.SUCCESS == status)
        {
            status = 0 == connectCommand.queueId() ? connectAdmin(queuePair, request) : connectIo(queuePair, request);
            if (NvmeStatus.SUCCESS != status)
            {
                queuePair.transport().dismiss();
            }
        }
        queuePair.complete(request, status);
    }

    private int checkCommand(final Request request)
    {
        if (0 != connectCommand.recordFormat())
        {
            return NvmeStatus.CONNECT_INCOMPATIBLE_FORMAT | NvmeStatus.DO_NOT_RETRY;
        }
        final int queueSize = connectCommand.queueSize();
        final int depthMax =
            Math.min(target.config().queueDepthMax(), request.owner().transport().queueDepthMax());
        if (0 == queueSize || queueSize >= depthMax)
        {
            return refuseCommand(request, ConnectCommand.QUEUE_SIZE_POSITION,
                "queue size " + (queueSize + 1) + " is not within 2 to " + depthMax);
        }
        return NvmeStatus.SUCCESS;
    }

    private int connectAdmin(final QueuePair queuePair, final Request request)
    {
        final Subsystem subsystem = target.subsystem(connectData.subsystemNqn());
        if (null == subsystem || !subsystem.isDiscovery() && !target.servesSubsystemsAt(queuePair.local()))
        {
            return refuseData(request, ConnectData.SUBSYSTEM_NQN_POSITION, "subsystem does not exist at " +
                queuePair.local());
        }
        final String hostNqn = connectData.hostNqn();
        // Hosts use names of any form, spdk_nvme_perf an empty one, and targets accept them: the subsystem's list of
        // allowed hosts decides.
        if (hostNqn.getBytes(StandardCharsets.UTF_8).length > Nqn.LENGTH_BYTES_MAX)
        {
            return refuseData(request, ConnectData.HOST_NQN_POSITION,
                "host NQN is longer than " + Nqn.LENGTH_BYTES_MAX + " bytes or has no end");
        }
        if (ConnectData.CONTROLLER_ID_DYNAMIC != connectData.controllerId())
        {
            return refuseData(request, ConnectData.CONTROLLER_ID_POSITION, "controller id " +
                connectData.controllerId() + " was asked for, controllers are made as needed: ask for FFFFh");
        }
        if (!target.acceptsControllers())
        {
            refused(request, "the target takes no new controllers now");
            return NvmeStatus.CONNECT_CONTROLLER_BUSY;
        }
        final byte[] hostId = new byte[HOST_ID_BYTES];
        connectData.hostId(hostId);
        final Controller controller = new Controller(target, subsystem, queuePair, hostNqn, hostId,
            connectCommand.keepAliveTimeoutMs());
        final int status = subsystem.addController(controller, target.config().controllersMax(),
            target.newControllerIds());
        if (NvmeStatus.SUCCESS != status)
        {
            refused(request, NvmeStatus.CONNECT_CONTROLLER_BUSY == status ?
                "no controller slot is free, or none of the controller ids " + target.newControllerIds() :
                "host may not access the subsystem");
            return status;
        }
        join(queuePair, request, controller, pollGroup.open(subsystem));
        controller.keepAlive().start();
        target.listener().onConnected(
            Nqn.printable(hostNqn), controller.remote(), subsystem.nqn(), controller.id());
        return NvmeStatus.SUCCESS;
    }

    private int connectIo(final QueuePair queuePair, final Request request)
    {
        final Subsystem subsystem = target.subsystem(connectData.subsystemNqn());
        if (null == subsystem || subsystem.isDiscovery())
        {
            return refuseData(request, ConnectData.SUBSYSTEM_NQN_POSITION, "there is no such subsystem for I/O");
        }
        final Controller controller = subsystem.controllers().get(connectData.controllerId());
        if (null == controller)
        {
            return refuseData(request, ConnectData.CONTROLLER_ID_POSITION, "there is no controller " +
                connectData.controllerId());
        }
        if (!controller.hostNqn().equals(connectData.hostNqn()))
        {
            return refuseData(request, ConnectData.HOST_NQN_POSITION, "controller belongs to another host");
        }
        final byte[] hostId = new byte[HOST_ID_BYTES];
        connectData.hostId(hostId);
        if (!Arrays.equals(controller.hostId(), hostId))
        {
            return refuseData(request, ConnectData.HOST_ID_POSITION, "controller belongs to another host");
        }
        final int queueId = connectCommand.queueId();
        if (queueId > controller.ioQueuesGranted())
        {
            return refuseCommand(request, ConnectCommand.QUEUE_ID_POSITION, "queue id " + queueId +
                " is above the " + controller.ioQueuesGranted() + " granted");
        }
        final SubsystemChannels channels = pollGroup.open(subsystem);
        final int status = controller.addIoQueue(queuePair, queueId);
        if (NvmeStatus.SUCCESS == status)
        {
            join(queuePair, request, controller, channels);
        }
        return status;
    }

    private void join(
        final QueuePair queuePair,
        final Request request,
        final Controller controller,
        final SubsystemChannels channels)
    {
        queuePair.connect(controller, connectCommand.queueId(), connectCommand.queueSize() + 1,
            0 == (connectCommand.attributes() & ConnectCommand.ATTRIBUTE_NO_FLOW_CONTROL), channels);
        request.result(controller.id(), 0);
    }

    private int refuseData(final Request request, final int position, final String reason)
    {
        refused(request, reason);
        request.result(ConnectCommand.REFUSED_DATA | position, 0);
        return INVALID_PARAMETERS;
    }

    private int refuseCommand(final Request request, final int position, final String reason)
    {
        refused(request, reason);
        request.result(position, 0);
        return INVALID_PARAMETERS;
    }

    private void refused(final Request request, final String reason)
    {
        target.listener().onRefused(Nqn.printable(connectData.hostNqn()), request.owner().transport().remote(),
            Nqn.printable(connectData.subsystemNqn()), reason);
    }

    private void propertyGet(final QueuePair queuePair, final Request request)
    {
        propertyCommand.wrap(request.entry().buffer(), request.entry().offset());
        final Controller controller = Controller.of(queuePair);
        final int size = propertyCommand.attributes() & PropertyCommand.SIZE_MASK;
        final int offset = propertyCommand.propertyOffset();
        int status = NvmeStatus.SUCCESS;
        if (PropertyCommand.SIZE_8 == size && ControllerProperty.CAPABILITIES == offset)
        {
            final long capabilities = controller.capabilities();
            request.result((int)capabilities, (int)(capabilities >>> 32));
        }
        else if (PropertyCommand.SIZE_4 == size)
        {
            switch (offset)
            {
                case ControllerProperty.CAPABILITIES -> request.result((int)controller.capabilities(), 0);
                case ControllerProperty.CAPABILITIES + Integer.BYTES ->
                    request.result((int)(controller.capabilities() >>> 32), 0);
                case ControllerProperty.VERSION -> request.result(ControllerProperty.VERSION_2_0, 0);
                case ControllerProperty.CONFIGURATION -> request.result(controller.configuration(), 0);
                case ControllerProperty.STATUS -> request.result(controller.status(), 0);
                case ControllerProperty.READY_TIMEOUTS -> request.result(Controller.READY_TIMEOUT_MS / 500, 0);
                default -> status = INVALID_FIELD;
            }
        }
        else
        {
            status = INVALID_FIELD;
        }
        queuePair.complete(request, status);
    }

    private void propertySet(final QueuePair queuePair, final Request request)
    {
        propertyCommand.wrap(request.entry().buffer(), request.entry().offset());
        final boolean isConfiguration =
            PropertyCommand.SIZE_4 == (propertyCommand.attributes() & PropertyCommand.SIZE_MASK) &&
            ControllerProperty.CONFIGURATION == propertyCommand.propertyOffset();
        final int status = isConfiguration ?
            Controller.of(queuePair).configure((int)propertyCommand.value()) : INVALID_FIELD;
        queuePair.complete(request, status);
    }

    private void disconnect(final QueuePair queuePair, final Request request)
    {
        if (QueuePairState.IO != queuePair.state())
        {
            queuePair.complete(request, NvmeStatus.INVALID_QUEUE_TYPE | NvmeStatus.DO_NOT_RETRY);
            return;
        }
        connectCommand.wrap(request.entry().buffer(), request.entry().offset());
        if (0 != connectCommand.recordFormat())
        {
            queuePair.complete(request, NvmeStatus.CONNECT_INCOMPATIBLE_FORMAT | NvmeStatus.DO_NOT_RETRY);
            return;
        }
        queuePair.disconnectAfter(request, "requested by the host");
        queuePair.complete(request, NvmeStatus.SUCCESS);
    }
}
