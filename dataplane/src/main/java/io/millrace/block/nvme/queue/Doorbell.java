package io.millrace.block.nvme.queue;

import io.millrace.bindings.NativeMemory;
import java.lang.invoke.VarHandle;

/**
 * Notifies the controller of the host's position in a queue. With shadow doorbells (NVM Express Base 2.0, section 5.8
 * and annex B.5) the position is left in memory that the controller looks at while it is busy, and the register is
 * written only when the position passes the event index that the controller left there. Belongs to its queue's thread.
 */
public final class Doorbell
{
    private static final long NONE = 0;

    private final long registerAddress;
    private final long shadowAddress;
    private final long eventIndexAddress;
    private int last;

    private Doorbell(final long registerAddress, final long shadowAddress, final long eventIndexAddress)
    {
        this.registerAddress = registerAddress;
        this.shadowAddress = shadowAddress;
        this.eventIndexAddress = eventIndexAddress;
    }

    /**
     * A doorbell that is a register alone.
     *
     * @param registerAddress address of the register.
     * @return the doorbell.
     */
    public static Doorbell ofRegister(final long registerAddress)
    {
        return new Doorbell(registerAddress, NONE, NONE);
    }

    /**
     * A doorbell with a shadow.
     *
     * @param registerAddress   of the register.
     * @param shadowAddress     of the position in memory.
     * @param eventIndexAddress of what the controller leaves there.
     * @return the doorbell.
     */
    public static Doorbell withShadow(
        final long registerAddress, final long shadowAddress, final long eventIndexAddress)
    {
        return new Doorbell(registerAddress, shadowAddress, eventIndexAddress);
    }

    /** The queue was created again: its position is 0 on both sides. */
    public void reset()
    {
        last = 0;
        if (NONE != shadowAddress)
        {
            NativeMemory.putIntRelease(shadowAddress, 0);
            NativeMemory.putIntRelease(eventIndexAddress, 0);
        }
    }

    /**
     * Publishes the position; earlier writes to memory are visible to the controller first.
     *
     * @param position in the queue.
     */
    public void ring(final int position)
    {
        if (NONE == shadowAddress || isWanted(position))
        {
            NativeMemory.putIntRelease(registerAddress, position);
        }
    }

    private boolean isWanted(final int position)
    {
        final int before = last;
        last = position;
        NativeMemory.putIntRelease(shadowAddress, position);
        // The controller stores its event index and then looks at the shadow: one of the two sees the other.
        VarHandle.fullFence();
        return passes(NativeMemory.getIntAcquire(eventIndexAddress), before, position);
    }

    /**
     * {@return whether an event index lies in the part that the position moved over, from before on, modulo 65536}
     *
     * @param eventIndex of the controller.
     * @param before     former position.
     * @param position   new one.
     */
    public static boolean passes(final int eventIndex, final int before, final int position)
    {
        return (position - eventIndex - 1 & 0xFFFF) < (position - before & 0xFFFF);
    }
}
