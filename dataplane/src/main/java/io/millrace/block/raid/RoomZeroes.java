package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes zeroes to the same range of some members at once, a batch at a time, where nobody else reads or writes. The
 * reactor's only; nothing is allocated per batch once there are enough requests.
 */
final class RoomZeroes
{
    /** Of a command without data. */
    private static final int COMMAND_BYTES_MAX = 2 << 20;
    /** Requests to each member at once. */
    private static final int PIECES_MAX = 16;

    private final RaidDevice device;
    private final RaidChannel channel;
    private final List<Piece> pieces = new ArrayList<>();
    private int outstanding;
    private boolean isBeginning;
    private boolean hasFailed;
    /** Below which no space was left; null: none. */
    private RaidMember full;

    /** A request, used again and again. */
    private final class Piece
    {
        private final BlockRequest request = new BlockRequest(this, (done) -> onEnded());
        private RaidMember member;

        private void begin(
            final RaidMember of, final BlockOperation operation, final long memberOffset, final int length)
        {
            member = of;
            outstanding++;
            request.reset(operation, RaidChannel.dataOffsetBytes() + memberOffset >>> channel.blockShift(),
                length >>> channel.blockShift());
            if (BlockOperation.WRITE == operation)
            {
                request.addSegment(device.pages().zeroesAddress(), length);
            }
            channel.submit(of, request);
        }

        private void onEnded()
        {
            outstanding--;
            device.pages().hold(request);
            final BlockStatus status = request.status();
            if (BlockStatus.SUCCESS != status)
            {
                hasFailed = true;
                if (BlockStatus.NOT_SUPPORTED == status && BlockOperation.WRITE != request.operation())
                {
                    // It gets zeroes by writes from now on.
                    member.onRefused(request.operation());
                }
                else if (BlockStatus.CAPACITY_EXCEEDED == status)
                {
                    // It has what the array stores, and others may have no space either.
                    full = member;
                }
                else
                {
                    device.onMemberFailed(member, "failed to write zeroes:", status);
                }
            }
        }
    }

    /**
     * Writes nothing yet.
     *
     * @param device  with the members.
     * @param channel to them.
     */
    RoomZeroes(final RaidDevice device, final RaidChannel channel)
    {
        this.device = device;
        this.channel = channel;
    }

    /**
     * {@return whether requests of the batch are under way}
     */
    boolean isBusy()
    {
        return 0 != outstanding || isBeginning;
    }

    /**
     * {@return whether some request of the last batch did not write its zeroes: all of it is to be written again}
     */
    boolean hasFailed()
    {
        return hasFailed;
    }

    /**
     * {@return a member below which no space was left for the last batch; null: none}
     */
    RaidMember full()
    {
        return full;
    }

    /**
     * Begins a batch; none is under way. A member that does not write it has failed, unless it is {@link #full}.
     *
     * @param members   to write.
     * @param offset    of the range in bytes of a member's data, a multiple of the strip.
     * @param endOffset behind the last byte that may be written, a multiple of the strip.
     * @param bytesMax  of each member, but a strip at least.
     * @param piecesMax most requests to each member.
     * @return bytes of each member that the batch has.
     */
    int begin(
        final List<RaidMember> members,
        final long offset,
        final long endOffset,
        final long bytesMax,
        final int piecesMax)
    {
        final boolean isCommand = members.stream().allMatch((each) -> each.accepts(BlockOperation.WRITE_ZEROES));
        final BlockOperation operation = isCommand ? BlockOperation.WRITE_ZEROES : BlockOperation.WRITE;
        final int stripBytes = device.layout().stripBytes();
        final int pieceBytes = isCommand ?
            Math.clamp(Long.highestOneBit(bytesMax), stripBytes, COMMAND_BYTES_MAX) : stripBytes;
        final int pieceCount = Math.clamp(bytesMax / pieceBytes, 1, Math.min(piecesMax, PIECES_MAX));
        hasFailed = false;
        full = null;
        // Requests may end while others are begun.
        isBeginning = true;
        int used = 0;
        long next = offset;
        for (int piece = 0; piece < pieceCount && next < endOffset; piece++)
        {
            final int length = (int)Math.min(pieceBytes, endOffset - next);
            for (final RaidMember each : members)
            {
                if (used == pieces.size())
                {
                    pieces.add(new Piece());
                }
                pieces.get(used).begin(each, operation, next, length);
                used++;
            }
            next += length;
        }
        isBeginning = false;
        return (int)(next - offset);
    }
}
