package io.millrace.rdma;

import java.util.List;

/**
 * The RDMA devices of this machine. Immutable; any thread.
 *
 * @param usable   devices that could be opened and read, by name.
 * @param unusable other devices that the kernel has, by name.
 */
public record RdmaDevices(List<RdmaDevice> usable, List<Unusable> unusable)
{
    /**
     * A device that cannot be used.
     *
     * @param name   the kernel's.
     * @param reason why not, and what to check, in one sentence.
     */
    public record Unusable(String name, String reason)
    {
    }

    /** Copies the lists. */
    public RdmaDevices
    {
        usable = List.copyOf(usable);
        unusable = List.copyOf(unusable);
    }
}
