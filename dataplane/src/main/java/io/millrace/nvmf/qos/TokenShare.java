package io.millrace.nvmf.qos;

/**
 * Tokens of a {@link TokenBucket} that one queue of one reactor holds, and a claim whose tokens have not come. It takes
 * a quantum at a time, so that the bucket, which all reactors write, is touched rarely. Single-threaded.
 */
public final class TokenShare
{
    private final TokenBucket bucket;
    private long held;
    private long claimed;
    private long claimStart;

    TokenShare(final TokenBucket bucket)
    {
        this.bucket = bucket;
    }

    /**
     * Ensures that tokens are held or claimed.
     *
     * @param count  of them.
     * @param isLast whether no command waits behind the one that uses them.
     * @param nowNs  the cycle's clock.
     * @return 0 when they are held; else nanoseconds until a retry can succeed.
     */
    public long waitNs(final long count, final boolean isLast, final long nowNs)
    {
        if (held >= count)
        {
            return 0;
        }
        final long tokensNow = bucket.tokensAt(nowNs);
        if (0 != claimed)
        {
            takeClaim(tokensNow);
            if (held >= count)
            {
                return 0;
            }
        }
        final long missing = count - held - claimed;
        if (missing > 0)
        {
            final long wanted = Math.max(missing, bucket.quantum());
            if (0 == claimed && bucket.tryClaim(tokensNow, wanted))
            {
                held += wanted;
                return 0;
            }
            // An existing claim belongs to a command that has left the queue to one that needs more: the later claim
            // counts.
            final long more = isLast ? missing : wanted;
            claimStart = bucket.claim(tokensNow, more);
            claimed += more;
            takeClaim(tokensNow);
        }
        return 0 == claimed ? 0 : bucket.untilNs(claimStart, nowNs);
    }

    /**
     * Uses tokens that are held.
     *
     * @param count of them.
     */
    public void use(final long count)
    {
        held -= count;
    }

    private void takeClaim(final long tokensNow)
    {
        if (tokensNow - claimStart > 0)
        {
            held += claimed;
            claimed = 0;
        }
    }
}
