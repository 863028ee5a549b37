package io.millrace.nvmf.transport;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvme.identify.IdentifyControllerIo;
import java.util.Set;

/**
 * Which data pointers a transport takes: what controllers tell hosts of it, and the parser that goes by it. Immutable;
 * parsing allocates nothing.
 */
public final class DataPointerFormat
{
    private final boolean isInCapsuleTaken;
    private final boolean isTransportTaken;
    private final boolean isKeyedTaken;
    private final int inCapsuleDataBytesMax;

    /**
     * A format.
     *
     * @param kinds                 that the transport takes, at least one.
     * @param inCapsuleDataBytesMax most data within the capsule of an I/O command, in bytes; a multiple of 16.
     */
    public DataPointerFormat(final Set<DataPointer.Kind> kinds, final int inCapsuleDataBytesMax)
    {
        if (kinds.isEmpty() || kinds.contains(DataPointer.Kind.NONE))
        {
            throw new IllegalArgumentException("transport takes no data pointers: name the kinds it takes");
        }
        isInCapsuleTaken = kinds.contains(DataPointer.Kind.IN_CAPSULE);
        isTransportTaken = kinds.contains(DataPointer.Kind.TRANSPORT);
        isKeyedTaken = kinds.contains(DataPointer.Kind.KEYED);
        this.inCapsuleDataBytesMax = inCapsuleDataBytesMax;
    }

    /**
     * {@return SGL support as Identify Controller tells it (SGLS)}
     */
    public int sglSupport()
    {
        return IdentifyControllerIo.SGL_ANY_ALIGNMENT |
            (isInCapsuleTaken ? IdentifyControllerIo.SGL_OFFSET : 0) |
            (isTransportTaken ? IdentifyControllerIo.SGL_TRANSPORT : 0) |
            (isKeyedTaken ? IdentifyControllerIo.SGL_KEYED : 0);
    }

    /**
     * {@return most data within the capsule of an I/O command, in bytes: IOCCSZ without the entry}
     */
    public int inCapsuleDataBytesMax()
    {
        return inCapsuleDataBytesMax;
    }

    /**
     * {@return where data in a capsule begins behind the entry, in units of 16 bytes (ICDOFF)}
     */
    public int inCapsuleDataOffset()
    {
        return 0;
    }

    /**
     * {@return most descriptors in a capsule (MSDBD)}
     */
    public int descriptorsMax()
    {
        return 1;
    }

    /**
     * Parses the data pointer of a command.
     *
     * @param entry     of the command.
     * @param dataBytes that came in its capsule.
     * @param result    to set. A descriptor that is wrong fails the command only if it moves data.
     */
    public void parse(final SubmissionQueueEntry entry, final int dataBytes, final DataPointer result)
    {
        final int type = entry.sglType();
        if (SglDescriptor.FLAGS_PSDT_SGL != entry.flags())
        {
            result.refuse(NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY);
        }
        else if (SglDescriptor.TRANSPORT_DATA_BLOCK == type && isTransportTaken)
        {
            result.set(DataPointer.Kind.TRANSPORT, NvmeStatus.SUCCESS, 0, entry.sglLength());
        }
        else if (SglDescriptor.DATA_BLOCK_OFFSET == type && isInCapsuleTaken)
        {
            final long offset = entry.sglAddress();
            final int length = entry.sglLength();
            // Length first: it is unsigned and a negative one must not pass for a small one.
            final boolean isOutside = length < 0 || offset < 0 || offset > (long)dataBytes - length;
            result.set(DataPointer.Kind.IN_CAPSULE,
                isOutside ? NvmeStatus.SGL_OFFSET_INVALID | NvmeStatus.DO_NOT_RETRY : NvmeStatus.SUCCESS,
                offset, length);
        }
        else if (isKeyedTaken &&
            (SglDescriptor.KEYED_ADDRESS == type || SglDescriptor.KEYED_ADDRESS_INVALIDATE == type))
        {
            // One without length names no memory, so its key may be none: no answer could be sent that invalidates it.
            result.setKeyed(entry.sglAddress(), entry.sglKeyedLength(), entry.sglKey(),
                SglDescriptor.KEYED_ADDRESS_INVALIDATE == type && 0 != entry.sglKeyedLength());
        }
        else
        {
            result.refuse(NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID | NvmeStatus.DO_NOT_RETRY);
        }
    }
}
