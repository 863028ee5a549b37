package io.millrace.nvme.identify;

/**
 * What an Identify command asks for, bits 7:0 of its dword 10 (NVM Express Base 2.0, section 5.17.1). Every answer has
 * 4096 bytes.
 */
public final class IdentifyCns
{
    /** Size of every answer in bytes. */
    public static final int DATA_BYTES = 4096;

    /** Namespace, NVM command set. */
    public static final int NAMESPACE = 0x00;
    /** Controller. */
    public static final int CONTROLLER = 0x01;
    /** Ids of active namespaces above the one named. */
    public static final int ACTIVE_NAMESPACES = 0x02;
    /** Descriptors that identify a namespace. */
    public static final int NAMESPACE_DESCRIPTORS = 0x03;
    /** Namespace, what its I/O command set adds. */
    public static final int NAMESPACE_COMMAND_SET = 0x05;
    /** Controller, what an I/O command set adds. */
    public static final int CONTROLLER_COMMAND_SET = 0x06;
    /** Ids of active namespaces of an I/O command set. */
    public static final int ACTIVE_NAMESPACES_COMMAND_SET = 0x07;
    /** Namespace, whatever its I/O command set. */
    public static final int NAMESPACE_INDEPENDENT = 0x08;
    /** Ids of allocated namespaces. */
    public static final int ALLOCATED_NAMESPACES = 0x10;
    /** Allocated namespace. */
    public static final int ALLOCATED_NAMESPACE = 0x11;
    /** Controllers that a namespace is attached to. */
    public static final int NAMESPACE_CONTROLLERS = 0x12;
    /** Controllers of the subsystem. */
    public static final int SUBSYSTEM_CONTROLLERS = 0x13;
    /** I/O command sets that a controller can use together. */
    public static final int COMMAND_SETS = 0x1C;

    /** Command set identifier of the NVM command set. */
    public static final int CSI_NVM = 0;

    private IdentifyCns()
    {
    }
}
