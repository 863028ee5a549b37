package io.millrace.nvmf;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;

/**
 * Checks of a command's data pointer: the one SGL descriptor of its entry (NVM Express Base 2.0, sections 4.1.2 and
 * 3.3.3.1). Stateless.
 */
final class DataPointer
{
    private DataPointer()
    {
    }

    /**
     * Checks a pointer for data that goes to the host.
     *
     * @param entry       of the command.
     * @param lengthBytes that the command transfers.
     * @return status; 0 when it is right.
     */
    static int checkToHost(final SubmissionQueueEntry entry, final int lengthBytes)
    {
        if (SglDescriptor.FLAGS_PSDT_SGL != entry.flags())
        {
            return NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
        }
        if (SglDescriptor.TRANSPORT_DATA_BLOCK != entry.sglType())
        {
            return NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID | NvmeStatus.DO_NOT_RETRY;
        }
        if (lengthBytes != entry.sglLength())
        {
            return NvmeStatus.DATA_SGL_LENGTH_INVALID | NvmeStatus.DO_NOT_RETRY;
        }
        return NvmeStatus.SUCCESS;
    }

    /**
     * Checks a pointer for data that comes from the host.
     *
     * @param request        of the command; what came in its capsule is named.
     * @param lengthBytesMin that the command needs.
     * @param lengthBytesMax that the pointer may have.
     * @return status; 0 when it is right.
     */
    static int checkFromHost(final Request request, final int lengthBytesMin, final int lengthBytesMax)
    {
        final SubmissionQueueEntry entry = request.entry();
        if (SglDescriptor.FLAGS_PSDT_SGL != entry.flags())
        {
            return NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
        }
        final int length = entry.sglLength();
        final int type = entry.sglType();
        if (SglDescriptor.DATA_BLOCK_OFFSET == type)
        {
            final long offset = entry.sglAddress();
            // Length first: it is unsigned and a negative one must not pass for a small one.
            if (length < 0 || offset < 0 || offset > (long)request.inCapsuleLength() - length)
            {
                return NvmeStatus.SGL_OFFSET_INVALID | NvmeStatus.DO_NOT_RETRY;
            }
        }
        else if (SglDescriptor.TRANSPORT_DATA_BLOCK != type)
        {
            return NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID | NvmeStatus.DO_NOT_RETRY;
        }
        if (length < lengthBytesMin || length > lengthBytesMax)
        {
            return NvmeStatus.DATA_SGL_LENGTH_INVALID | NvmeStatus.DO_NOT_RETRY;
        }
        return NvmeStatus.SUCCESS;
    }

    /**
     * {@return whether the data came with the capsule}
     *
     * @param entry of a command whose pointer has been checked.
     */
    static boolean isInCapsule(final SubmissionQueueEntry entry)
    {
        return SglDescriptor.DATA_BLOCK_OFFSET == entry.sglType();
    }
}
