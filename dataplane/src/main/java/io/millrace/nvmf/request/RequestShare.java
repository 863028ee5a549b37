package io.millrace.nvmf.request;

/**
 * Shared slots of a reactor that the queue pairs of one host address hold beyond their guaranteed ones.
 * Single-threaded.
 */
public final class RequestShare
{
    private final String address;
    private int queuePairs;
    private int used;

    /**
     * Holds nothing.
     *
     * @param address of the host.
     */
    RequestShare(final String address)
    {
        this.address = address;
    }

    String address()
    {
        return address;
    }

    int queuePairs()
    {
        return queuePairs;
    }

    void queuePairs(final int count)
    {
        queuePairs = count;
    }

    int used()
    {
        return used;
    }

    void used(final int slots)
    {
        used = slots;
    }
}
