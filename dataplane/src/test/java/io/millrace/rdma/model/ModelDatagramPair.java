package io.millrace.rdma.model;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;
import io.millrace.bindings.verbs.Verbs;

/**
 * A queue pair of datagrams (InfiniBand Architecture Specification 1.4, volume 1, section 9.8.3): what it sends arrives
 * or not, and nobody says so. Under the monitor of its network.
 */
final class ModelDatagramPair extends ModelQueuePair
{
    static final int QUEUE_KEY = 0x01234567;
    static final int MTU_BYTES = 1024;

    /** An address handle. */
    record Handle(long pd, ModelDevice device, ModelDevice peer)
    {
    }

    private final ModelNetwork network;

    ModelDatagramPair(
        final ModelNetwork network,
        final ModelDevice device,
        final long pd,
        final ModelCompletionQueue sendQueue,
        final ModelCompletionQueue receiveQueue,
        final Sizes sizes,
        final int number)
    {
        super(network, device, pd, sendQueue, receiveQueue, null, sizes, number);
        this.network = network;
        ready();
    }

    @Override
    int postSend(final long request)
    {
        if (ModelRequest.segments(request, true) > sizes.sendSegments())
        {
            return -Errno.EINVAL;
        }
        final int status = addPlace();
        if (0 == status)
        {
            final ModelRequest send = ModelRequest.send(request);
            final Handle handle =
                device.core().get(Handle.class, NativeMemory.getLong(request + verbs_h.IBV_SEND_WR_UD_AH()));
            if (handle.pd != pd)
            {
                throw network.violation("an address handle of another protection domain");
            }
            final int number = NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_UD_REMOTE_QPN());
            final boolean isKnown =
                QUEUE_KEY == NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_UD_REMOTE_QKEY());
            // In the order of posting; how long one takes on the wire is another thing.
            network.after(0, () -> send(send, handle, number, isKnown));
        }
        return status;
    }

    private void send(final ModelRequest send, final Handle handle, final int number, final boolean isKnown)
    {
        if (State.READY != state())
        {
            return;
        }
        if (!send.isAllowed(device, pd, 0))
        {
            addSent(send, Verbs.IBV_WC_LOC_PROT_ERR);
            fail();
            return;
        }
        final byte[] data = send.read();
        if (send.isSignalled())
        {
            addSent(send, Verbs.IBV_WC_SUCCESS);
        }
        else
        {
            addUnsignalled();
        }
        final int flags = Verbs.IBV_WR_SEND_WITH_IMM == send.opcode ? Verbs.IBV_WC_WITH_IMM : 0;
        network.after(network.delayNs(), () ->
        {
            if (isKnown && data.length <= MTU_BYTES && network.isDelivered(device, handle.peer))
            {
                handle.peer.core().datagramPair(handle.peer, number).ifPresent(
                    (pair) -> pair.arrive(data, flags, send.immediate, number()));
            }
        });
    }

    private void arrive(final byte[] data, final int flags, final int immediate, final int source)
    {
        if (State.READY != state() || receives.isEmpty())
        {
            return;
        }
        if (data.length + Verbs.IBV_GRH_SIZE > receives.peek().bytes())
        {
            return;
        }
        final ModelRequest receive = takeReceive();
        if (!receive.isAllowed(device, pd, Verbs.IBV_ACCESS_LOCAL_WRITE))
        {
            addReceived(receive, Verbs.IBV_WC_LOC_PROT_ERR, 0, 0, 0);
            fail();
            return;
        }
        final byte[] placed = new byte[Verbs.IBV_GRH_SIZE + data.length];
        System.arraycopy(data, 0, placed, Verbs.IBV_GRH_SIZE, data.length);
        receive.write(placed);
        receiveQueue.add(new ModelCompletionQueue.Entry(this, false, 1, receive.id, Verbs.IBV_WC_SUCCESS, 0,
            placed.length, flags | Verbs.IBV_WC_GRH, 0 == flags ? 0 : immediate, source));
    }
}
