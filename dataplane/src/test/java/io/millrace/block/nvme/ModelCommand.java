package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import java.util.List;

/**
 * A command that a {@link ModelController} fetched.
 *
 * @param queueId of its submission queue.
 * @param words   of its entry, 8.
 * @param ranges  of memory that it may write, pairs of address and length.
 */
record ModelCommand(int queueId, long[] words, List<long[]> ranges)
{
    static ModelCommand fetch(final int queueId, final long address)
    {
        final long[] words = new long[8];
        for (int i = 0; i < words.length; i++)
        {
            words[i] = NativeMemory.getLong(address + 8L * i);
        }
        return new ModelCommand(queueId, words, new java.util.ArrayList<>());
    }

    int opcode()
    {
        return (int)words[0] & 0xFF;
    }

    int flags()
    {
        return (int)words[0] >>> 8 & 0xFF;
    }

    int commandId()
    {
        return (int)words[0] >>> 16;
    }

    int namespaceId()
    {
        return (int)(words[0] >>> 32);
    }

    long metadataPointer()
    {
        return words[2];
    }

    long prp1()
    {
        return words[3];
    }

    long prp2()
    {
        return words[4];
    }

    long startingLba()
    {
        return words[5];
    }

    int dword(final int number)
    {
        final long word = words[number / 2];
        return (int)(0 == number % 2 ? word : word >>> 32);
    }

    int blocks()
    {
        return (dword(12) & 0xFFFF) + 1;
    }

    boolean isIo()
    {
        return 0 != queueId;
    }
}
