package io.millrace.rdma.endpoint;

import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.OnDemandPaging.Operation;
import java.util.EnumSet;
import java.util.Set;

/**
 * What is done with a region besides sending from it. Immutable; any thread.
 */
public enum RegionAccess
{
    /** Nothing: its contents are sent, and written to the peer. */
    SEND(0),
    /**
     * The device writes into it: receive buffers, and what is read at the peer, as {@link RdmaDomain#forReads}
     * has it.
     */
    LOCAL(Verbs.IBV_ACCESS_LOCAL_WRITE),
    /** The peer reads it, too. */
    REMOTE_READ(Verbs.IBV_ACCESS_LOCAL_WRITE | Verbs.IBV_ACCESS_REMOTE_READ),
    /** The peer writes it, too. */
    REMOTE_WRITE(Verbs.IBV_ACCESS_LOCAL_WRITE | Verbs.IBV_ACCESS_REMOTE_WRITE),
    /** The peer reads and writes it, too. */
    REMOTE_READ_WRITE(Verbs.IBV_ACCESS_LOCAL_WRITE | Verbs.IBV_ACCESS_REMOTE_READ | Verbs.IBV_ACCESS_REMOTE_WRITE),
    /** The device writes into it, and memory windows are bound to it, by which peers read and write ranges of it. */
    WINDOWS(Verbs.IBV_ACCESS_LOCAL_WRITE | Verbs.IBV_ACCESS_MW_BIND),
    /** The peer reads and writes it, with atomics too. */
    REMOTE_ALL(Verbs.IBV_ACCESS_LOCAL_WRITE | Verbs.IBV_ACCESS_REMOTE_READ | Verbs.IBV_ACCESS_REMOTE_WRITE |
        Verbs.IBV_ACCESS_REMOTE_ATOMIC);

    private final int bits;

    RegionAccess(final int bits)
    {
        this.bits = bits;
    }

    /**
     * {@return {@code IBV_ACCESS_*}}
     */
    int bits()
    {
        return bits;
    }

    /** {@return what a device has to do with memory that is not pinned} */
    Set<Operation> onDemandOperations()
    {
        return SEND == this ? EnumSet.of(Operation.SEND, Operation.WRITE) : REMOTE_ALL == this ?
            EnumSet.of(Operation.SEND, Operation.WRITE, Operation.RECEIVE, Operation.READ, Operation.ATOMIC) :
            EnumSet.of(Operation.SEND, Operation.WRITE, Operation.RECEIVE, Operation.READ);
    }

    /**
     * {@return the same of memory into which an iWARP device reads: the answer of the peer is an RDMA WRITE in all but
     *     name, tagged with the key of the memory, and takes its remote write access (RFC 5040)}
     */
    RegionAccess withRemoteWrite()
    {
        return switch (this)
        {
            case SEND, LOCAL -> REMOTE_WRITE;
            case REMOTE_READ -> REMOTE_READ_WRITE;
            case REMOTE_WRITE, REMOTE_READ_WRITE, REMOTE_ALL -> this;
            case WINDOWS -> throw new IllegalArgumentException("an iWARP device reads into no memory with windows");
        };
    }

    /**
     * {@return whether memory that is registered with it may be used as memory with another one}
     *
     * @param other that is asked for.
     */
    public boolean includes(final RegionAccess other)
    {
        return other.bits == (bits & other.bits);
    }

    /** {@return {@code IBV_ACCESS_REMOTE_*}} */
    int remoteBits()
    {
        return bits & (Verbs.IBV_ACCESS_REMOTE_READ | Verbs.IBV_ACCESS_REMOTE_WRITE | Verbs.IBV_ACCESS_REMOTE_ATOMIC);
    }
}
