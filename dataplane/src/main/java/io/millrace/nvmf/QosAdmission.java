package io.millrace.nvmf;

import io.millrace.reactor.Reactor;

/**
 * Asks the limits of one reactor whether commands may begin. A command that has to wait holds no memory, unless its
 * data came in its capsule: that is copied to a buffer, so that the connection can go on to other namespaces. These
 * buffers are a part of the pool; beyond it the capsule stays with its connection, which receives nothing meanwhile,
 * as when there is no buffer, until there is room or its turn in line has come. Single-threaded.
 */
final class QosAdmission
{
    /** One in so many bytes of the pool may be taken by data of commands that wait. */
    private static final int KEPT_PART = 4;

    private final PollGroup pollGroup;
    private final long keptBytesMax;
    private long keptBytes;

    QosAdmission(final PollGroup pollGroup)
    {
        this.pollGroup = pollGroup;
        keptBytesMax = pollGroup.buffers().lengthBytes() / KEPT_PART;
    }

    Reactor reactor()
    {
        return pollGroup.reactor();
    }

    boolean isPaused()
    {
        return pollGroup.isPaused();
    }

    /**
     * {@return whether a command may begin; if not, it waits, and is carried out again from its beginning}
     *
     * @param request     of it.
     * @param namespace   that it is for.
     * @param isRead      whether it counts as a read.
     * @param lengthBytes that it counts as.
     * @param dataBytes   that come from the host, perhaps in its capsule.
     */
    boolean admits(
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
        // When it is taken away, those that wait on its behalf are found by it.
        namespace.bind(request);
        if (QosStage.AT_HOST == request.qosStage() &&
            passes(request.queuePair().host().gate(), request, isRead, lengthBytes, dataBytes))
        {
            request.qosStage(QosStage.AT_NAMESPACE);
        }
        if (QosStage.AT_NAMESPACE == request.qosStage() &&
            passes(namespace.gate(), request, isRead, lengthBytes, dataBytes))
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
    boolean hasRoom(final Request request)
    {
        final long leftBytes = keptBytesMax - keptBytes;
        return request.entry().sglLength() <= leftBytes &&
            request.queuePair().capsuleShare().group().heldBytes() < leftBytes;
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
        final QosGate gate, final Request request, final boolean isRead, final int lengthBytes, final int dataBytes)
    {
        if (null == gate)
        {
            return true;
        }
        final QosLine line = gate.line(isRead);
        if (line.passes(lengthBytes))
        {
            return true;
        }
        final boolean isInCapsule = 0 != dataBytes && DataPointer.isInCapsule(request.entry());
        if (isInCapsule && RequestPayload.NONE == request.payload() && !hasRoom(request))
        {
            line.add(request, RequestPhase.CAPSULE_THROTTLED, lengthBytes);
        }
        else if (!isInCapsule || pollGroup.payloads().receive(request, dataBytes))
        {
            line.add(request, RequestPhase.THROTTLED, lengthBytes);
        }
        return false;
    }
}
