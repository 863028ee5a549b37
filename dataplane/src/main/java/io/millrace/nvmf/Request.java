package io.millrace.nvmf;

import io.millrace.block.BlockCompletionListener;
import io.millrace.block.BlockRequest;
import io.millrace.nvme.SubmissionQueueEntry;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One NVMe command on its way through a queue pair: a pooled slot of a reactor. Not thread-safe; one reactor's for life.
 * <p>
 * Fields are plain and package-visible accessors are public for the transports. The submission queue entry is copied in, so
 * the receive buffer can be reused at once.
 */
public final class Request
{
    private final UnsafeBuffer entryBuffer;
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private final BlockRequest blockRequest;

    private QueuePair queuePair;
    private Request next;
    private int tag = -1;

    private long inCapsuleAddress;
    private int inCapsuleLength;
    private long dataAddress;
    private int dataLength;
    private int pooledLength;
    private boolean sendsData;
    private int status;
    private int result0;
    private int result1;
    private int transferredBytes;
    private int transportState;
    private long startNs;

    /**
     * Made once by the reactor's pool of slots.
     *
     * @param entryBuffer of 64 bytes for the submission queue entry.
     * @param listener    told when the block request completes.
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
        inCapsuleAddress = 0;
        inCapsuleLength = 0;
        dataAddress = 0;
        dataLength = 0;
        pooledLength = 0;
        sendsData = false;
        status = 0;
        result0 = 0;
        result1 = 0;
        transferredBytes = 0;
        transportState = 0;
    }

    /**
     * Says where data that came with the capsule lies. Valid only while {@code QueuePair.onCommand} runs.
     *
     * @param address     of it.
     * @param lengthBytes of it.
     */
    public void inCapsuleData(final long address, final int lengthBytes)
    {
        inCapsuleAddress = address;
        inCapsuleLength = lengthBytes;
    }

    /**
     * Sets the memory that payload moves to or from.
     *
     * @param address     of it.
     * @param lengthBytes of it.
     */
    public void data(final long address, final int lengthBytes)
    {
        dataAddress = address;
        dataLength = lengthBytes;
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
    public QueuePair queuePair()
    {
        return queuePair;
    }

    void queuePair(final QueuePair owner)
    {
        queuePair = owner;
    }

    /**
     * {@return its index among the queue pair's active requests, which serves as transfer tag}
     */
    public int tag()
    {
        return tag;
    }

    void tag(final int index)
    {
        tag = index;
    }

    /**
     * {@return address of data that came with the capsule, 0 when none}
     */
    public long inCapsuleAddress()
    {
        return inCapsuleAddress;
    }

    /**
     * {@return length of data that came with the capsule}
     */
    public int inCapsuleLength()
    {
        return inCapsuleLength;
    }

    /**
     * {@return where payload moves to or from}
     */
    public long dataAddress()
    {
        return dataAddress;
    }

    /**
     * {@return length of the payload in bytes}
     */
    public int dataLength()
    {
        return dataLength;
    }

    int pooledLength()
    {
        return pooledLength;
    }

    void pooledLength(final int lengthBytes)
    {
        pooledLength = lengthBytes;
    }

    /**
     * {@return whether payload goes to the host before the completion}
     */
    public boolean sendsData()
    {
        return sendsData;
    }

    void sendsData(final boolean sends)
    {
        sendsData = sends;
    }

    /**
     * {@return status code type and code, with the do-not-retry bit, as {@code NvmeStatus} has them; 0 is success}
     */
    public int status()
    {
        return status;
    }

    void status(final int newStatus)
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

    void result(final int first, final int second)
    {
        result0 = first;
        result1 = second;
    }

    /**
     * {@return bytes of payload the transport has moved; the transport's own}
     */
    public int transferredBytes()
    {
        return transferredBytes;
    }

    /**
     * The transport's own.
     *
     * @param bytes of payload moved so far.
     */
    public void transferredBytes(final int bytes)
    {
        transferredBytes = bytes;
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

    void startNs(final long nowNs)
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
