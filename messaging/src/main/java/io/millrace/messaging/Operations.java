package io.millrace.messaging;

import io.millrace.messaging.transport.MessageLink;

/**
 * Numbers of reads and writes that are outstanding: half of them for messages that this side reads, the others for the
 * user's. One connection's.
 */
final class Operations
{
    private static final int HALF = MessageLink.OPERATIONS_MAX / 2;
    /** There is no number now. */
    static final int NONE = -1;

    private final long[] values = new long[MessageLink.OPERATIONS_MAX];
    private final boolean[] isTaken = new boolean[MessageLink.OPERATIONS_MAX];
    private final int[] free = new int[MessageLink.OPERATIONS_MAX];
    private int freeForMessages = HALF;
    private int freeForUser = HALF;

    Operations()
    {
        for (int i = 0; i < free.length; i++)
        {
            free[i] = i;
        }
    }

    static boolean isUsers(final int operation)
    {
        return operation >= HALF;
    }

    int takeForMessage(final long sequence)
    {
        return 0 == freeForMessages ? NONE : take(free[--freeForMessages], sequence);
    }

    boolean hasForUser()
    {
        return freeForUser > 0;
    }

    int takeForUser(final long id)
    {
        return 0 == freeForUser ? NONE : take(free[HALF + --freeForUser], id);
    }

    private int take(final int operation, final long value)
    {
        values[operation] = value;
        isTaken[operation] = true;
        return operation;
    }

    boolean isTaken(final int operation)
    {
        return isTaken[operation];
    }

    long release(final int operation)
    {
        isTaken[operation] = false;
        if (isUsers(operation))
        {
            free[HALF + freeForUser++] = operation;
        }
        else
        {
            free[freeForMessages++] = operation;
        }
        return values[operation];
    }
}
