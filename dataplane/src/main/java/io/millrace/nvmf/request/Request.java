package io.millrace.nvmf.request;

import io.millrace.block.BlockCompletionListener;
import io.millrace.block.BlockRequest;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.qos.QosStage;
import io.millrace.nvmf.transport.DataPointerFormat;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One NVMe command on its way through a queue pair: a pooled slot of a reactor. Not thread-safe; it belongs to one
 * reactor for its whole life.
 * <p>
 * Fields are plain and package-visible accessors are public for the transports. The submission queue entry is copied
 * in, so the receive buffer can be reused at once.
 */
public final class Request extends RequestData
{
    private final UnsafeBuffer entryBuffer;
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private final BlockRequest blockRequest;

    private RequestOwner owner;
    private NamespaceChannel namespace;
    private Request next;
    private Request previous;
    private RequestPhase phase = RequestPhase.IDLE;
    private QosStage qosStage = QosStage.NEW;
    private ThrottleQueue throttleQueue;
    private int throttledBytes;
    private long throttledSinceNs;
    private boolean holdsCommandId;
    private int tag = -1;
    private int serial;
    private int step;
    private long stepBlocks;

    private boolean completionOptional;
    private int status;
    private int result0;
    private int result1;
    private int transportState;
    private long startNs;

    /**
     * Made once by the reactor's pool of slots.
     *
     * @param entryBuffer of 64 bytes for the submission queue entry.
     * @param listener    notified when the block request completes.
     */
    Request(final UnsafeBuffer entryBuffer, final BlockCompletionListener listener)
    {
        this.entryBuffer = entryBuffer;
        this.blockRequest = new BlockRequest(this, listener);
        entry.wrap(entryBuffer, 0);
    }

    /**
     * Begins a new command: copies its entry in and forgets everything of the last one.
     *
     * @param source that holds the entry.
     * @param offset of the entry in it.
     */
    public void begin(final UnsafeBuffer source, final int offset)
    {
        entryBuffer.putBytes(0, source, offset, SubmissionQueueEntry.SIZE_BYTES);
        beginData();
        phase(RequestPhase.EXECUTING);
        qosStage = QosStage.NEW;
        holdsCommandId = false;
        step = 0;
        stepBlocks = 0;
        completionOptional = false;
        status = 0;
        result0 = 0;
        result1 = 0;
        transportState = 0;
    }

    /**
     * Parses the command's data pointer, once, when its capsule has come, and names the data that came with it. The
     * data is valid only while {@code CommandDispatcher.onCommand} runs.
     *
     * @param format      of the transport.
     * @param address     of data in the capsule; 0 when there is none.
     * @param lengthBytes of data in the capsule; 0 when there is none.
     */
    public void dataPointer(final DataPointerFormat format, final long address, final int lengthBytes)
    {
        inCapsuleData(address);
        format.parse(entry, lengthBytes, dataPointer());
    }

    /**
     * {@return the command}
     */
    public SubmissionQueueEntry entry()
    {
        return entry;
    }

    /**
     * {@return the block I/O it becomes}
     */
    public BlockRequest blockRequest()
    {
        return blockRequest;
    }

    /**
     * {@return the queue pair it came in on}
     */
    public RequestOwner owner()
    {
        return owner;
    }

    /**
     * Another command has the slot.
     *
     * @param newOwner that it belongs to.
     */
    public void owner(final RequestOwner newOwner)
    {
        owner = newOwner;
    }

    /**
     * {@return its index among the queue pair's active requests, which serves as transfer tag}
     */
    public int tag()
    {
        return tag;
    }

    /**
     * Sets its index among the active requests of its queue pair.
     *
     * @param index below 65,536.
     */
    public void tag(final int index)
    {
        tag = index;
    }

    /**
     * {@return whether a transport that can say success with the data may leave out the completion queue entry}
     */
    public boolean completionOptional()
    {
        return completionOptional;
    }

    /**
     * Says whether the completion queue entry may be left out.
     *
     * @param value whether it may.
     */
    public void completionOptional(final boolean value)
    {
        completionOptional = value;
    }

    /**
     * {@return its phase}
     */
    public RequestPhase phase()
    {
        return phase;
    }

    /**
     * Enters another phase, as {@link RequestPhase} has them.
     *
     * @param newPhase to enter.
     */
    public void phase(final RequestPhase newPhase)
    {
        assert phase.canBecome(newPhase) : "request cannot go from " + phase + " to " + newPhase;
        phase = newPhase;
    }

    /**
     * {@return the namespace's channel that it is bound to; null when to none}
     */
    public NamespaceChannel namespace()
    {
        return namespace;
    }

    /**
     * Binds it to a namespace, or ends that.
     *
     * @param channel to the namespace; null for none.
     */
    public void namespace(final NamespaceChannel channel)
    {
        namespace = channel;
    }

    /**
     * {@return whether its command id is marked as in use on its behalf}
     */
    public boolean holdsCommandId()
    {
        return holdsCommandId;
    }

    /**
     * Says whether its command identifier is marked as in use.
     *
     * @param holds whether it is.
     */
    public void holdsCommandId(final boolean holds)
    {
        holdsCommandId = holds;
    }

    /**
     * {@return how often the slot has been given back: lets a late completion detect that the slot was reused}
     */
    public int serial()
    {
        return serial;
    }

    void nextSerial()
    {
        serial++;
    }

    /**
     * {@return which part of a command of several parts is being done}
     */
    public int step()
    {
        return step;
    }

    /**
     * Begins another part.
     *
     * @param newStep the part.
     */
    public void step(final int newStep)
    {
        step = newStep;
    }

    /**
     * {@return how many blocks of the present part are done}
     */
    public long stepBlocks()
    {
        return stepBlocks;
    }

    /**
     * Sets how much of the present part is done.
     *
     * @param blocks of the part.
     */
    public void stepBlocks(final long blocks)
    {
        stepBlocks = blocks;
    }

    /**
     * {@return its progress through the limits}
     */
    public QosStage qosStage()
    {
        return qosStage;
    }

    /**
     * Makes progress through the limits.
     *
     * @param stage that it is at.
     */
    public void qosStage(final QosStage stage)
    {
        qosStage = stage;
    }

    /**
     * {@return throttle queue that it waits in; null when it waits in none}
     */
    public ThrottleQueue throttleQueue()
    {
        return throttleQueue;
    }

    /**
     * {@return bytes that the limit counts for it}
     */
    int throttledBytes()
    {
        return throttledBytes;
    }

    /**
     * It waits for a limit.
     *
     * @param queue        that it waits in.
     * @param waitPhase   whether the transport keeps its capsule meanwhile.
     * @param lengthBytes that it counts as.
     * @param nowNs       the cycle's clock.
     */
    void onThrottled(final ThrottleQueue queue, final RequestPhase waitPhase, final int lengthBytes, final long nowNs)
    {
        phase(waitPhase);
        throttleQueue = queue;
        throttledBytes = lengthBytes;
        throttledSinceNs = nowNs;
    }

    /**
     * It no longer waits for a limit.
     *
     * @param nowNs the cycle's clock.
     * @return nanoseconds that it waited.
     */
    long onUnthrottled(final long nowNs)
    {
        throttleQueue = null;
        return nowNs - throttledSinceNs;
    }

    Request previous()
    {
        return previous;
    }

    void previous(final Request preceding)
    {
        previous = preceding;
    }

    /**
     * The buffer it waited for is there. Called by the buffer pool only.
     *
     * @param address     of the buffer.
     * @param lengthBytes length in bytes: that was asked for, or less for who can do with a part at a time.
     */
    @Override
    public void onBuffer(final long address, final int lengthBytes)
    {
        onBufferTaken(address, lengthBytes);
        if (RequestPhase.CAPSULE_AWAITING_BUFFER == phase)
        {
            // Its transport retries the capsule.
            phase(RequestPhase.CAPSULE_BUFFERED);
        }
        else
        {
            owner.resume(this);
        }
    }

    /**
     * {@return whether a writer waits for data that a device lent to it; answered, not sent yet}
     */
    public boolean isLoanWanted()
    {
        return blockRequest.lent() && namespace.device().isLoanWanted(this);
    }

    /**
     * Copies data that a device lent for a read into a buffer, and gives it back to the device. For connections that
     * cannot send now: lent blocks cannot be written. Changes {@link #data()}. Answered, not sent yet.
     *
     * @return false when there is no buffer now, try later; true when nothing is lent (any more).
     */
    public boolean copyLoan()
    {
        return !blockRequest.lent() || PayloadBuffers.copyLoan(this);
    }

    /**
     * {@return whether payload that the host sends may be received into memory of the device: of a write to a device
     * that lends it}
     */
    public boolean mayStoreReceived()
    {
        return IoOpcode.WRITE == entry.opcode() && null != namespace && 1 == data().count() &&
            namespace.device().lendsForWrites();
    }

    /**
     * Takes memory of the device for blocks behind those that it {@link #storedBytes() has}. Only while it
     * {@link #mayStoreReceived}; {@link #endStoring} follows at once.
     *
     * @param lengthBytes of the blocks.
     * @return address; 0 when they are not available now.
     */
    public long beginStoring(final int lengthBytes)
    {
        return namespace.device().lendForWrite(storedPosition(), lengthBytes);
    }

    /**
     * Returns the memory.
     *
     * @param lengthBytes that was taken.
     * @param nowStored   bytes of whole blocks at its beginning that have the payload now.
     */
    public void endStoring(final int lengthBytes, final int nowStored)
    {
        namespace.device().releaseWritten(storedPosition(), lengthBytes);
        storedBytes(storedBytes() + nowStored);
    }

    /** Where on its device the first byte belongs that the device has not. */
    private long storedPosition()
    {
        return (entry.startingLba() << namespace.blockShift()) + partOffset() + storedBytes();
    }

    /**
     * {@return status code type and code, with the do-not-retry bit, as {@code NvmeStatus} has them; 0 is success}
     */
    public int status()
    {
        return status;
    }

    /**
     * Sets the status.
     *
     * @param newStatus as {@code NvmeStatus} has them; 0 is success.
     */
    public void status(final int newStatus)
    {
        status = newStatus;
    }

    /**
     * {@return first double word of the completion}
     */
    public int result0()
    {
        return result0;
    }

    /**
     * {@return second double word of the completion}
     */
    public int result1()
    {
        return result1;
    }

    /**
     * Sets the result of the completion.
     *
     * @param first  double word 0.
     * @param second double word 1.
     */
    public void result(final int first, final int second)
    {
        result0 = first;
        result1 = second;
    }

    /**
     * {@return a number for the transport's own use, 0 at the beginning}
     */
    public int transportState()
    {
        return transportState;
    }

    /**
     * The transport's own.
     *
     * @param state to keep.
     */
    public void transportState(final int state)
    {
        transportState = state;
    }

    /**
     * {@return when the command began, on the reactor's clock}
     */
    public long startNs()
    {
        return startNs;
    }

    /**
     * Sets when the command began.
     *
     * @param nowNs on the reactor's clock.
     */
    public void startNs(final long nowNs)
    {
        startNs = nowNs;
    }

    /**
     * {@return next in the list of its present holder}
     */
    public Request next()
    {
        return next;
    }

    /**
     * Links requests for their present holder.
     *
     * @param following request, or null.
     */
    public void next(final Request following)
    {
        next = following;
    }
}
