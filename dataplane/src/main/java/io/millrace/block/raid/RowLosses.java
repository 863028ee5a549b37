package io.millrace.block.raid;

/**
 * Gives up what of the rows of a stripe nobody can compute any more, on behalf of the array's own work, which goes on
 * behind them. Of one {@link ParityStripeRequest}; the reactor's only.
 */
final class RowLosses
{
    private final RaidDevice device;
    private final StripeRows rows;

    /**
     * Nothing is given up.
     *
     * @param device the array.
     * @param rows   of the stripe.
     */
    RowLosses(final RaidDevice device, final StripeRows rows)
    {
        this.device = device;
        this.rows = rows;
    }

    /**
     * Gives up rows of a member that is rebuilt or copied to, and of those whose blocks are wrong. When the member has
     * left, nothing that was copied to it counts.
     *
     * @param view   of the plan.
     * @param target that the rows are computed for.
     * @param wrong  slots whose blocks had a checksum mismatch, by bit.
     * @return whether all that there is to give up is given up; else the rows failed.
     */
    boolean loseOf(final ArrayView view, final RaidMember target, final long wrong)
    {
        if (!view.isWritten(target))
        {
            return true;
        }
        final LostBlockChanges changes = device.lostBlockChanges();
        if (!changes.lose(target, rows.memberOffset(), rows.count()))
        {
            return false;
        }
        // What is wrong cannot be computed either, and nobody is to compute from it what was just lost.
        boolean isLost = true;
        for (long left = wrong; 0 != left; left &= left - 1)
        {
            isLost &= changes.lose(view, Long.numberOfTrailingZeros(left), rows.memberOffset(), rows.count());
        }
        return isLost;
    }

    /**
     * Gives up parity that cannot be made to match data that is lost. Unless it is needed, since it may match, nobody
     * is to compute anything from it.
     *
     * @param view     of the plan.
     * @param badSlots whose medium failed a read of the rows, by bit.
     * @return whether it is given up; else the rows failed.
     */
    boolean loseParity(final ArrayView view, final long badSlots)
    {
        if (rows.unreadableData() <= rows.stripCount() - rows.dataCount() && !haveLostData(view, badSlots))
        {
            return false;
        }
        boolean isLost = true;
        for (int index = rows.dataCount(); index < rows.stripCount(); index++)
        {
            isLost &= device.lostBlockChanges().lose(view, rows.slot(index), rows.memberOffset(), rows.count());
        }
        return isLost;
    }

    /**
     * {@return whether a member is known not to have data of the rows}
     *
     * @param view     of the plan.
     * @param badSlots whose medium failed a read of the rows, by bit.
     */
    boolean haveLostData(final ArrayView view, final long badSlots)
    {
        final int blockShift = device.geometry().blockShift();
        for (int index = 0; index < rows.dataCount(); index++)
        {
            final int slot = rows.slot(index);
            if (0 != (badSlots & 1L << slot) &&
                view.member(slot).lostBlocks().covers(rows.memberOffset(), rows.count(), blockShift))
            {
                return true;
            }
        }
        return false;
    }
}
