package io.millrace.nvmf.initiator;

import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyControllerIo;

/**
 * What a capsule of a queue may carry besides the entry. Immutable.
 *
 * @param dataBytes   of data behind the entry.
 * @param sglSupport  as SGLS of Identify Controller has it; 0 where the controller has not been identified.
 * @param descriptors most SGL descriptors of a command (MSDBD); 0 for no limit.
 */
public record CapsuleLimits(int dataBytes, int sglSupport, int descriptors)
{
    /**
     * {@return those of an admin queue, which is opened before the controller is identified}
     *
     * @param dataBytes that the transport allows in any case.
     */
    public static CapsuleLimits ofAdmin(final int dataBytes)
    {
        return new CapsuleLimits(dataBytes, 0, 1);
    }

    /**
     * {@return those of an I/O queue}
     *
     * @param controller of the queue.
     */
    public static CapsuleLimits of(final ControllerInfo controller)
    {
        return new CapsuleLimits(
            controller.inCapsuleDataBytes(), controller.sglSupport(), controller.sglDescriptors());
    }

    /**
     * {@return whether keyed data blocks are taken}
     */
    public boolean takesKeyedBlocks()
    {
        return 0 != (sglSupport & IdentifyControllerIo.SGL_KEYED);
    }

    /**
     * {@return whether the address of a descriptor may be an offset into the capsule}
     */
    public boolean takesOffsets()
    {
        return 0 != (sglSupport & IdentifyControllerIo.SGL_OFFSET);
    }
}
