package io.millrace.rdma.model;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.verbs.Verbs;

/**
 * Carries out the requests of a peer. Under the monitor of its network.
 */
final class ModelResponder
{
    /** There is no receive request: to be sent again later. */
    static final int NOT_READY = -1;

    private static final int ATOMIC_BYTES = 8;

    private final ModelQueuePair pair;

    ModelResponder(final ModelQueuePair pair)
    {
        this.pair = pair;
    }

    /** {@return how the requester's request ends: {@code IBV_WC_*}, or {@link #NOT_READY}} */
    int execute(final ModelRequest request, final ModelQueuePair requester)
    {
        if (request.takesReceive() && pair.receives.isEmpty())
        {
            return NOT_READY;
        }
        if (request.isRead())
        {
            return read(request, requester);
        }
        if (request.isWrite())
        {
            return write(request);
        }
        return receive(request);
    }

    private int failed(final int status)
    {
        pair.fail();
        pair.device.event(Verbs.IBV_WC_REM_ACCESS_ERR == status ? Verbs.IBV_EVENT_QP_ACCESS_ERR :
            Verbs.IBV_EVENT_QP_REQ_ERR, pair.device.core().handle(pair));
        return status;
    }

    private int read(final ModelRequest request, final ModelQueuePair requester)
    {
        if (requester.readsUnderWay() > pair.readsServed())
        {
            return failed(Verbs.IBV_WC_REM_INV_REQ_ERR);
        }
        final long bytes = request.isAtomic() ? ATOMIC_BYTES : request.bytes();
        if (request.isAtomic() && (0 != (request.remoteAddress & ATOMIC_BYTES - 1) || ATOMIC_BYTES != request.bytes()))
        {
            return failed(Verbs.IBV_WC_REM_INV_REQ_ERR);
        }
        final int rights = request.isAtomic() ? Verbs.IBV_ACCESS_REMOTE_ATOMIC : Verbs.IBV_ACCESS_REMOTE_READ;
        if (0 != bytes && !isAllowed(request, bytes, rights))
        {
            return failed(Verbs.IBV_WC_REM_ACCESS_ERR);
        }
        if (request.isAtomic())
        {
            request.answer = ModelQueuePair.atomic(request);
        }
        else
        {
            request.answer = new byte[Math.toIntExact(bytes)];
            if (0 != bytes)
            {
                NativeMemory.asByteBuffer(request.remoteAddress, (int)bytes).get(request.answer);
            }
        }
        return Verbs.IBV_WC_SUCCESS;
    }

    private int write(final ModelRequest request)
    {
        final byte[] data = request.read();
        if (0 != data.length && !isAllowed(request, data.length, Verbs.IBV_ACCESS_REMOTE_WRITE))
        {
            return failed(Verbs.IBV_WC_REM_ACCESS_ERR);
        }
        if (0 != data.length)
        {
            NativeMemory.asByteBuffer(request.remoteAddress, data.length).put(data);
        }
        if (request.takesReceive())
        {
            pair.addReceived(pair.takeReceive(), Verbs.IBV_WC_SUCCESS, data.length, Verbs.IBV_WC_WITH_IMM,
                request.immediate);
        }
        return Verbs.IBV_WC_SUCCESS;
    }

    private int receive(final ModelRequest request)
    {
        final ModelRequest receive = pair.takeReceive();
        final byte[] data = request.read();
        if (data.length > receive.bytes())
        {
            pair.addReceived(receive, Verbs.IBV_WC_LOC_LEN_ERR, 0, 0, 0);
            return failed(Verbs.IBV_WC_REM_INV_REQ_ERR);
        }
        if (!receive.isAllowed(pair.device, pair.pd, Verbs.IBV_ACCESS_LOCAL_WRITE))
        {
            pair.addReceived(receive, Verbs.IBV_WC_LOC_PROT_ERR, 0, 0, 0);
            return failed(Verbs.IBV_WC_REM_OP_ERR);
        }
        int flags = Verbs.IBV_WR_SEND_WITH_IMM == request.opcode ? Verbs.IBV_WC_WITH_IMM : 0;
        if (Verbs.IBV_WR_SEND_WITH_INV == request.opcode)
        {
            final ModelDevice.Region region = pair.device.region(request.immediate);
            if (null == region || region.pd != pair.pd || !region.isInvalidatable)
            {
                pair.addReceived(receive, Verbs.IBV_WC_LOC_QP_OP_ERR, 0, 0, 0);
                return failed(Verbs.IBV_WC_REM_OP_ERR);
            }
            region.isInvalid = true;
            flags = Verbs.IBV_WC_WITH_INV;
        }
        receive.write(data);
        pair.addReceived(receive, Verbs.IBV_WC_SUCCESS, data.length, flags, 0 == flags ? 0 : request.immediate);
        return Verbs.IBV_WC_SUCCESS;
    }

    private boolean isAllowed(final ModelRequest request, final long bytes, final int rights)
    {
        return pair.device.allowsPeer(pair, request.remoteKey, request.remoteAddress, bytes, rights);
    }
}
