package io.millrace.block.file;

/**
 * How a {@link ModelFile} departs from an ideal one. Chances are of a thousand operations.
 *
 * @param latenessMax  most steps, polls of a ring, until an operation is executed, and again until it is completed;
 *                     above 0 operations overtake each other.
 * @param shortMille   chance that a transfer of several blocks moves fewer.
 * @param retryMille   chance of {@code EAGAIN} and {@code EINTR}.
 * @param failMille    chance of {@code EIO}: blocks of a write may be changed or not, and what a sync should have made
 *                     stable never is by a later one.
 * @param fullMille    chance of {@code ENOSPC}, before anything is written.
 */
public record ModelFaults(int latenessMax, int shortMille, int retryMille, int failMille, int fullMille)
{
    /** At once and whole. */
    public static final ModelFaults NONE = new ModelFaults(0, 0, 0, 0);
    /** Late, out of order, short and repeated, without errors. */
    public static final ModelFaults SLOW = new ModelFaults(5, 100, 50, 0);

    /** Without {@code ENOSPC}. */
    public ModelFaults(final int latenessMax, final int shortMille, final int retryMille, final int failMille)
    {
        this(latenessMax, shortMille, retryMille, failMille, 0);
    }
}
