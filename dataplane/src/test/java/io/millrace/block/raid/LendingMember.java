package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.ForwardingDevice;
import io.millrace.block.ReactorContext;
import java.util.concurrent.atomic.AtomicInteger;

/** A member that lends its memory, counts what is lent, and refuses or fails reads that it could lend for. */
final class LendingMember extends ForwardingDevice
{
    private final String name;
    /** Loans of all members of the array that were not given back. */
    private final AtomicInteger loans;
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicInteger copied = new AtomicInteger();
    private final AtomicInteger loansWhileCopied = new AtomicInteger();
    private volatile Answer answer = Answer.LEND;

    /** To a read that may be lent. */
    enum Answer
    {
        /** With memory. */
        LEND,
        /** It has to be asked again, as where a writer has these blocks. */
        REFUSE,
        /** Another one than success. */
        FAIL
    }

    LendingMember(
        final String name, final BlockDevice inner, final BlockGeometry geometry, final AtomicInteger loans)
    {
        super(inner, geometry);
        this.name = name;
        this.loans = loans;
    }

    void answer(final Answer newAnswer)
    {
        answer = newAnswer;
    }

    /** {@return reads of data that it lent memory for} */
    int lent()
    {
        return lent.get();
    }

    /** {@return reads of data that it copied} */
    int copied()
    {
        return copied.get();
    }

    /** {@return most loans of the array at the time of any of these} */
    int loansWhileCopied()
    {
        return loansWhileCopied.get();
    }

    void forget()
    {
        lent.set(0);
        copied.set(0);
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    protected BlockChannel forward(final BlockChannel below, final ReactorContext context)
    {
        return new Forwarding(below);
    }

    private final class Forwarding extends Channel
    {
        private Forwarding(final BlockChannel below)
        {
            super(below);
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            if (request.lendable() && Answer.LEND != answer)
            {
                if (Answer.FAIL == answer)
                {
                    request.complete(BlockStatus.DEVICE_ERROR);
                }
                return Answer.FAIL == answer;
            }
            final boolean isRead = BlockOperation.READ == request.operation() &&
                request.lba() * geometry().blockSizeBytes() >= RaidChannel.dataOffsetBytes();
            final boolean isLendable = request.lendable();
            if (isRead && !isLendable)
            {
                copied.incrementAndGet();
                loansWhileCopied.accumulateAndGet(loans.get(), Math::max);
            }
            if (!below.submit(request))
            {
                return false;
            }
            if (isLendable)
            {
                lent.incrementAndGet();
                loans.incrementAndGet();
            }
            return true;
        }

        @Override
        public void releaseLoan(final BlockRequest request)
        {
            loans.decrementAndGet();
            below.releaseLoan(request);
        }
    }
}
