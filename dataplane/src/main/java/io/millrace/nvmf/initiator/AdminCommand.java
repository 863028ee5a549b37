package io.millrace.nvmf.initiator;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.AnaLogHeader;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.PropertyCommand;
import io.millrace.nvme.identify.IdentifyCns;

/**
 * A command for the admin queue. Immutable. For set-up and management: allocates.
 *
 * @param opcode    of the command.
 * @param nsid      namespace, or 0.
 * @param cdw10     double word 10.
 * @param cdw11     double word 11.
 * @param cdw12     double word 12.
 * @param cdw13     double word 13.
 * @param cdw14     double word 14.
 * @param cdw15     double word 15.
 * @param dataBytes length of the data that moves, which way the opcode says; up to {@link #DATA_BYTES_MAX}.
 */
public record AdminCommand(
    int opcode,
    int nsid,
    int cdw10,
    int cdw11,
    int cdw12,
    int cdw13,
    int cdw14,
    int cdw15,
    int dataBytes)
{
    /** Most data of one command. */
    public static final int DATA_BYTES_MAX = 4096;

    /**
     * Checks what can be checked.
     */
    public AdminCommand
    {
        if (dataBytes < 0 || dataBytes > DATA_BYTES_MAX || 0 != (dataBytes & 3))
        {
            throw new InitiatorException("admin data of " + dataBytes + " bytes is not possible: use up to " +
                DATA_BYTES_MAX + ", a multiple of 4");
        }
    }

    private static AdminCommand of(
        final int opcode, final int nsid, final int cdw10, final int cdw11, final int dataBytes)
    {
        return new AdminCommand(opcode, nsid, cdw10, cdw11, 0, 0, 0, 0, dataBytes);
    }

    /**
     * Identify.
     *
     * @param cns  what to identify, as {@link IdentifyCns} has it.
     * @param nsid namespace, or 0.
     * @return the command.
     */
    public static AdminCommand identify(final int cns, final int nsid)
    {
        return of(AdminOpcode.IDENTIFY, nsid, cns, 0, IdentifyCns.DATA_BYTES);
    }

    /**
     * Get Log Page, one piece.
     *
     * @param logPageId   as {@link LogPageId} has it.
     * @param nsid        namespace, or FFFFFFFFh for the controller.
     * @param offset      of the piece in bytes.
     * @param lengthBytes of the piece.
     * @return the command.
     */
    public static AdminCommand logPage(
        final int logPageId, final int nsid, final long offset, final int lengthBytes)
    {
        return new AdminCommand(AdminOpcode.GET_LOG_PAGE, nsid, LogPageId.dword10(logPageId, false, lengthBytes),
            LogPageId.dword11(lengthBytes), (int)offset, (int)(offset >>> 32), 0, 0, lengthBytes);
    }

    /**
     * Get Log Page of the ANA groups, without their namespaces.
     *
     * @param lengthBytes of the page from its beginning.
     * @return the command.
     */
    public static AdminCommand anaGroups(final int lengthBytes)
    {
        return new AdminCommand(AdminOpcode.GET_LOG_PAGE, 0,
            LogPageId.dword10(LogPageId.ANA, false, lengthBytes) | AnaLogHeader.GROUPS_ONLY,
            LogPageId.dword11(lengthBytes), 0, 0, 0, 0, lengthBytes);
    }

    /**
     * Get Features without data.
     *
     * @param featureId as {@link io.millrace.nvme.FeatureId} has it.
     * @return the command.
     */
    public static AdminCommand getFeature(final int featureId)
    {
        return of(AdminOpcode.GET_FEATURES, 0, featureId, 0, 0);
    }

    /**
     * Set Features without data.
     *
     * @param featureId as {@link io.millrace.nvme.FeatureId} has it.
     * @param value     double word 11.
     * @return the command.
     */
    public static AdminCommand setFeature(final int featureId, final int value)
    {
        return of(AdminOpcode.SET_FEATURES, 0, featureId, value, 0);
    }

    /**
     * Keep Alive.
     *
     * @return the command.
     */
    public static AdminCommand keepAlive()
    {
        return of(AdminOpcode.KEEP_ALIVE, 0, 0, 0, 0);
    }

    /**
     * Property Get.
     *
     * @param property  offset, as {@link io.millrace.nvme.ControllerProperty} has it.
     * @param sizeBytes 4 or 8.
     * @return the command.
     */
    public static AdminCommand getProperty(final int property, final int sizeBytes)
    {
        return of(AdminOpcode.FABRICS, FabricsType.PROPERTY_GET,
            8 == sizeBytes ? PropertyCommand.SIZE_8 : PropertyCommand.SIZE_4, property, 0);
    }

    /**
     * Property Set of a 4-byte property.
     *
     * @param property offset, as {@link io.millrace.nvme.ControllerProperty} has it.
     * @param value    to set.
     * @return the command.
     */
    public static AdminCommand setProperty(final int property, final int value)
    {
        return new AdminCommand(AdminOpcode.FABRICS, FabricsType.PROPERTY_SET, PropertyCommand.SIZE_4, property,
            value, 0, 0, 0, 0);
    }

    /**
     * Asynchronous Event Request.
     *
     * @return the command.
     */
    static AdminCommand asyncEventRequest()
    {
        return of(AdminOpcode.ASYNC_EVENT_REQUEST, 0, 0, 0, 0);
    }
}
