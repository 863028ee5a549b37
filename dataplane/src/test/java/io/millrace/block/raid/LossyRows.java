package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.layout.ArrayLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which blocks of an array may end with a media error, for tests: those of a row in which members could not read, until
 * all of its blocks were written since, and were made stable. Nothing else may. Single-threaded.
 */
final class LossyRows
{
    private final ArrayLayout layout;
    private final int blockBytes;
    /** By row: when blocks were last made unreadable, and which blocks were not written since. */
    private final Map<Long, Row> rows = new HashMap<>();
    /** Writes that succeeded and are not stable yet. */
    private final List<Written> unstable = new ArrayList<>();
    private long now;
    private int failedCount;
    private int healedCount;

    private record Written(long begin, long end, int lba, int blocks)
    {
    }

    private static final class Row
    {
        private long failed;
        private long unwritten;
    }

    LossyRows(final ArrayLayout layout, final int blockBytes)
    {
        this.layout = layout;
        this.blockBytes = blockBytes;
    }

    private boolean hasParity()
    {
        return layout.level().parityCount() > 0;
    }

    private int stripBlocks()
    {
        return layout.stripBytes() / blockBytes;
    }

    /** Of a mirror each block is a row, else the blocks at the same offset on members. */
    private long row(final long block)
    {
        final long strip = block / stripBlocks();
        return hasParity() ? strip / layout.dataCount() * stripBlocks() + block % stripBlocks() : block;
    }

    private long bit(final long block)
    {
        return hasParity() ? 1L << block / stripBlocks() % layout.dataCount() : 1;
    }

    /** Members cannot read blocks in the row of a block. */
    void fail(final long block)
    {
        final Row row = rows.computeIfAbsent(row(block), (_) -> new Row());
        now++;
        row.failed = now;
        row.unwritten = hasParity() ? (1L << layout.dataCount()) - 1 : 1;
    }

    /** {@return token of a write or a flush that begins now} */
    long begin()
    {
        now++;
        return now;
    }

    /** A write has succeeded. */
    void endWrite(final long begin, final int lba, final int blocks, final boolean isForced)
    {
        now++;
        if (isForced)
        {
            heal(begin, lba, blocks);
        }
        else
        {
            unstable.add(new Written(begin, now, lba, blocks));
        }
    }

    /** A flush has succeeded. */
    void endFlush(final long begin)
    {
        unstable.removeIf((each) ->
        {
            final boolean isStable = each.end < begin;
            if (isStable)
            {
                heal(each.begin, each.lba, each.blocks);
            }
            return isStable;
        });
    }

    void losePower()
    {
        unstable.clear();
    }

    private void heal(final long begin, final int lba, final int blocks)
    {
        for (int block = lba; block < lba + blocks; block++)
        {
            final Row row = rows.get(row(block));
            if (null != row && row.failed < begin)
            {
                row.unwritten &= ~bit(block);
                if (0 == row.unwritten)
                {
                    healedCount++;
                    rows.remove(row(block));
                }
            }
        }
    }

    /** {@return whether a request may have ended as it has} */
    boolean allows(final BlockRequest request)
    {
        // Parity of the rest of a row may be needed for a write.
        if (BlockStatus.MEDIA_ERROR != request.status() || BlockOperation.READ != request.operation() && !hasParity())
        {
            return false;
        }
        for (long block = request.lba(); block < request.lba() + request.blocks(); block++)
        {
            if (rows.containsKey(row(block)))
            {
                failedCount++;
                return true;
            }
        }
        return false;
    }

    /** {@return requests that ended with a media error} */
    int failedCount()
    {
        return failedCount;
    }

    /** {@return rows that were written since} */
    int healedCount()
    {
        return healedCount;
    }
}
