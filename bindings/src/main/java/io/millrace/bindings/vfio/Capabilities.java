package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_info_cap_header;

/**
 * The chain of capabilities behind an answer: each begins with its number and the offset of the next from the answer's
 * begin.
 */
final class Capabilities
{
    /** Of any capability's header. */
    static final int HEADER_BYTES = (int)vfio_info_cap_header.sizeof();
    private static final long ID = vfio_info_cap_header.id$offset();
    private static final long NEXT = vfio_info_cap_header.next$offset();

    private Capabilities()
    {
    }

    /**
     * Where a capability is. A chain that leaves the answer, or goes back, ends there.
     *
     * @param address     of the answer.
     * @param lengthBytes of the answer.
     * @param first       offset of the first capability.
     * @param id          of the capability.
     * @param sizeBytes   of its fixed part.
     * @return its offset from the answer's begin, or -1.
     */
    static int find(final long address, final int lengthBytes, final int first, final int id, final int sizeBytes)
    {
        int offset = first;
        int last = 0;
        while (offset > last && offset <= lengthBytes - HEADER_BYTES)
        {
            if (id == (NativeMemory.getShort(address + offset + ID) & 0xFFFF))
            {
                return offset <= lengthBytes - sizeBytes ? offset : -1;
            }
            last = offset;
            offset = NativeMemory.getInt(address + offset + NEXT);
        }
        return -1;
    }
}
