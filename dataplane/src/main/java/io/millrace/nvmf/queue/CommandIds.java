package io.millrace.nvmf.queue;

/**
 * Which of the 65,536 command identifiers of a queue are in use: a host may choose any. Single-threaded.
 */
final class CommandIds
{
    private static final int COUNT = 1 << 16;

    private final long[] used = new long[COUNT / Long.SIZE];

    /**
     * Marks an identifier.
     *
     * @param commandId below 65,536.
     * @return false when it was in use.
     */
    boolean claim(final int commandId)
    {
        final int index = commandId >>> 6;
        final long bit = 1L << commandId;
        final long before = used[index];
        used[index] = before | bit;
        return 0 == (before & bit);
    }

    /**
     * Takes the mark away.
     *
     * @param commandId that was claimed.
     */
    void release(final int commandId)
    {
        used[commandId >>> 6] &= ~(1L << commandId);
    }
}
