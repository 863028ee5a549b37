package io.millrace.rdma.model;

import io.millrace.bindings.verbs.Verbs;

/**
 * A memory window of type 2B. Under the monitor of its network.
 */
final class ModelWindow
{
    private static final int COUNTER_MASK = 0xFF;

    final ModelDevice device;
    final long pd;
    /** As the process has it. */
    int handleKey;
    /** As the device has it. */
    private int key;
    private ModelDevice.Region bound;

    ModelWindow(final ModelDevice device, final long pd)
    {
        this.device = device;
        this.pd = pd;
        key = device.newWindowKey();
        handleKey = key;
    }

    /** Carries a request out. {@return {@code IBV_WC_*}} */
    int bind(final ModelRequest request, final ModelQueuePair pair, final ModelDevice.Region region)
    {
        final boolean isNewKey =
            (key & ~COUNTER_MASK) == (request.windowKey & ~COUNTER_MASK) && key != request.windowKey;
        final boolean isFree = null == bound || bound.isInvalid;
        if (!isNewKey || !isFree || null == region || pd != pair.pd ||
            !region.allows(pd, request.rangeAddress, request.rangeBytes, Verbs.IBV_ACCESS_MW_BIND))
        {
            return Verbs.IBV_WC_MW_BIND_ERR;
        }
        unbind();
        key = request.windowKey;
        bound = device.bind(region, request.rangeAddress, request.rangeBytes, request.rangeAccess, key, pair);
        return Verbs.IBV_WC_SUCCESS;
    }

    boolean isHeldBy(final ModelQueuePair pair)
    {
        return null != pair && null != bound && !bound.isInvalid && pair == bound.pair;
    }

    void unbind()
    {
        if (null != bound)
        {
            device.deregister(bound);
            bound = null;
        }
    }
}
