package io.millrace.nvmf.rdma;

/**
 * What a request of the send queue is for: kind and the tag of its command. Stateless.
 */
final class WorkId
{
    /** Data of a write is read. */
    static final int READ = 0;
    /** Data is written to the host, and something follows. */
    static final int WRITE = 1;
    /** The last data of a part is written to the host. */
    static final int PART = 2;
    /** The completion is sent. */
    static final int RESPONSE = 3;

    private static final int KIND_BITS = 2;
    private static final int KIND_MASK = (1 << KIND_BITS) - 1;

    private WorkId()
    {
    }

    static long of(final int kind, final int tag)
    {
        return (long)tag << KIND_BITS | kind;
    }

    static int kind(final long id)
    {
        return (int)id & KIND_MASK;
    }

    static int tag(final long id)
    {
        return (int)(id >>> KIND_BITS);
    }
}
