package io.millrace.reactor;

import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;

/**
 * Says that a consumer sleeps in the kernel, or is about to: a 32-bit word in native memory, so that Java and C look at
 * the same one. 1 is up, 0 is down. The consumer raises and lowers it; whoever has published work and finds it up
 * lowers it and signals, so that of many producers one makes the system call. Raising and publishing are each followed
 * by a full fence, which is the caller's.
 * <p>
 * The word has two cache lines to itself, since processors fetch lines in pairs: a producer that looks at it keeps a
 * copy while the consumer is awake, whatever the consumer writes in each cycle. The memory of a reactor's flag is
 * never freed, 128 bytes for each reactor that a process makes: who comes late finds a word that says awake.
 */
final class SleepingFlag
{
    /** What a flag takes, and how it is aligned. */
    static final int SIZE_BYTES = 128;

    private static final int DOWN = 0;
    private static final int UP = 1;

    private final long address;

    /**
     * A flag at a place of its own, down.
     */
    SleepingFlag()
    {
        this(Arena.global().allocate(SIZE_BYTES, SIZE_BYTES).address());
    }

    /**
     * A flag in memory that outlives it.
     *
     * @param address of {@link #SIZE_BYTES} bytes, aligned to as many.
     */
    SleepingFlag(final long address)
    {
        this.address = address;
    }

    /**
     * {@return where the word is}
     */
    long address()
    {
        return address;
    }

    void raise()
    {
        NativeMemory.putIntRelease(address, UP);
    }

    void lower()
    {
        NativeMemory.putIntRelease(address, DOWN);
    }

    boolean isUp()
    {
        return DOWN != NativeMemory.getIntAcquire(address);
    }

    /**
     * Lowers the flag for the one that signals.
     *
     * @return false when it was down, or another lowers it.
     */
    boolean tryLower()
    {
        return NativeMemory.compareAndSetInt(address, UP, DOWN);
    }
}
