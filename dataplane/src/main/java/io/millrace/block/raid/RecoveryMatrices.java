package io.millrace.block.raid;

import io.millrace.parity.GfMatrix;
import io.millrace.parity.ReedSolomon;

/**
 * The matrices by which lost data was computed last. Parity rotates, so the members that are lost are as many different
 * strips as there are slots, and twice as many while one is rebuilt: all of these have room, and a matrix is made once
 * for each. Of one reactor.
 */
final class RecoveryMatrices
{
    /** For the losses of members, and as many as the slots for blocks that cannot be read besides. */
    static final int CAPACITY = 3 * (ReedSolomon.SOURCES_MAX + ReedSolomon.PARITIES_MAX);

    /** Strips that are used, by bit: these are as many as the stripe has data. 0: free. */
    private final long[] keys = new long[CAPACITY];
    private final GfMatrix[] matrices = new GfMatrix[CAPACITY];
    private int next;

    /**
     * {@return the matrix by which the strips that are used give the data that is not}
     *
     * @param code of the stripe.
     * @param used indexes of strips, by bit, as many as there is data.
     */
    GfMatrix of(final ReedSolomon code, final long used)
    {
        for (int i = 0; i < CAPACITY; i++)
        {
            if (used == keys[i])
            {
                return matrices[i];
            }
        }
        final GfMatrix matrix = code.recovery(used);
        keys[next] = used;
        matrices[next] = matrix;
        next = (next + 1) % CAPACITY;
        return matrix;
    }
}
