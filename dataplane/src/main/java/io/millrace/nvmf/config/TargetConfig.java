package io.millrace.nvmf.config;

import io.millrace.nvmf.Target;

/**
 * Limits that hold for every subsystem of a target. Immutable.
 *
 * @param queuePairsMax     I/O queue pairs of a controller, 1 to 128.
 * @param queueDepthMax     entries of a queue, 16 to 4096 (CAP.MQES is one less).
 * @param maxTransferBytes  of one command, 4096 times a power of two (MDTS); buffer pools and devices must allow as
 *                          much.
 * @param controllersMax    of a subsystem, 1 to 65519.
 * @param anaTransitionSeconds that ANA groups may be in transition, 1 to 255 (ANATT); one that takes longer ends
 *                             without
 *                          access.
 * @param controllerIds     that controllers of a subsystem get, at first: {@link Target#controllerIds}.
 * @param capacity          how many connections and commands there may be.
 */
public record TargetConfig(
    int queuePairsMax,
    int queueDepthMax,
    int maxTransferBytes,
    int controllersMax,
    int anaTransitionSeconds,
    ControllerIds controllerIds,
    CapacityLimits capacity)
{
    /** Largest {@link #queuePairsMax()}, and its default. */
    public static final int QUEUE_PAIRS_MAX = 128;
    /** Default of {@link #queueDepthMax()}. */
    public static final int QUEUE_DEPTH_DEFAULT = 1024;
    /** Default of {@link #maxTransferBytes()}: 1 MiB. */
    public static final int MAX_TRANSFER_BYTES_DEFAULT = 1 << 20;
    /** Largest {@link #controllersMax()}, and its default. */
    public static final int CONTROLLERS_MAX = ControllerIds.ID_MAX;
    /** Default of {@link #anaTransitionSeconds()}. */
    public static final int ANA_TRANSITION_SECONDS_DEFAULT = 10;
    /** Largest {@link #anaTransitionSeconds()}. */
    public static final int ANA_TRANSITION_SECONDS_MAX = 255;

    /**
     * Checks the bounds.
     */
    public TargetConfig
    {
        check("queue pairs", queuePairsMax, 1, QUEUE_PAIRS_MAX);
        check("queue depth", queueDepthMax, 16, 4096);
        check("largest transfer", maxTransferBytes, 4096, 1 << 27);
        check("controllers", controllersMax, 1, CONTROLLERS_MAX);
        check("ANA transition seconds", anaTransitionSeconds, 1, ANA_TRANSITION_SECONDS_MAX);
        if (1 != Integer.bitCount(maxTransferBytes))
        {
            throw new IllegalArgumentException("largest transfer of " + maxTransferBytes +
                " bytes is not a power of two: round it");
        }
    }

    /**
     * Limits with any controller id.
     *
     * @param queuePairsMax        I/O queue pairs of a controller.
     * @param queueDepthMax        entries of a queue.
     * @param maxTransferBytes     of one command.
     * @param controllersMax       of a subsystem.
     * @param anaTransitionSeconds that ANA groups may be in transition.
     */
    public TargetConfig(
        final int queuePairsMax,
        final int queueDepthMax,
        final int maxTransferBytes,
        final int controllersMax,
        final int anaTransitionSeconds)
    {
        this(queuePairsMax, queueDepthMax, maxTransferBytes, controllersMax, anaTransitionSeconds, ControllerIds.ALL);
    }

    /**
     * Limits of one reactor that has the heap to itself.
     *
     * @param queuePairsMax        I/O queue pairs of a controller.
     * @param queueDepthMax        entries of a queue.
     * @param maxTransferBytes     of one command.
     * @param controllersMax       of a subsystem.
     * @param anaTransitionSeconds that ANA groups may be in transition.
     * @param controllerIds        that controllers of a subsystem get, at first.
     */
    public TargetConfig(
        final int queuePairsMax,
        final int queueDepthMax,
        final int maxTransferBytes,
        final int controllersMax,
        final int anaTransitionSeconds,
        final ControllerIds controllerIds)
    {
        this(queuePairsMax, queueDepthMax, maxTransferBytes, controllersMax, anaTransitionSeconds, controllerIds,
            CapacityLimits.ofHeap(1, queueDepthMax));
    }

    /**
     * {@return the same with other limits of connections and commands}
     *
     * @param other limits.
     */
    public TargetConfig capacity(final CapacityLimits other)
    {
        return new TargetConfig(queuePairsMax, queueDepthMax, maxTransferBytes, controllersMax, anaTransitionSeconds,
            controllerIds, other);
    }

    /**
     * Limits with the default ANA transition time.
     *
     * @param queuePairsMax    I/O queue pairs of a controller.
     * @param queueDepthMax    entries of a queue.
     * @param maxTransferBytes of one command.
     * @param controllersMax   of a subsystem.
     */
    public TargetConfig(
        final int queuePairsMax, final int queueDepthMax, final int maxTransferBytes, final int controllersMax)
    {
        this(queuePairsMax, queueDepthMax, maxTransferBytes, controllersMax, ANA_TRANSITION_SECONDS_DEFAULT);
    }

    /**
     * {@return limits that suit most}
     */
    public static TargetConfig defaults()
    {
        return new TargetConfig(QUEUE_PAIRS_MAX, QUEUE_DEPTH_DEFAULT, MAX_TRANSFER_BYTES_DEFAULT, CONTROLLERS_MAX);
    }

    private static void check(final String what, final int value, final int min, final int max)
    {
        if (value < min || value > max)
        {
            throw new IllegalArgumentException(what + " " + value + " is not within " + min + " to " + max +
                ": choose a value within");
        }
    }
}
