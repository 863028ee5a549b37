package io.millrace.rdma;

import io.millrace.bindings.verbs.Verbs;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a device does with memory that is not pinned, over reliable connections. Immutable; any thread.
 *
 * @param isImplicit whether one region may be the whole address space.
 * @param operations that may use such memory; empty when the device has no on-demand paging.
 */
public record OnDemandPaging(boolean isImplicit, Set<Operation> operations)
{
    /** Operations that may use memory which is not pinned. */
    public enum Operation
    {
        /** Memory that is sent. */
        SEND(Verbs.IBV_ODP_SUPPORT_SEND),
        /** Receive buffers of a queue pair. */
        RECEIVE(Verbs.IBV_ODP_SUPPORT_RECV),
        /** Memory of the peer that is written, and what is written. */
        WRITE(Verbs.IBV_ODP_SUPPORT_WRITE),
        /** Memory of the peer that is read, and where to. */
        READ(Verbs.IBV_ODP_SUPPORT_READ),
        /** Atomics. */
        ATOMIC(Verbs.IBV_ODP_SUPPORT_ATOMIC),
        /** Receive buffers of a shared receive queue. */
        SHARED_RECEIVE(Verbs.IBV_ODP_SUPPORT_SRQ_RECV);

        private final int bit;

        Operation(final int bit)
        {
            this.bit = bit;
        }
    }

    /** Copies the set. */
    public OnDemandPaging
    {
        operations = Set.copyOf(operations);
    }

    /**
     * {@return what the bits of verbs say}
     *
     * @param general    {@code IBV_ODP_SUPPORT*} of the device.
     * @param operations {@code IBV_ODP_SUPPORT_*} of reliable connections.
     */
    public static OnDemandPaging of(final long general, final int operations)
    {
        final EnumSet<Operation> offered = EnumSet.noneOf(Operation.class);
        if (0 != (general & Verbs.IBV_ODP_SUPPORT))
        {
            for (final Operation operation : Operation.values())
            {
                if (0 != (operations & operation.bit))
                {
                    offered.add(operation);
                }
            }
        }
        return new OnDemandPaging(0 != (general & Verbs.IBV_ODP_SUPPORT_IMPLICIT), offered);
    }
}
