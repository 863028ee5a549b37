package io.millrace.block.nvme;

import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.block.nvme.queue.Doorbell;
import io.millrace.block.nvme.queue.DriverMemory;

/**
 * Memory of shadow doorbells and event indexes, a page each, laid out as the doorbell registers are (NVM Express Base
 * 2.0, section 5.8). Made on the controller's thread.
 */
final class ShadowDoorbells
{
    private final DriverMemory memory;
    private final long shadowAddress;
    private final long eventIndexAddress;
    private final int pageBytes;
    private boolean isTaken;

    /**
     * Takes memory.
     *
     * @param memory    to take it from.
     * @param pageBytes of the controller.
     */
    ShadowDoorbells(final DriverMemory memory, final int pageBytes)
    {
        this.memory = memory;
        this.pageBytes = pageBytes;
        shadowAddress = memory.allocate(pageBytes, pageBytes);
        eventIndexAddress = memory.allocate(pageBytes, pageBytes);
    }

    /** Bytes that are taken of the memory. */
    static long memoryBytes(final int pageBytes)
    {
        return 2L * pageBytes;
    }

    /**
     * Configures the controller, which was just enabled.
     *
     * @param admin commands.
     */
    void configure(final AdminCommands admin)
    {
        final boolean isTakenNow =
            0 == admin.configureDoorbellBuffer(memory.iova(shadowAddress), memory.iova(eventIndexAddress));
        if (isTaken && !isTakenNow)
        {
            throw new ControllerFailure("took shadow doorbells before and refuses them now");
        }
        isTaken = isTakenNow;
    }

    /**
     * {@return a doorbell, with a shadow where the controller took them and the page reaches so far}
     *
     * @param registerAddress address of the register.
     * @param offsetBytes     of it from the first doorbell.
     */
    Doorbell doorbell(final long registerAddress, final long offsetBytes)
    {
        return isTaken && offsetBytes + Integer.BYTES <= pageBytes ?
            Doorbell.withShadow(registerAddress, shadowAddress + offsetBytes, eventIndexAddress + offsetBytes) :
            Doorbell.ofRegister(registerAddress);
    }
}
