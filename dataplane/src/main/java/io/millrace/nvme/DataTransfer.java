package io.millrace.nvme;

/**
 * Which way the data of a command goes: bits 1:0 of an opcode or fabrics type (NVM Express Base 2.0, section 3.3.3.1).
 */
public final class DataTransfer
{
    /** No data. */
    public static final int NONE = 0;
    /** Host to controller. */
    public static final int HOST_TO_CONTROLLER = 1;
    /** Controller to host. */
    public static final int CONTROLLER_TO_HOST = 2;

    private DataTransfer()
    {
    }

    /**
     * {@return which way data goes}
     *
     * @param opcode of an admin or I/O command, or the type of a fabrics command.
     */
    public static int of(final int opcode)
    {
        return opcode & 3;
    }
}
