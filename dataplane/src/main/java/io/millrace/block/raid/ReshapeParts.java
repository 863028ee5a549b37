package io.millrace.block.raid;

import io.millrace.block.BlockStatus;
import java.util.function.Supplier;

/**
 * Parts of a step of {@link Reshaping}, several at a time: rows of strips, one stripe after the other. The reactor's
 * only.
 */
final class ReshapeParts
{
    private final RaidChannel channel;
    private final Part[] moves;
    private final Part[] backups;
    private final Part[] restores;
    private Part[] present;
    private StripMap map;
    private long nextStripe;
    private long endStripe;
    private int start;
    private int end;
    /** Of the next part. */
    private int nextRow;
    private int outstanding;
    private boolean isBeginning;
    private BlockStatus worst = BlockStatus.SUCCESS;
    private long unreadableRow;

    /** A request, begun again and again. */
    private final class Part
    {
        private final ReshapeRequest request;
        private final WorkListener onDone = this::onDone;
        private boolean isBusy;

        Part(final ReshapeRequest request)
        {
            this.request = request;
        }

        private void begin(final int length)
        {
            isBusy = true;
            outstanding++;
            final long stripe = nextStripe;
            final int row = nextRow;
            nextRow += length;
            if (nextRow == end)
            {
                nextRow = start;
                nextStripe++;
            }
            request.begin(map, stripe, row, length, onDone);
        }

        private void onDone(final BlockStatus status)
        {
            isBusy = false;
            outstanding--;
            if (BlockStatus.SUCCESS != status && BlockStatus.MEDIA_ERROR != worst)
            {
                worst = status;
                unreadableRow = request.unreadableRow();
            }
            beginParts();
        }
    }

    /**
     * No parts.
     *
     * @param channel to the members.
     * @param count   of parts under way at once.
     */
    ReshapeParts(final RaidChannel channel, final int count)
    {
        this.channel = channel;
        moves = parts(count, () -> new MoveRequest(channel));
        backups = parts(count, () -> new BackupRequest(channel, false));
        restores = parts(count, () -> new BackupRequest(channel, true));
    }

    private Part[] parts(final int count, final Supplier<ReshapeRequest> newRequest)
    {
        final Part[] made = new Part[count];
        for (int i = 0; i < count; i++)
        {
            made[i] = new Part(newRequest.get());
        }
        return made;
    }

    /**
     * {@return whether parts are under way}
     */
    boolean isBusy()
    {
        return 0 != outstanding;
    }

    /**
     * {@return how the parts went, when none is under way: {@link BlockStatus#SUCCESS} if all did}
     */
    BlockStatus worst()
    {
        return worst;
    }

    /**
     * {@return row of the old layout that a member could not read, when a part has ended with
     * {@link BlockStatus#MEDIA_ERROR}}
     */
    long unreadableRow()
    {
        return unreadableRow;
    }

    /**
     * Moves stripes of the new layout, in the head a slice of their strips.
     *
     * @param of          the step.
     * @param endPosition behind the last stripe.
     */
    void move(final StripMap of, final long endPosition)
    {
        begin(moves, of, of.state().position(), endPosition);
    }

    /**
     * Stores the backup of a slice of the head.
     *
     * @param of the step.
     */
    void backUp(final StripMap of)
    {
        begin(backups, of, of.state().position(), of.state().position() + of.headRows());
    }

    /**
     * Restores a slice of the head.
     *
     * @param of the step.
     */
    void restore(final StripMap of)
    {
        begin(restores, of, of.state().position(), of.state().position() + of.headRows());
    }

    private void begin(final Part[] parts, final StripMap of, final long firstStripe, final long newEndStripe)
    {
        present = parts;
        map = of;
        nextStripe = firstStripe;
        endStripe = newEndStripe;
        start = of.isAtHead() ? of.state().sliceStart() : 0;
        end = of.isAtHead() ? start + of.sliceBytes() : of.layout().stripBytes();
        nextRow = start;
        worst = BlockStatus.SUCCESS;
        beginParts();
    }

    /** Parts may end while they are begun. */
    private void beginParts()
    {
        if (isBeginning)
        {
            return;
        }
        isBeginning = true;
        for (int i = 0; i < present.length && nextStripe < endStripe && BlockStatus.SUCCESS == worst; i++)
        {
            while (!present[i].isBusy && nextStripe < endStripe && BlockStatus.SUCCESS == worst)
            {
                present[i].begin(Math.min(channel.sizes().rowBytesMax(), end - nextRow));
            }
        }
        isBeginning = false;
    }
}
