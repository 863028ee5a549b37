package io.millrace.nvmf.request;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferLayout;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.DmaMemory;
import java.util.HashMap;
import java.util.Map;

/**
 * Payload memory of commands: buffers of a reactor's pool, and memory that devices lend. A command that has to wait is
 * executed again from its beginning when it has what it waited for. Commands of admin queues, and those before Connect,
 * have a reserve of their own, which I/O cannot take. Single-threaded.
 */
public final class PayloadBuffers
{
    /** Largest transfers that the reserve holds. */
    private static final int RESERVE_TRANSFERS = 2;
    /** Hosts that get a response from the reserve whatever others hold of it; the next constant bounds its length. */
    private static final int RESERVE_FLOORS = 96;
    private static final int RESERVE_FLOOR_BYTES_MAX = 8 << 10;
    /** Zeroes that are sent where a host asks for more than there is. */
    public static final int ZEROES_BYTES = 64 << 10;

    private final BufferPool pool;
    private final DmaMemory reserveMemory;
    private final BufferPool reserve;
    private final long zeroes;
    private final BufferShare preConnectShare;
    private final Map<String, HostBuffers> hosts = new HashMap<>();

    /**
     * Maps the reserve.
     *
     * @param pool             of the reactor.
     * @param maxTransferBytes largest transfer.
     */
    public PayloadBuffers(final BufferPool pool, final int maxTransferBytes)
    {
        this.pool = pool;
        final int floor = Math.min(RESERVE_FLOOR_BYTES_MAX, maxTransferBytes);
        final long floorBytes = (long)RESERVE_FLOORS * floor;
        final long reserveBytes = (long)RESERVE_TRANSFERS * maxTransferBytes + floorBytes;
        reserveMemory = DmaMemory.map(reserveBytes + maxTransferBytes + ZEROES_BYTES);
        reserve = new BufferPool(new BufferLayout(reserveMemory.allocate(reserveBytes, maxTransferBytes), reserveBytes,
            maxTransferBytes, floorBytes, floor));
        zeroes = reserveMemory.allocate(ZEROES_BYTES, BufferPool.BUFFER_BYTES_MIN);
        preConnectShare = reserve.newShare(new BufferGroup());
    }

    /**
     * {@return memory of the reserve and the zeroes, for who has to register it}
     */
    public DmaMemory memory()
    {
        return reserveMemory;
    }

    /**
     * {@return buffers that I/O never takes}
     */
    public BufferPool reserve()
    {
        return reserve;
    }

    /**
     * {@return address of {@link #ZEROES_BYTES} zeroes, which nobody writes}
     */
    public long zeroes()
    {
        return zeroes;
    }

    /**
     * {@return what all connections share whose Connect command has not succeeded}
     */
    public BufferShare preConnectShare()
    {
        return preConnectShare;
    }

    /**
     * A host has one more connection here.
     *
     * @param host    its address; its NQN where transports have no addresses.
     * @param isAdmin whether its commands are served from the reserve.
     * @return its share.
     */
    public BufferShare join(final String host, final boolean isAdmin)
    {
        final HostBuffers buffers = hosts.computeIfAbsent(host, HostBuffers::new);
        buffers.retain();
        return isAdmin ? reserve.newShare(buffers.reserve()) : pool.newShare(buffers.pool());
    }

    /**
     * A share for data that came in capsules of an I/O queue. Behind a capsule that waits there may be data that was
     * asked for, so a capsule must not wait for buffers that this data goes to: its share and group are apart from
     * those of other transfers.
     *
     * @param hostNqn of the host, which has joined.
     * @return a share.
     */
    public BufferShare capsuleShare(final String hostNqn)
    {
        return pool.newShare(hosts.get(hostNqn).capsules());
    }

    /**
     * A connection of a host has ended.
     *
     * @param host that joined.
     */
    public void leave(final String host)
    {
        if (hosts.get(host).release())
        {
            hosts.remove(host);
        }
    }

    /**
     * Unmaps the reserve; nobody has a buffer of it any more.
     */
    public void close()
    {
        reserveMemory.close();
    }

    /**
     * Gets a buffer, or waits for one.
     *
     * @param request     that needs it.
     * @param lengthBytes up to the largest transfer.
     * @return whether the request has its buffer.
     */
    public boolean acquire(final Request request, final int lengthBytes)
    {
        return acquire(request, request.owner().share(), lengthBytes, false);
    }

    /**
     * Gets a buffer for a payload that goes to the host, or waits for one. It may hold a part of the payload only, when
     * the pool has no larger one for its host: {@link Request#beginPart} is called for each part.
     *
     * @param request     that needs it.
     * @param lengthBytes of the whole payload, up to the largest transfer.
     * @return whether the request has its buffer.
     */
    public boolean acquireParts(final Request request, final int lengthBytes)
    {
        return acquire(request, request.owner().share(), lengthBytes - request.partOffset(), true);
    }

    private boolean acquire(
        final Request request, final BufferShare share, final int lengthBytes, final boolean isDivisible)
    {
        if (RequestPayload.NONE != request.payload())
        {
            return true;
        }
        final long address = share.pool().acquire(share, lengthBytes);
        if (0 == address)
        {
            request.phase(RequestPhase.AWAITING_BUFFER);
            request.buffer(share, 0, 0);
            if (isDivisible)
            {
                share.pool().awaitPart(request, share, lengthBytes);
            }
            else
            {
                share.pool().await(request, share, lengthBytes);
            }
            return false;
        }
        request.buffer(share, address, lengthBytes);
        request.payload(RequestPayload.BUFFERED);
        return true;
    }

    /**
     * Gets the host's data into a buffer, or waits for it. The data pointer has been checked.
     *
     * @param request     whose data it is.
     * @param lengthBytes of the data.
     * @return whether it is there.
     */
    public boolean receive(final Request request, final int lengthBytes)
    {
        return receive(request, lengthBytes, false);
    }

    /**
     * Gets the host's data, or the next part of it, into a buffer, or waits for it. The data pointer has been checked.
     *
     * @param request     whose data it is.
     * @param lengthBytes of all of the data.
     * @return whether it is there: as much as the request's data length says.
     */
    public boolean receiveParts(final Request request, final int lengthBytes)
    {
        return receive(request, lengthBytes, true);
    }

    private boolean receive(final Request request, final int lengthBytes, final boolean isDivisible)
    {
        if (RequestPayload.RECEIVED == request.payload())
        {
            return true;
        }
        final boolean isInCapsule = request.dataPointer().isInCapsule();
        final RequestOwner owner = request.owner();
        if (!acquire(request, isInCapsule ? owner.capsuleShare() : owner.share(),
            lengthBytes - request.partOffset(), isDivisible && !isInCapsule))
        {
            if (isInCapsule)
            {
                request.phase(RequestPhase.CAPSULE_AWAITING_BUFFER);
            }
            return false;
        }
        request.beginPart(lengthBytes);
        if (isInCapsule)
        {
            NativeMemory.copy(request.capsuleDataAddress(), request.bufferAddress(), lengthBytes);
            request.payload(RequestPayload.RECEIVED);
            return true;
        }
        request.phase(RequestPhase.RECEIVING);
        owner.transport().receiveData(request);
        return false;
    }

    /**
     * Ends waiting for a buffer.
     *
     * @param request that waits.
     */
    public static void cancel(final Request request)
    {
        request.share().pool().cancel(request);
    }

    /**
     * Takes the buffer of a request back.
     *
     * @param request with a buffer.
     */
    public static void release(final Request request)
    {
        final BufferShare share = request.share();
        share.pool().release(share, request.bufferAddress(), request.pooledLength());
        request.buffer(null, 0, 0);
    }

    /**
     * Copies what a device lent into a buffer, and gives it back to the device.
     *
     * @param request that it was lent to.
     * @return false when there is no buffer now.
     */
    static boolean copyLoan(final Request request)
    {
        final int lengthBytes = request.dataLength();
        final BufferShare share = request.owner().share();
        final long address = share.pool().acquire(share, lengthBytes);
        if (0 == address)
        {
            return false;
        }
        request.data().copyOut(0, address, lengthBytes);
        request.namespace().device().releaseLoan(request);
        request.buffer(share, address, lengthBytes);
        request.data().set(address, lengthBytes);
        return true;
    }
}
