package io.millrace.rdma.model;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_recv_wr;
import io.millrace.bindings.generated.verbs.ibv_sge;
import io.millrace.bindings.generated.verbs.verbs_h;
import io.millrace.bindings.verbs.Verbs;

/**
 * A request as it was posted: the device has copied the request and its segments, not their memory, unless it is
 * inline. Under the monitor of its network.
 */
final class ModelRequest
{
    /** How far a send request is. */
    enum State
    {
        /** In the queue. */
        POSTED,
        /** Sent to the peer, who may not have it. */
        SENT,
        /** At the peer, behind one that is sent again. */
        OUT_OF_ORDER,
        /** Carried out by the peer; the acknowledgement is on its way. */
        EXECUTED
    }

    final long id;
    final int opcode;
    final int flags;
    final int immediate;
    final long remoteAddress;
    final int remoteKey;
    final long compareOrAdd;
    final long swap;
    final long[] addresses;
    final long[] lengths;
    final int[] keys;
    /** Data that was copied when it was posted, or null. */
    final byte[] inline;
    final long window;
    final int windowKey;
    final long region;
    final long rangeAddress;
    final long rangeBytes;
    final int rangeAccess;
    State state = State.POSTED;
    /** It completes when those before it have. */
    boolean isAcknowledged;
    int attempts;
    int notReadyAttempts;
    /** What a read or an atomic brings back. */
    byte[] answer;

    private ModelRequest(final long request, final boolean isSend)
    {
        final long segments = NativeMemory.getLong(
            request + (isSend ? verbs_h.IBV_SEND_WR_SG_LIST() : ibv_recv_wr.sg_list$offset()));
        final int count = NativeMemory.getInt(
            request + (isSend ? verbs_h.IBV_SEND_WR_NUM_SGE() : ibv_recv_wr.num_sge$offset()));
        addresses = new long[count];
        lengths = new long[count];
        keys = new int[count];
        for (int i = 0; i < count; i++)
        {
            final long at = segments + i * ibv_sge.sizeof();
            addresses[i] = NativeMemory.getLong(at + ibv_sge.addr$offset());
            lengths[i] = Integer.toUnsignedLong(NativeMemory.getInt(at + ibv_sge.length$offset()));
            keys[i] = NativeMemory.getInt(at + ibv_sge.lkey$offset());
        }
        id = NativeMemory.getLong(request + (isSend ? verbs_h.IBV_SEND_WR_WR_ID() : ibv_recv_wr.wr_id$offset()));
        opcode = isSend ? NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_OPCODE()) : 0;
        flags = isSend ? NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_SEND_FLAGS()) : 0;
        immediate = isSend ? NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_IMM_DATA()) : 0;
        final boolean isAtomic = isSend &&
            (Verbs.IBV_WR_ATOMIC_CMP_AND_SWP == opcode || Verbs.IBV_WR_ATOMIC_FETCH_AND_ADD == opcode);
        remoteAddress = !isSend ? 0 : NativeMemory.getLong(request +
            (isAtomic ? verbs_h.IBV_SEND_WR_ATOMIC_REMOTE_ADDR() : verbs_h.IBV_SEND_WR_REMOTE_ADDR()));
        remoteKey = !isSend ? 0 : NativeMemory.getInt(request +
            (isAtomic ? verbs_h.IBV_SEND_WR_ATOMIC_RKEY() : verbs_h.IBV_SEND_WR_RKEY()));
        compareOrAdd = isAtomic ? NativeMemory.getLong(request + verbs_h.IBV_SEND_WR_ATOMIC_COMPARE_ADD()) : 0;
        swap = isAtomic ? NativeMemory.getLong(request + verbs_h.IBV_SEND_WR_ATOMIC_SWAP()) : 0;
        final boolean isBinding = isSend && Verbs.IBV_WR_BIND_MW == opcode;
        window = isBinding ? NativeMemory.getLong(request + verbs_h.IBV_SEND_WR_BIND_MW()) : 0;
        windowKey = isBinding ? NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_BIND_RKEY()) : 0;
        region = isBinding ? NativeMemory.getLong(request + verbs_h.IBV_SEND_WR_BIND_MR()) : 0;
        rangeAddress = isBinding ? NativeMemory.getLong(request + verbs_h.IBV_SEND_WR_BIND_ADDR()) : 0;
        rangeBytes = isBinding ? NativeMemory.getLong(request + verbs_h.IBV_SEND_WR_BIND_LENGTH()) : 0;
        rangeAccess = isBinding ? NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_BIND_ACCESS()) : 0;
        inline = 0 != (flags & Verbs.IBV_SEND_INLINE) ? read() : null;
    }

    static ModelRequest send(final long request)
    {
        return new ModelRequest(request, true);
    }

    static ModelRequest receive(final long request)
    {
        return new ModelRequest(request, false);
    }

    static int segments(final long request, final boolean isSend)
    {
        return NativeMemory.getInt(
            request + (isSend ? verbs_h.IBV_SEND_WR_NUM_SGE() : ibv_recv_wr.num_sge$offset()));
    }

    static long next(final long request, final boolean isSend)
    {
        return NativeMemory.getLong(request + (isSend ? verbs_h.IBV_SEND_WR_NEXT() : ibv_recv_wr.next$offset()));
    }

    boolean isSignalled()
    {
        return 0 != (flags & Verbs.IBV_SEND_SIGNALED);
    }

    boolean isFenced()
    {
        return 0 != (flags & Verbs.IBV_SEND_FENCE);
    }

    boolean isAtomic()
    {
        return Verbs.IBV_WR_ATOMIC_CMP_AND_SWP == opcode || Verbs.IBV_WR_ATOMIC_FETCH_AND_ADD == opcode;
    }

    /** {@return whether it brings data back} */
    boolean isRead()
    {
        return Verbs.IBV_WR_RDMA_READ == opcode || isAtomic();
    }

    /** {@return whether the peer has nothing to do with it} */
    boolean isLocal()
    {
        return Verbs.IBV_WR_BIND_MW == opcode || Verbs.IBV_WR_LOCAL_INV == opcode;
    }

    boolean takesReceive()
    {
        return Verbs.IBV_WR_SEND == opcode || Verbs.IBV_WR_SEND_WITH_IMM == opcode ||
            Verbs.IBV_WR_SEND_WITH_INV == opcode || Verbs.IBV_WR_RDMA_WRITE_WITH_IMM == opcode;
    }

    boolean isWrite()
    {
        return Verbs.IBV_WR_RDMA_WRITE == opcode || Verbs.IBV_WR_RDMA_WRITE_WITH_IMM == opcode;
    }

    long bytes()
    {
        long total = 0;
        for (final long length : lengths)
        {
            total += length;
        }
        return total;
    }

    /** {@return whether its memory may be used} */
    boolean isAllowed(final ModelDevice device, final long pd, final int rights)
    {
        for (int i = 0; i < addresses.length && null == inline; i++)
        {
            if (0 != lengths[i] && !device.allows(pd, keys[i], addresses[i], lengths[i], rights))
            {
                return false;
            }
        }
        return true;
    }

    /** {@return its data as its memory has it now} */
    byte[] read()
    {
        if (null != inline)
        {
            return inline;
        }
        final byte[] data = new byte[Math.toIntExact(bytes())];
        int at = 0;
        for (int i = 0; i < addresses.length; i++)
        {
            if (0 != lengths[i])
            {
                NativeMemory.asByteBuffer(addresses[i], (int)lengths[i]).get(data, at, (int)lengths[i]);
            }
            at += (int)lengths[i];
        }
        return data;
    }

    /** Puts data into its memory. */
    void write(final byte[] data)
    {
        int at = 0;
        for (int i = 0; i < addresses.length && at < data.length; i++)
        {
            final int count = (int)Math.min(lengths[i], data.length - at);
            if (0 != count)
            {
                NativeMemory.asByteBuffer(addresses[i], count).put(data, at, count);
            }
            at += count;
        }
    }
}
