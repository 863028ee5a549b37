package io.millrace.bindings;

/**
 * The two processors that the data plane runs on, and what differs between them in what the kernel and the C library
 * take. Generated layouts and constants are those of x86-64; all that is not named here is the same on both, as the
 * layout test holds. Immutable; any thread.
 */
public enum Architecture
{
    /** Intel and AMD, 64 bits. */
    X86_64(12, 4, 0x4000, 314, 315, 320),
    /** Arm, 64 bits. */
    AARCH64(16, 8, 0x10000, 274, 275, 328);

    private static final Architecture CURRENT = of(System.getProperty("os.arch"));

    private final int epollEventSizeBytes;
    private final int epollEventDataOffset;
    private final int directFlag;
    private final int schedSetattrCall;
    private final int schedGetattrCall;
    private final int verbsContextAbiCompatOffset;

    Architecture(
        final int epollEventSizeBytes,
        final int epollEventDataOffset,
        final int directFlag,
        final int schedSetattrCall,
        final int schedGetattrCall,
        final int verbsContextAbiCompatOffset)
    {
        this.epollEventSizeBytes = epollEventSizeBytes;
        this.epollEventDataOffset = epollEventDataOffset;
        this.directFlag = directFlag;
        this.schedSetattrCall = schedSetattrCall;
        this.schedGetattrCall = schedGetattrCall;
        this.verbsContextAbiCompatOffset = verbsContextAbiCompatOffset;
    }

    /**
     * {@return the processor that this process runs on}
     */
    public static Architecture current()
    {
        return CURRENT;
    }

    /**
     * Finds a processor by the name that Java has for it.
     *
     * @param name the value of the system property {@code os.arch}.
     * @return the processor.
     * @throws UnsupportedOperationException when it is another one.
     */
    public static Architecture of(final String name)
    {
        return switch (name)
        {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> AARCH64;
            default -> throw new UnsupportedOperationException(
                "os.arch is " + name + ": must be amd64 or aarch64, no other layouts of kernel structures are known");
        };
    }

    /**
     * {@return the size of a {@code struct epoll_event} in bytes; packed on x86-64 alone}
     */
    public int epollEventSizeBytes()
    {
        return epollEventSizeBytes;
    }

    /**
     * {@return the offset of the caller's data in a {@code struct epoll_event}, in bytes}
     */
    public int epollEventDataOffset()
    {
        return epollEventDataOffset;
    }

    /**
     * {@return the flag of {@code open(2)} that goes past the page cache, {@code O_DIRECT}}
     */
    public int directFlag()
    {
        return directFlag;
    }

    /**
     * {@return the number of {@code sched_setattr(2)}, which the C library does not wrap}
     */
    public int schedSetattrCall()
    {
        return schedSetattrCall;
    }

    /**
     * {@return the number of {@code sched_getattr(2)}, which the C library does not wrap}
     */
    public int schedGetattrCall()
    {
        return schedGetattrCall;
    }

    /**
     * {@return the offset of the last field of a {@code struct ibv_context}, {@code abi_compat}, in bytes; it lies
     * behind a mutex}
     */
    public int verbsContextAbiCompatOffset()
    {
        return verbsContextAbiCompatOffset;
    }
}
