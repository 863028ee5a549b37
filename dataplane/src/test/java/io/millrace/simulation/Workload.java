package io.millrace.simulation;

import io.millrace.bindings.NativeMemory;
import java.util.Arrays;

/**
 * What hosts do to a few blocks, so many requests in all, each write with values of its own. Blocks are zeroed once at
 * most, so that zeroes are a value like any other.
 */
final class Workload
{
    /** Of every block at first. */
    static final long INITIAL = 1;

    private final Draw draw;
    private final int blockBytes;
    private final int blocks;
    private final int blocksMax;
    private final int queues;
    private final long thinkNs;
    private final int writePercent;
    private final boolean isRacing;
    /** Changes of each block that may still be executed. */
    private final int[] changing;
    private final boolean[] zeroed;
    /** What each block was found to be, or changed to, most recently. */
    private final long[] latest;
    private boolean isSuccessExpected;
    private int left;
    private int outstanding;
    private int succeeded;
    private long nextValue;

    Workload(final Draw draw, final int blockBytes, final int blocks, final int blocksMax, final int operations)
    {
        this.draw = draw;
        this.blockBytes = blockBytes;
        this.blocks = blocks;
        this.blocksMax = blocksMax;
        left = operations;
        isRacing = draw.oneIn(4);
        changing = new int[blocks];
        zeroed = new boolean[blocks];
        latest = new long[blocks];
        Arrays.fill(latest, INITIAL);
        nextValue = INITIAL + 1;
        queues = 1 + draw.below(2);
        thinkNs = draw.of(20_000, 500_000, 8_000_000, 30_000_000);
        writePercent = draw.of(30, 50, 70);
    }

    /**
     * {@return whether hosts write a block while another write of it is outstanding. Otherwise they do not, as file
     *     systems do: what is sent again after the loss of a connection may be executed twice}
     */
    boolean isRacing()
    {
        return isRacing;
    }

    int blockBytes()
    {
        return blockBytes;
    }

    /** {@return bytes of the longest request} */
    int bytesMax()
    {
        return blocksMax * blockBytes;
    }

    int queues()
    {
        return queues;
    }

    long thinkNs()
    {
        return thinkNs;
    }

    int succeeded()
    {
        return succeeded;
    }

    boolean isGoingOn()
    {
        return left > 0;
    }

    boolean isDone()
    {
        return 0 == left && 0 == outstanding;
    }

    void begun(final Operation operation)
    {
        left--;
        outstanding++;
        count(operation, 1);
        if (operation.changesData() && Operation.Kind.WRITE != operation.kind)
        {
            Arrays.fill(zeroed, operation.block, operation.block + operation.blocks, true);
        }
    }

    private void count(final Operation operation, final int change)
    {
        if (operation.changesData())
        {
            for (int i = 0; i < operation.blocks; i++)
            {
                changing[operation.block + i] += change;
            }
        }
    }

    private boolean isChanging(final int block, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (changing[block + i] > 0)
            {
                return true;
            }
        }
        return false;
    }

    private boolean isZeroed(final int block, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (zeroed[block + i])
            {
                return true;
            }
        }
        return false;
    }

    /** An operation cannot be executed any more. */
    void settled(final Operation operation)
    {
        count(operation, -1);
    }

    void ended(final Operation operation)
    {
        outstanding--;
        succeeded += operation.isSuccess ? 1 : 0;
        for (int i = 0; i < operation.blocks; i++)
        {
            final int block = operation.block + i;
            latest[block] = operation.hasChanged() ? operation.changedTo(block) :
                operation.hasSeen() ? operation.seen(block) : latest[block];
        }
    }

    /** Nothing goes wrong that a host may see: each request succeeds. */
    void expectSuccess()
    {
        isSuccessExpected = true;
    }

    boolean isSuccessExpected()
    {
        return isSuccessExpected;
    }

    /** A last look at all blocks. */
    void extend(final int operations)
    {
        left += operations;
    }

    Operation next(final int host, final long moment)
    {
        final int percent = draw.below(100);
        if (percent < 6)
        {
            return new Operation(Operation.Kind.FLUSH, host, 0, 0, false, 0, moment);
        }
        final int count = draw.oneIn(3) ? 1 + draw.below(blocksMax) : 1;
        final int block = draw.below(blocks - count + 1);
        if (percent < 6 + writePercent && (isRacing || !isChanging(block, count)))
        {
            return change(host, block, count, moment);
        }
        final Operation.Kind kind = draw.oneIn(8) ? Operation.Kind.COMPARE :
            draw.oneIn(20) ? Operation.Kind.VERIFY : Operation.Kind.READ;
        final Operation look = new Operation(kind, host, block, count, draw.oneIn(12), 0, moment);
        if (Operation.Kind.COMPARE == kind)
        {
            look.values = Arrays.copyOfRange(latest, block, block + count);
        }
        return look;
    }

    private Operation change(final int host, final int block, final int count, final long moment)
    {
        final boolean isDurable = draw.oneIn(6);
        if (draw.oneIn(6) && !isZeroed(block, count))
        {
            return draw.oneIn(3) ?
                new Operation(Operation.Kind.DEALLOCATE, host, block, count, false, 0, moment) :
                new Operation(Operation.Kind.ZERO, host, block, count, draw.oneIn(2), 0, moment);
        }
        final long value = nextValue;
        nextValue += blocksMax;
        return new Operation(Operation.Kind.WRITE, host, block, count, isDurable, value, moment);
    }

    /** Every word of a block has its value, so that a mix of two shows. */
    void fill(final long address, final Operation operation)
    {
        for (int i = 0; i < operation.blocks; i++)
        {
            final int block = operation.block + i;
            final long value = null == operation.values ? operation.changedTo(block) : operation.seen(block);
            for (int offset = 0; offset < blockBytes; offset += Long.BYTES)
            {
                NativeMemory.putLong(address + (long)i * blockBytes + offset, value);
            }
        }
    }

    long[] values(final long address, final Operation read)
    {
        final long[] values = new long[read.blocks];
        for (int i = 0; i < read.blocks; i++)
        {
            values[i] = NativeMemory.getLong(address + (long)i * blockBytes);
            for (int offset = 0; offset < blockBytes; offset += Long.BYTES)
            {
                final long word = NativeMemory.getLong(address + (long)i * blockBytes + offset);
                if (word != values[i])
                {
                    throw new AssertionError("block " + (read.block + i) + " is a mix: word at byte " + offset +
                        " is " + word + ", the first is " + values[i] + ": " + read);
                }
            }
        }
        return values;
    }
}
