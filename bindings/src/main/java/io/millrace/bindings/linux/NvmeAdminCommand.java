package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.linux.linux_h;
import io.millrace.bindings.generated.linux.nvme_passthru_cmd;

/**
 * {@code struct nvme_passthru_cmd}, by address: an admin command for a controller that the kernel drives, given to
 * {@code ioctl(2)} on its character device. Set-up only. The structure is zeroed by the caller.
 */
public final class NvmeAdminCommand
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)nvme_passthru_cmd.sizeof();
    /** {@code ioctl}: sends it; answers the NVMe status, 0 when it ended well, or a negated errno. */
    public static final long NVME_IOCTL_ADMIN_CMD = linux_h.NVME_IOCTL_ADMIN_CMD();
    /** {@code ioctl}: resets the controller and waits for it; answers 0 or a negated errno. */
    public static final long NVME_IOCTL_RESET = linux_h.NVME_IOCTL_RESET();
    private static final long OPCODE = nvme_passthru_cmd.opcode$offset();
    private static final long NSID = nvme_passthru_cmd.nsid$offset();
    private static final long DATA = nvme_passthru_cmd.addr$offset();
    private static final long DATA_BYTES = nvme_passthru_cmd.data_len$offset();
    private static final long CDW10 = nvme_passthru_cmd.cdw10$offset();
    private static final long TIMEOUT_MS = nvme_passthru_cmd.timeout_ms$offset();

    private NvmeAdminCommand()
    {
    }

    /**
     * Says what is asked for.
     *
     * @param address   of the structure.
     * @param opcode    of the specification.
     * @param nsid      namespace, or 0.
     * @param timeoutMs after which the kernel aborts it.
     */
    public static void command(final long address, final int opcode, final int nsid, final int timeoutMs)
    {
        NativeMemory.putByte(address + OPCODE, (byte)opcode);
        NativeMemory.putInt(address + NSID, nsid);
        NativeMemory.putInt(address + TIMEOUT_MS, timeoutMs);
    }

    /**
     * Says where data goes to or comes from.
     *
     * @param address     of the structure.
     * @param dataAddress of this process.
     * @param lengthBytes of the data.
     */
    public static void data(final long address, final long dataAddress, final int lengthBytes)
    {
        NativeMemory.putLong(address + DATA, dataAddress);
        NativeMemory.putInt(address + DATA_BYTES, lengthBytes);
    }

    /**
     * Sets one of the command's dwords 10 to 15.
     *
     * @param address of the structure.
     * @param number  10 to 15.
     * @param value   new value.
     */
    public static void dword(final long address, final int number, final int value)
    {
        NativeMemory.putInt(address + CDW10 + (long)(number - 10) * Integer.BYTES, value);
    }
}
