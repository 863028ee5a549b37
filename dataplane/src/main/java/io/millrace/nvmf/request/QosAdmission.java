package io.millrace.nvmf.request;

import io.millrace.memory.BufferPool;
import io.millrace.nvmf.qos.QosStage;
import io.millrace.reactor.Reactor;

/**
 * Applies the limits of one reactor to commands. A command that has to wait holds no memory, unless its data came in
 * its capsule: that is copied to a buffer, so that the connection can go on to other namespaces. These buffers are a
 * part of the pool; beyond it the capsule stays with its connection, which receives nothing meanwhile, as when there is
 * no buffer, until there is room or its turn in the queue has come. Single-threaded.
 */
public final class QosAdmission
{
    /** One in so many bytes of the pool may be taken by data of commands that wait. */
    private static final int KEPT_PART = 4;

    private final Reactor reactor;
    private final PayloadBuffers payloads;
    private final long keptBytesMax;
    private long keptBytes;
    private boolean isPaused;

    /**
     * Admits everything.
     *
     * @param reactor  of the commands.
     * @param buffers  of the reactor.
     * @param payloads that data of waiting commands is copied to.
     */
    public QosAdmission(final Reactor reactor, final BufferPool buffers, final PayloadBuffers payloads)
    {
        this.reactor = reactor;
        this.payloads = payloads;
        keptBytesMax = buffers.lengthBytes() / KEPT_PART;
    }

    Reactor reactor()
    {
        return reactor;
    }

    /**
     * {@return whether I/O commands are held; admin commands never are}
     */
    public boolean isPaused()
    {
        return isPaused;
    }

    /**
     * Holds I/O commands, or ends that.
     *
     * @param isHolding which of both.
     */
    public void pause(final boolean isHolding)
    {
        isPaused = isHolding;
    }

    /**
     * {@return whether a command may begin; if not, it waits, and is carried out again from its beginning}
     *
     * @param request     the command's request.
     * @param namespace   that it is for.
     * @param isRead      whether it counts as a read.
     * @param lengthBytes that it counts as.
     * @param dataBytes   that come from the host, perhaps in its capsule.
     */
    public boolean admits(
        final Request request,
        final NamespaceChannel namespace,
        final boolean isRead,
        final int lengthBytes,
        final int dataBytes)
    {
        if (QosStage.NEW == request.qosStage())
        {
            // What has memory had begun when there was no limit.
            request.qosStage(RequestPayload.NONE == request.payload() ? QosStage.AT_HOST : QosStage.PASSED);
        }
        // When it is removed, the commands that wait on its behalf are found by it.
        namespace.bind(request);
        if (QosStage.AT_HOST == request.qosStage() &&
            passes(request.owner().host().rateLimiter(), request, isRead, lengthBytes, dataBytes))
        {
            request.qosStage(QosStage.AT_NAMESPACE);
        }
        if (QosStage.AT_NAMESPACE == request.qosStage() &&
            passes(namespace.rateLimiter(), request, isRead, lengthBytes, dataBytes))
        {
            request.qosStage(QosStage.PASSED);
        }
        return QosStage.PASSED == request.qosStage();
    }

    /**
     * {@return whether there is room for the data of a command that the transport keeps: hosts at one address have what
     * waits in capsules' buffers while it is less than what is left, so that none takes all of it}
     *
     * @param request of the command.
     */
    public boolean hasRoom(final Request request)
    {
        final long leftBytes = keptBytesMax - keptBytes;
        return request.dataPointer().lengthBytes() <= leftBytes &&
            request.owner().capsuleShare().group().heldBytes() < leftBytes;
    }

    /**
     * Buffers of commands that wait came, or went.
     *
     * @param lengthBytes of them; negative when they went.
     */
    void onKept(final int lengthBytes)
    {
        keptBytes += lengthBytes;
    }

    private boolean passes(
        final RateLimiter rateLimiter, final Request request, final boolean isRead, final int lengthBytes,
            final int dataBytes)
    {
        if (null == rateLimiter)
        {
            return true;
        }
        final ThrottleQueue queue = rateLimiter.queue(isRead);
        if (queue.passes(lengthBytes))
        {
            return true;
        }
        final boolean isInCapsule = 0 != dataBytes && request.dataPointer().isInCapsule();
        if (isInCapsule && RequestPayload.NONE == request.payload() && !hasRoom(request))
        {
            queue.add(request, RequestPhase.CAPSULE_THROTTLED, lengthBytes);
        }
        else if (!isInCapsule || payloads.receive(request, dataBytes))
        {
            queue.add(request, RequestPhase.THROTTLED, lengthBytes);
        }
        return false;
    }
}
