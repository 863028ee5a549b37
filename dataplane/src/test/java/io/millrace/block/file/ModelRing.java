package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.CompletionEntry;
import io.millrace.bindings.linux.IoUring;
import io.millrace.bindings.linux.SubmissionEntry;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * A ring that executes its entries on a {@link ModelFile}. It understands what {@link EntryWriter} and {@link RingPair}
 * write and refuses the rest as the kernel does. Its entries go a step with each {@link #enter()}, and it cannot
 * signal, so that it is polled while anything is outstanding; or they go a step when a {@link ModelSchedule} says so,
 * and it signals unless it is polled.
 */
final class ModelRing implements Ring
{
    private static final int BUFFERS_UPDATE = 16;
    private static final long BUFFERS_UPDATE_DATA_OFFSET = 8;
    static final int NO_FILE = -1;

    private final ModelFile file;
    private final boolean isPolled;
    /** Null without one. */
    private final ModelSchedule schedule;
    private final int eventFd;
    private final Arena arena = Arena.ofShared();
    private final long entriesAddress;
    private final int entryMask;
    private final long completionAddress = arena.allocate(CompletionEntry.SIZE_BYTES, Long.BYTES).address();
    private final List<ModelOperation> outstanding = new ArrayList<>();
    /** Pairs of cookie and result, which the next {@link #enter()} shows. */
    private final ArrayDeque<long[]> done = new ArrayDeque<>();
    private final ArrayDeque<long[]> completions = new ArrayDeque<>();
    /** Pairs of address and length, by place. */
    private final long[][] buffers = new long[RegisteredBuffers.PLACES][];
    private int registeredFd = NO_FILE;
    private boolean isWithoutPower;
    private boolean isArmed;
    private boolean isClosed;
    private int head;
    private int tail;

    ModelRing(final ModelFile file, final int entryCount, final boolean isPolled)
    {
        this.file = file;
        this.isPolled = isPolled;
        schedule = file.schedule();
        eventFd = null == schedule || isPolled ? -1 : schedule.eventDescriptor();
        final int entries = Integer.highestOneBit(Math.max(1, 2 * entryCount - 1));
        entryMask = entries - 1;
        entriesAddress = arena.allocate((long)entries * SubmissionEntry.SIZE_BYTES, Long.BYTES).address();
    }

    @Override
    public void enable()
    {
        // Nothing begins before the first entry.
    }

    @Override
    public boolean isPolled()
    {
        return isPolled;
    }

    @Override
    public int eventFd()
    {
        return eventFd;
    }

    @Override
    public int register(final int operation, final long argumentAddress, final int count)
    {
        if (IoUring.IORING_REGISTER_BUFFERS2 == operation)
        {
            return 0;
        }
        if (BUFFERS_UPDATE == operation)
        {
            return updateBuffer(argumentAddress);
        }
        if (IoUring.IORING_REGISTER_FILES == operation)
        {
            registeredFd = NativeMemory.getInt(argumentAddress);
            return 0;
        }
        if (IoUring.IORING_REGISTER_FILES_UPDATE == operation)
        {
            registeredFd = NativeMemory.getInt(NativeMemory.getLong(argumentAddress + Long.BYTES));
            return count;
        }
        return -Errno.EINVAL;
    }

    private int updateBuffer(final long update)
    {
        final long vector = NativeMemory.getLong(update + BUFFERS_UPDATE_DATA_OFFSET);
        final long address = NativeMemory.getLong(vector);
        buffers[NativeMemory.getInt(update)] =
            0 == address ? null : new long[]{address, NativeMemory.getLong(vector + Long.BYTES)};
        return 1;
    }

    @Override
    public long nextEntry()
    {
        checkOpen();
        if (tail - head > entryMask)
        {
            throw new IllegalStateException("more than " + (entryMask + 1) + " entries");
        }
        final long address = entriesAddress + (long)(tail & entryMask) * SubmissionEntry.SIZE_BYTES;
        tail++;
        return address;
    }

    @Override
    public int unsubmitted()
    {
        checkOpen();
        return tail - head;
    }

    @Override
    public void submit()
    {
        checkOpen();
        // A channel asks in each of its cycles.
        if (head == tail)
        {
            return;
        }
        synchronized (file)
        {
            for (; head != tail; head++)
            {
                final ModelOperation operation = new ModelOperation(
                    this, file, entriesAddress + (long)(head & entryMask) * SubmissionEntry.SIZE_BYTES);
                if (operation.isCancel())
                {
                    cancelAll(operation);
                }
                else if (null != schedule)
                {
                    outstanding.add(operation);
                    schedule.later(() -> execute(operation));
                }
                else if (!isWithoutPower)
                {
                    outstanding.add(operation);
                }
            }
        }
    }

    private void cancelAll(final ModelOperation cancel)
    {
        long count = 0;
        for (final Iterator<ModelOperation> each = outstanding.iterator(); each.hasNext();)
        {
            final ModelOperation operation = each.next();
            if (!operation.isExecuted())
            {
                complete(operation.cookie(), -Errno.ECANCELED);
                each.remove();
                count++;
            }
        }
        complete(cancel.cookie(), count);
    }

    private void complete(final long cookie, final long result)
    {
        final long[] completion = {cookie, result};
        done.add(completion);
        if (null != schedule)
        {
            schedule.completed(() -> !done.contains(completion));
        }
        if (isArmed)
        {
            schedule.signal(eventFd);
        }
    }

    private void execute(final ModelOperation operation)
    {
        if (outstanding.contains(operation))
        {
            operation.execute();
            schedule.later(() -> complete(operation));
        }
    }

    private void complete(final ModelOperation operation)
    {
        if (outstanding.remove(operation))
        {
            complete(operation.cookie(), operation.result());
        }
    }

    @Override
    public void enter()
    {
        checkOpen();
        submit();
        synchronized (file)
        {
            if (null == schedule && !file.isHeld())
            {
                step();
            }
            takeDone();
        }
    }

    /** A simulation asks far more often than anything is done. */
    private void takeDone()
    {
        if (!done.isEmpty())
        {
            completions.addAll(done);
            done.clear();
        }
    }

    private void step()
    {
        for (final Iterator<ModelOperation> each = outstanding.iterator(); each.hasNext();)
        {
            final ModelOperation operation = each.next();
            if (operation.step())
            {
                complete(operation.cookie(), operation.result());
                each.remove();
            }
        }
    }

    int registeredFd()
    {
        return registeredFd;
    }

    boolean isWithoutPower()
    {
        return isWithoutPower;
    }

    boolean isRegistered(final int index, final long address, final int lengthBytes)
    {
        final long[] buffer = index < RegisteredBuffers.PLACES ? buffers[index] : null;
        return null != buffer && address >= buffer[0] && address + lengthBytes <= buffer[0] + buffer[1];
    }

    /** With the file's lock. Nothing is answered any more; with a schedule as of a device that is gone. */
    void losePower()
    {
        outstanding.forEach(ModelOperation::executeSome);
        if (null == schedule)
        {
            outstanding.clear();
        }
        isWithoutPower = true;
    }

    @Override
    public long completion()
    {
        checkOpen();
        final long[] oldest = completions.peek();
        if (null == oldest)
        {
            return 0;
        }
        NativeMemory.putLong(completionAddress + CompletionEntry.USER_DATA_OFFSET, oldest[0]);
        NativeMemory.putInt(completionAddress + CompletionEntry.RESULT_OFFSET, (int)oldest[1]);
        return completionAddress;
    }

    @Override
    public void consume()
    {
        checkOpen();
        completions.remove();
    }

    @Override
    public boolean arm()
    {
        checkOpen();
        if (eventFd < 0)
        {
            return false;
        }
        takeDone();
        isArmed = completions.isEmpty();
        return isArmed;
    }

    @Override
    public boolean isArmed()
    {
        return isArmed;
    }

    @Override
    public void disarm()
    {
        isArmed = false;
    }

    /** The memory of a ring that is closed is gone. */
    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the ring is closed");
        }
    }

    @Override
    public void close()
    {
        checkOpen();
        isClosed = true;
        file.closed(this);
        outstanding.clear();
        done.clear();
        Arrays.fill(buffers, null);
        if (eventFd >= 0)
        {
            schedule.close(eventFd);
        }
        arena.close();
    }
}
