package io.millrace.nvmf.initiator;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectCommand;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.NvmeStatus;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Fills the Fabrics Connect command and its data (NVM Express Base 2.0, section 6.3), and says what a refusal means.
 */
public final class AssociationCommand
{
    private static final int AUTHENTICATION_REQUIRED = 0x3_0000;

    private AssociationCommand()
    {
    }

    /**
     * Fills the data.
     *
     * @param buffer       of {@link ConnectData#SIZE_BYTES}.
     * @param host         who connects.
     * @param subsystemNqn to which subsystem.
     * @param controllerId to which controller of it.
     */
    public static void writeData(
        final UnsafeBuffer buffer, final HostConfig host, final String subsystemNqn, final int controllerId)
    {
        final UUID id = host.hostId();
        final ConnectData data = new ConnectData();
        buffer.setMemory(0, ConnectData.SIZE_BYTES, (byte)0);
        data.wrap(buffer, 0);
        data.setHostId(ByteBuffer.allocate(16)
            .putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array())
            .controllerId(controllerId).subsystemNqn(subsystemNqn).hostNqn(host.hostNqn());
    }

    /**
     * Fills the command.
     *
     * @param request       to fill.
     * @param dataAddress   of the data.
     * @param queueId       0 for the admin queue.
     * @param entries       of the submission queue, at least 2.
     * @param sqFlowControl whether the controller is to report its head.
     * @param keepAliveMs   of the association; admin queue only.
     */
    public static void write(
        final HostRequest request,
        final long dataAddress,
        final int queueId,
        final int entries,
        final boolean sqFlowControl,
        final int keepAliveMs)
    {
        request.command(AdminOpcode.FABRICS, FabricsType.CONNECT).data(dataAddress, ConnectData.SIZE_BYTES);
        request.cdw10 = queueId << 16;
        request.cdw11 = entries - 1 | (sqFlowControl ? 0 : ConnectCommand.ATTRIBUTE_NO_FLOW_CONTROL << 16);
        request.cdw12 = keepAliveMs;
    }

    /**
     * Says whether the queue is associated.
     *
     * @param request that was answered.
     * @param config  of the connection.
     * @param host    who connected.
     * @return null when it is; else why not, in one sentence.
     */
    public static String refusal(final HostRequest request, final ConnectionConfig config, final HostConfig host)
    {
        if (!request.isSuccess())
        {
            return explain(request.status(), request.result0(), config, host);
        }
        return 0 == (request.result0() & AUTHENTICATION_REQUIRED) ? null :
            config.subsystemNqn() + " requires authentication, which this host does not support: allow host " +
                host.hostNqn() + " without";
    }

    /**
     * {@return the controller that the target gave}
     *
     * @param request that was answered, without a {@link #refusal}.
     */
    public static int controllerId(final HostRequest request)
    {
        return request.result0() & 0xFFFF;
    }

    /**
     * Says why a target refused.
     *
     * @param status  of the answer.
     * @param result0 of the answer.
     * @param config  of the connection.
     * @param host    who connected.
     * @return one sentence.
     */
    public static String explain(
        final int status, final int result0, final ConnectionConfig config, final HostConfig host)
    {
        return switch (NvmeStatus.code(status))
        {
            case NvmeStatus.CONNECT_CONTROLLER_BUSY ->
                "controller of " + config.subsystemNqn() + " is busy: try again later";
            case NvmeStatus.CONNECT_INVALID_PARAMETERS -> explainParameter(result0, config, host);
            case NvmeStatus.CONNECT_RESTART_DISCOVERY ->
                config.target() + " asks to restart discovery: its subsystems changed";
            case NvmeStatus.CONNECT_INVALID_HOST -> config.subsystemNqn() + " does not allow host " + host.hostNqn() +
                ": add it to the subsystem's hosts, or allow any host";
            default -> "Connect to " + config.subsystemNqn() + " at " + config.target() + " was answered with " +
                describe(status);
        };
    }

    /**
     * Puts a status into words.
     *
     * @param status of a command.
     * @return name and number.
     */
    static String describe(final int status)
    {
        return NvmeStatus.name(status) + " (status 0x" + Integer.toHexString(status) + ")";
    }

    private static String explainParameter(
        final int result0, final ConnectionConfig config, final HostConfig host)
    {
        return switch (result0 & 0x1_FFFF)
        {
            case ConnectCommand.REFUSED_DATA | ConnectData.SUBSYSTEM_NQN_POSITION ->
                "no subsystem " + config.subsystemNqn() + " at " + config.target() +
                    ": list what it offers with 'discover'";
            case ConnectCommand.REFUSED_DATA | ConnectData.HOST_NQN_POSITION ->
                config.subsystemNqn() + " refuses host NQN " + host.hostNqn();
            case ConnectCommand.REFUSED_DATA | ConnectData.CONTROLLER_ID_POSITION ->
                config.subsystemNqn() + " does not know the controller any more";
            default -> "Connect to " + config.subsystemNqn() + " was refused for its parameter at offset " +
                (result0 & 0xFFFF) +
                (0 != (result0 & ConnectCommand.REFUSED_DATA) ? " of the data" : " of the command");
        };
    }
}
