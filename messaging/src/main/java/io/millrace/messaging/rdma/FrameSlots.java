package io.millrace.messaging.rdma;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.rdma.endpoint.RdmaQueuePair;
import io.millrace.rdma.endpoint.RdmaRegion;
import io.millrace.rdma.endpoint.RegionAccess;

/**
 * Registered memory of a link's frames: slots to receive into, slots to send from, used in turn. A peer that has not
 * proved itself gets one slot for its proof, and this side one for its goodbye: registered memory is locked, and is
 * not for everybody who asks. One link's; nothing is allocated for a frame.
 */
final class FrameSlots
{
    /** Larger than a proof, as of TCP. */
    private static final int EARLY_BYTES = 256;
    /** One frame of so many has a completion, which frees the slots before it. */
    private static final int FRAMES_PER_COMPLETION = 16;

    private final RdmaSizes sizes;
    private final Registrations registrations;
    private final MessageMemory earlyMemory = new MessageMemory(2L * EARLY_BYTES);
    private RdmaRegion earlyRegion;
    private MessageMemory receiveMemory;
    private RdmaRegion receiveRegion;
    private MessageMemory sendMemory;
    private RdmaRegion sendRegion;
    private int sendSlots;
    private int sendSlotBytes;
    private long framesSent;
    private long framesDone;

    /** Has no slots yet. */
    FrameSlots(final RdmaSizes sizes, final Registrations registrations)
    {
        this.sizes = sizes;
        this.registrations = registrations;
    }

    /**
     * Makes the slots of the proof and of the goodbye.
     *
     * @throws io.millrace.rdma.RdmaException when the memory cannot be registered.
     */
    void openEarly()
    {
        earlyRegion = registrations.local(earlyMemory, RegionAccess.LOCAL);
    }

    /** Posts the slot for the peer's proof; only this before {@link #openReceive}. */
    void postEarly(final RdmaQueuePair queuePair)
    {
        queuePair.segment(earlyMemory.address(), EARLY_BYTES, earlyRegion.localKey())
            .postReceive(sizes.link().receiveDepth());
    }

    /**
     * Makes and posts all slots to receive into.
     *
     * @throws io.millrace.rdma.RdmaException when the memory cannot be registered.
     */
    void openReceive(final RdmaQueuePair queuePair)
    {
        receiveMemory = new MessageMemory((long)sizes.link().slotBytes() * sizes.link().receiveDepth());
        receiveRegion = registrations.local(receiveMemory, RegionAccess.LOCAL);
        for (int slot = 0; slot < sizes.link().receiveDepth(); slot++)
        {
            post(queuePair, slot);
        }
    }

    /**
     * Makes the slots to send from.
     *
     * @param peerSlotBytes what the peer receives into.
     * @throws io.millrace.rdma.RdmaException when the memory cannot be registered.
     */
    void openSend(final int peerSlotBytes)
    {
        // Half of the send queue is for reads and writes.
        final int slots = Math.max(2, Math.min(sizes.sendDepth() / 2, sizes.link().sendBufferBytes() / peerSlotBytes));
        sendMemory = new MessageMemory((long)slots * peerSlotBytes);
        sendRegion = registrations.local(sendMemory, RegionAccess.LOCAL);
        sendSlotBytes = peerSlotBytes;
        sendSlots = slots;
    }

    /** {@return where a frame came that was received into a slot} */
    long received(final int slot)
    {
        return isEarly(slot) ? earlyMemory.address() :
            receiveMemory.address() + (long)slot * sizes.link().slotBytes();
    }

    private boolean isEarly(final int slot)
    {
        return sizes.link().receiveDepth() == slot;
    }

    /** Posts a slot again; the early one is used once. */
    void post(final RdmaQueuePair queuePair, final int slot)
    {
        if (!isEarly(slot))
        {
            queuePair.segment(received(slot), sizes.link().slotBytes(), receiveRegion.localKey()).postReceive(slot);
        }
    }

    /** {@return where to write the next frame; 0 when there is no room} */
    long claim(final RdmaQueuePair queuePair)
    {
        return framesSent - framesDone < sendSlots && queuePair.sendRoom() > 1 ? slot(framesSent) : 0;
    }

    private long slot(final long frame)
    {
        return sendMemory.address() + frame % sendSlots * sendSlotBytes;
    }

    /** Sends the frame that was claimed. */
    void commit(final RdmaQueuePair queuePair, final int frameBytes)
    {
        final boolean isSignalled = 0 == (framesSent + 1) % Math.min(FRAMES_PER_COMPLETION, sendSlots / 2);
        queuePair.segment(slot(framesSent), frameBytes, sendRegion.localKey()).postSend(framesSent, isSignalled);
        framesSent++;
    }

    /** A frame has left, and all before it. */
    void onSent(final long frame)
    {
        framesDone = frame + 1;
    }

    /**
     * Sends the goodbye.
     *
     * @param id           that its completion is reported with.
     * @param status       why the connection ends.
     * @param acknowledged messages that were delivered.
     * @return false when there is no room.
     */
    boolean sendGoodbye(
        final RdmaQueuePair queuePair, final long id, final EndpointStatus status, final long acknowledged)
    {
        final long frame = earlyMemory.address() + EARLY_BYTES;
        FrameHeader.write(frame, FrameHeader.GOODBYE, 0, 0L, acknowledged, status.ordinal());
        return queuePair.segment(frame, FrameHeader.SIZE_BYTES, earlyRegion.localKey()).postSend(id, true);
    }

    /** Frees the memory; its regions are closed. */
    void close()
    {
        earlyMemory.close();
        if (null != receiveMemory)
        {
            receiveMemory.close();
        }
        if (null != sendMemory)
        {
            sendMemory.close();
        }
    }
}
