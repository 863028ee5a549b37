package io.millrace.remote;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.nvmf.initiator.Waits;
import java.util.ArrayList;
import java.util.List;

/**
 * Writers on two reactors, each of a block of its own, in which it writes one number after another, flushes now and
 * then, and reads each number back.
 */
final class VerifiedLoad implements AutoCloseable
{
    private static final int FLUSH_INTERVAL = 16;

    private final Initiator one;
    private final Initiator other;
    private final int blockBytes;
    private final List<Writer> writers = new ArrayList<>();
    private volatile String violation;
    private volatile boolean isOver;

    private final class Writer
    {
        private final Initiator initiator;
        private final Initiator.Io write;
        private final Initiator.Io flush;
        private final Initiator.Io read;
        private final long lba;
        private final long address;
        private volatile long value;
        private volatile int failures;
        private volatile boolean isDone;

        Writer(final Initiator initiator, final long lba, final long address)
        {
            this.initiator = initiator;
            this.lba = lba;
            this.address = address;
            write = initiator.io().then((io) -> onWritten());
            flush = initiator.io().then((io) -> onFlushed());
            read = initiator.io().then((io) -> onRead());
        }

        void write()
        {
            value++;
            NativeMemory.putLong(address, value);
            NativeMemory.putLong(address + blockBytes - 8, value);
            Initiator.fill(write.request(), BlockOperation.WRITE, lba, 1, 1 == value % 5, address, blockBytes);
            initiator.resend(write);
        }

        private void onWritten()
        {
            if (isFailed(write))
            {
                next();
            }
            else if (0 == value % FLUSH_INTERVAL)
            {
                Initiator.fill(flush.request(), BlockOperation.FLUSH, 0, 0, false);
                initiator.resend(flush);
            }
            else
            {
                readBack();
            }
        }

        private void onFlushed()
        {
            isFailed(flush);
            readBack();
        }

        private void readBack()
        {
            NativeMemory.fill(address + blockBytes, blockBytes, (byte)-1);
            Initiator.fill(read.request(), BlockOperation.READ, lba, 1, false, address + blockBytes, blockBytes);
            initiator.resend(read);
        }

        private void onRead()
        {
            final long found = NativeMemory.getLong(address + blockBytes);
            if (!isFailed(read) && found != value)
            {
                violation = "block " + lba + " has " + found + " after " + value + " was acknowledged";
            }
            next();
        }

        private boolean isFailed(final Initiator.Io io)
        {
            final boolean isFailed = BlockStatus.SUCCESS != io.request().status();
            failures += isFailed ? 1 : 0;
            return isFailed;
        }

        private void next()
        {
            if (isOver)
            {
                isDone = true;
            }
            else
            {
                write();
            }
        }
    }

    VerifiedLoad(final BlockDevice device, final long address, final long firstLba, final int depth)
    {
        one = new Initiator("one", device);
        other = new Initiator("other", device);
        blockBytes = device.geometry().blockSizeBytes();
        for (int i = 0; i < depth; i++)
        {
            writers.add(new Writer(0 == i % 2 ? one : other, firstLba + i, address + 2L * i * blockBytes));
        }
        writers.forEach((writer) -> writer.initiator.call(() ->
        {
            writer.write();
            return null;
        }));
    }

    /** {@return what was read and must not have been; null when all is well} */
    String violation()
    {
        return violation;
    }

    int failures()
    {
        return writers.stream().mapToInt((writer) -> writer.failures).sum();
    }

    /** {@return how much has been written; grows while requests are done} */
    long progress()
    {
        return writers.stream().mapToLong((writer) -> writer.value).sum();
    }

    /** Waits until every writer has written again, and once more. */
    void awaitProgress()
    {
        final List<Long> before = writers.stream().map((writer) -> writer.value).toList();
        Waits.until("progress of all writers", 60, () ->
        {
            for (int i = 0; i < writers.size(); i++)
            {
                if (writers.get(i).value < before.get(i) + 2)
                {
                    return false;
                }
            }
            return true;
        });
    }

    void stop()
    {
        isOver = true;
        Waits.until("writers are done", () -> writers.stream().allMatch((writer) -> writer.isDone));
    }

    @Override
    public void close()
    {
        one.close();
        other.close();
    }
}
