package io.millrace.rdma;

import io.millrace.bindings.verbs.Verbs;

/**
 * Numbers of verbs for MTU, width and speed of a link, as what they stand for. Stateless.
 */
final class LinkRate
{
    private static final int MTU_BYTES_MIN = 256;

    private LinkRate()
    {
    }

    /**
     * {@return the payload of a packet in bytes; 0 when the number stands for none}
     *
     * @param mtu {@code IBV_MTU_*}.
     */
    static int mtuBytes(final int mtu)
    {
        return mtu < Verbs.IBV_MTU_256 || mtu > Verbs.IBV_MTU_4096 ? 0 : MTU_BYTES_MIN << mtu - Verbs.IBV_MTU_256;
    }

    /**
     * {@return the lanes of a link; 0 when the number stands for none}
     *
     * @param width of verbs, one bit for each.
     */
    static int lanes(final int width)
    {
        return switch (width)
        {
            case 1 -> 1;
            case 2 -> 4;
            case 4 -> 8;
            case 8 -> 12;
            case 16 -> 2;
            default -> 0;
        };
    }

    /**
     * {@return the speed of a lane in Mbit/s, as the kernel counts it in {@code rate}; 0 for an unknown number}
     *
     * @param speed of verbs, one bit for each.
     */
    static int laneMegabits(final int speed)
    {
        return switch (speed)
        {
            // SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR.
            case 1 -> 2_500;
            case 2 -> 5_000;
            case 4, 8 -> 10_000;
            case 16 -> 14_000;
            case 32 -> 25_000;
            case 64 -> 50_000;
            case 128 -> 100_000;
            default -> 0;
        };
    }
}
