package io.millrace.nvmf.tcp;

import java.util.HashMap;
import java.util.Map;

/**
 * Native blocks of one reactor for capsules that wait for slots, {@link #BYTES_MAX} in all. A connection may take
 * another one while it has fewer than are left, the connections of one address together up to half of them. One reactor
 * only.
 */
final class DeferralBlocks
{
    /** Some 230,000 capsules without data: several times the slots of a reactor. */
    static final int BYTES_MAX = 16 << 20;

    /** Blocks of the connections of one address. */
    static final class Share
    {
        private final String address;
        private int connections;
        private int used;

        private Share(final String address)
        {
            this.address = address;
        }
    }

    private final SlabPool blocks;
    private final int max;
    private final Map<String, Share> shares = new HashMap<>();
    private int used;

    /**
     * Creates an empty instance.
     *
     * @param blocks that they come from, each at least as large as the largest capsule.
     */
    DeferralBlocks(final SlabPool blocks)
    {
        this.blocks = blocks;
        max = Math.max(2, BYTES_MAX / blocks.blockBytes());
    }

    /**
     * {@return what the connections of an address share, the caller's included until it {@link #leave leaves}}
     *
     * @param address of the host.
     */
    Share join(final String address)
    {
        final Share share = shares.computeIfAbsent(address, Share::new);
        share.connections++;
        return share;
    }

    /**
     * A connection has no blocks any more.
     *
     * @param share from {@link #join}.
     */
    void leave(final Share share)
    {
        share.connections--;
        if (0 == share.connections)
        {
            shares.remove(share.address);
        }
    }

    int blockBytes()
    {
        return blocks.blockBytes();
    }

    /**
     * {@return whether a connection may have one more}
     *
     * @param has     how many it has.
     * @param address of its host.
     */
    boolean mayAcquire(final int has, final String address)
    {
        final Share share = shares.get(address);
        return has < max - used && (null == share || 2 * share.used < max);
    }

    /**
     * {@return address of a block; it {@link #mayAcquire may be acquired}}
     *
     * @param share of the connection's address.
     */
    long acquire(final Share share)
    {
        used++;
        share.used++;
        return blocks.acquire();
    }

    /**
     * Gives a block back.
     *
     * @param address start address.
     * @param share   of the connection's address.
     */
    void release(final long address, final Share share)
    {
        used--;
        share.used--;
        blocks.release(address);
    }

    int used()
    {
        return used;
    }

    int max()
    {
        return max;
    }
}
