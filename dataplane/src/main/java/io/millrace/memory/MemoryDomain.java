package io.millrace.memory;

/**
 * Who can access an address. A payload lies in one domain; the geometry of a block device has the bit set of the
 * domains that the device takes. Code that copies by CPU takes {@link #HOST} only.
 * <p>
 * There is one object for each domain of the process, so they are compared by identity. Immutable; any thread.
 */
public final class MemoryDomain
{
    /** Most domains of a process: they are the bits of an {@code int}. */
    public static final int COUNT_MAX = Integer.SIZE;

    /** Main memory: every CPU accesses it, and every device by DMA. */
    public static final MemoryDomain HOST = new MemoryDomain(0, "host", MemoryKind.HOST);

    private static final MemoryDomain[] DOMAINS = new MemoryDomain[COUNT_MAX];

    private final int id;
    private final String name;
    private final MemoryKind kind;

    private MemoryDomain(final int id, final String name, final MemoryKind kind)
    {
        this.id = id;
        this.name = name;
        this.kind = kind;
    }

    /**
     * Finds the domain of a device's memory, or makes it. It stays until the process ends, since requests may name it.
     *
     * @param name of the device, such as {@code gpu 0000:65:00.0}.
     * @return always the same object for a name.
     * @throws IllegalStateException when {@link #COUNT_MAX} domains are in use.
     */
    public static MemoryDomain ofDevice(final String name)
    {
        synchronized (DOMAINS)
        {
            return ofDevice(name, DOMAINS);
        }
    }

    /** As {@link #ofDevice(String)}, in a table of the caller's. */
    static MemoryDomain ofDevice(final String name, final MemoryDomain[] domains)
    {
        for (int id = 1; id < domains.length; id++)
        {
            if (null == domains[id])
            {
                domains[id] = new MemoryDomain(id, name, MemoryKind.DEVICE);
            }
            if (domains[id].name.equals(name))
            {
                return domains[id];
            }
        }
        throw new IllegalStateException("memory domain " + name + ": " + (domains.length - 1) +
            " devices have memory of their own, as many as a process may have: use fewer devices");
    }

    /**
     * {@return number of the domain, 0 for the host, else 1 to 31}
     */
    public int id()
    {
        return id;
    }

    /**
     * {@return the bit that stands for the domain in a set of domains}
     */
    public int bit()
    {
        return 1 << id;
    }

    /**
     * {@return whether the domain is in a set}
     *
     * @param domains {@link #bit()}s of domains, or'ed.
     */
    public boolean isIn(final int domains)
    {
        return 0 != (domains & bit());
    }

    /**
     * {@return name of the device, {@code host} for main memory}
     */
    public String name()
    {
        return name;
    }

    /**
     * {@return where its memory is}
     */
    public MemoryKind kind()
    {
        return kind;
    }

    @Override
    public String toString()
    {
        return name;
    }
}
