package io.millrace.nvmf.initiator;

import io.millrace.memory.Segments;
import io.millrace.nvme.DataTransfer;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;

/**
 * One command of the host: a slot that is made once, filled, submitted to a {@link RemoteQueuePair}, completed and
 * filled again. Not thread-safe: it belongs to its submitter until {@code submit} answers true and to the queue pair
 * until its one completion, always on the queue pair's reactor. The memory of the payload belongs to the queue pair for
 * as long.
 */
public final class HostRequest
{
    /** The path to the controller failed, or the controller was lost: path related, host pathing error. */
    public static final int STATUS_HOST_PATH_ERROR = 0x370;
    /** The host gave the command up: path related, command aborted by host. */
    public static final int STATUS_ABORTED_BY_HOST = 0x371;

    private static final int FORCE_UNIT_ACCESS = 1 << 30;
    private static final int DEALLOCATE = 1 << 25;
    private static final int ATTRIBUTE_DEALLOCATE = 1 << 2;

    int opcode;
    int namespaceId;
    int cdw10;
    int cdw11;
    int cdw12;
    int cdw13;
    int cdw14;
    int cdw15;
    int direction;

    int commandId = -1;
    boolean parked;
    long sendNs;
    long startNs;
    long completeNs;
    int status;
    int result0;
    int result1;
    HostRequest next;
    HostRequest nextAnswered;

    private final Segments payload = new Segments();
    private final HostTransfer transfer = new HostTransfer();
    private final HostCompletionListener listener;
    private final Object owner;
    private RequestState state = RequestState.IDLE;

    /**
     * Creates a slot at set-up; it is reused for the life of its owner.
     *
     * @param owner    of the slot, for the listener to find its context without a look-up; may be null.
     * @param listener notified of every completion.
     */
    public HostRequest(final Object owner, final HostCompletionListener listener)
    {
        this.owner = owner;
        this.listener = listener;
    }

    /**
     * Asks to read blocks.
     *
     * @param nsid         namespace.
     * @param lba          first block.
     * @param blocks       how many, 1 to 65536.
     * @param destination  address of the buffer.
     * @param bufferBytes  length of the blocks in bytes.
     * @return this, to chain.
     */
    public HostRequest read(
        final int nsid, final long lba, final int blocks, final long destination, final int bufferBytes)
    {
        return blocks(IoOpcode.READ, nsid, lba, blocks).data(destination, bufferBytes);
    }

    /**
     * Asks to read blocks into several places.
     *
     * @param nsid        namespace.
     * @param lba         first block.
     * @param blocks      how many, 1 to 65536.
     * @param destination pieces of memory, together as long as the blocks; copied, so that the caller may change it.
     * @return this, to chain.
     */
    public HostRequest read(final int nsid, final long lba, final int blocks, final Segments destination)
    {
        return blocks(IoOpcode.READ, nsid, lba, blocks).data(destination);
    }

    /**
     * Asks to write blocks.
     *
     * @param nsid        namespace.
     * @param lba         first block.
     * @param blocks      how many, 1 to 65536.
     * @param source      address of the buffer; it must not change until the request completes.
     * @param bufferBytes length of the blocks in bytes.
     * @return this, to chain.
     */
    public HostRequest write(
        final int nsid, final long lba, final int blocks, final long source, final int bufferBytes)
    {
        return blocks(IoOpcode.WRITE, nsid, lba, blocks).data(source, bufferBytes);
    }

    /**
     * Asks to write blocks from several places.
     *
     * @param nsid   namespace.
     * @param lba    first block.
     * @param blocks how many, 1 to 65536.
     * @param source pieces of memory, together as long as the blocks; copied, so that the caller may change it. The
     *               memory must not change until the request completes.
     * @return this, to chain.
     */
    public HostRequest write(final int nsid, final long lba, final int blocks, final Segments source)
    {
        return blocks(IoOpcode.WRITE, nsid, lba, blocks).data(source);
    }

    /**
     * Asks to compare blocks with a buffer.
     *
     * @param nsid        namespace.
     * @param lba         first block.
     * @param blocks      how many, 1 to 65536.
     * @param source      address of the buffer; it must not change until the request completes.
     * @param bufferBytes length of the blocks in bytes.
     * @return this, to chain.
     */
    public HostRequest compare(
        final int nsid, final long lba, final int blocks, final long source, final int bufferBytes)
    {
        return blocks(IoOpcode.COMPARE, nsid, lba, blocks).data(source, bufferBytes);
    }

    /**
     * Asks to compare blocks with memory in several places.
     *
     * @param nsid   namespace.
     * @param lba    first block.
     * @param blocks how many, 1 to 65536.
     * @param source pieces of memory, together as long as the blocks; copied, so that the caller may change it. The
     *               memory must not change until the request completes.
     * @return this, to chain.
     */
    public HostRequest compare(final int nsid, final long lba, final int blocks, final Segments source)
    {
        return blocks(IoOpcode.COMPARE, nsid, lba, blocks).data(source);
    }

    /**
     * Asks that everything written and completed before be stable.
     *
     * @param nsid namespace.
     * @return this, to chain.
     */
    public HostRequest flush(final int nsid)
    {
        return command(IoOpcode.FLUSH, nsid);
    }

    /**
     * Asks that blocks read as zeroes.
     *
     * @param nsid       namespace.
     * @param lba        first block.
     * @param blocks     how many, 1 to 65536.
     * @param deallocate whether the controller should deallocate them too.
     * @return this, to chain.
     */
    public HostRequest writeZeroes(final int nsid, final long lba, final int blocks, final boolean deallocate)
    {
        blocks(IoOpcode.WRITE_ZEROES, nsid, lba, blocks);
        cdw12 |= deallocate ? DEALLOCATE : 0;
        return this;
    }

    /**
     * Asks whether blocks can be read; no data moves.
     *
     * @param nsid   namespace.
     * @param lba    first block.
     * @param blocks how many, 1 to 65536.
     * @return this, to chain.
     */
    public HostRequest verify(final int nsid, final long lba, final int blocks)
    {
        return blocks(IoOpcode.VERIFY, nsid, lba, blocks);
    }

    /**
     * Says that ranges of blocks are no longer needed (dataset management, deallocate).
     *
     * @param nsid          namespace.
     * @param rangesAddress of range descriptors, 16 bytes each: context attributes, blocks, lba.
     * @param rangeCount    1 to 256.
     * @return this, to chain.
     */
    public HostRequest deallocate(final int nsid, final long rangesAddress, final int rangeCount)
    {
        command(IoOpcode.DATASET_MANAGEMENT, nsid);
        cdw10 = rangeCount - 1;
        cdw11 = ATTRIBUTE_DEALLOCATE;
        return data(rangesAddress, rangeCount << 4);
    }

    /**
     * Asks that a write be stable when it completes.
     *
     * @return this, to chain.
     */
    public HostRequest forceUnitAccess()
    {
        cdw12 |= FORCE_UNIT_ACCESS;
        return this;
    }

    /**
     * {@return whether it is its submitter's: filled or to be filled, not submitted}
     */
    public boolean isIdle()
    {
        return RequestState.IDLE == state;
    }

    RequestState state()
    {
        return state;
    }

    void state(final RequestState next)
    {
        if (!state.canBecome(next))
        {
            throw new IllegalStateException("request cannot go from " + state + " to " + next + ": " + this);
        }
        state = next;
    }

    /**
     * {@return what its transport notes of it; for transports}
     */
    public HostTransfer transfer()
    {
        return transfer;
    }

    /**
     * {@return whether executing the command again later may bring back data that was overwritten meanwhile}
     */
    boolean changesData()
    {
        return switch (opcode)
        {
            case IoOpcode.READ, IoOpcode.COMPARE, IoOpcode.FLUSH, IoOpcode.VERIFY -> false;
            default -> true;
        };
    }

    /**
     * {@return its opcode; for transports}
     */
    public int opcode()
    {
        return opcode;
    }

    /**
     * Writes everything of its entry but the data pointer; for transports.
     *
     * @param entry to fill.
     */
    public void writeEntry(final SubmissionQueueEntry entry)
    {
        entry.opcode(opcode)
            .flags(SglDescriptor.FLAGS_PSDT_SGL)
            .commandId(commandId)
            .namespaceId(namespaceId)
            .cdw2(0).cdw3(0).metadataPointer(0)
            .cdw10(cdw10).cdw11(cdw11).cdw12(cdw12)
            .cdw13(cdw13).cdw14(cdw14).cdw15(cdw15);
    }

    /**
     * {@return identifier while it is outstanding, else -1; for transports}
     */
    public int commandId()
    {
        return commandId;
    }

    /**
     * Sets the double words of its completion; for transports.
     *
     * @param first  double word.
     * @param second double word.
     */
    public void result(final int first, final int second)
    {
        result0 = first;
        result1 = second;
    }

    /**
     * Takes it out of the list that {@link CommandTable} has linked it into; for transports.
     *
     * @return the next one; null when it was the last.
     */
    public HostRequest takeNext()
    {
        final HostRequest taken = next;
        next = null;
        return taken;
    }

    /**
     * Takes it out of the list of answered commands; for transports.
     *
     * @return the next one; null when it was the last.
     */
    public HostRequest takeNextAnswered()
    {
        final HostRequest taken = nextAnswered;
        nextAnswered = null;
        return taken;
    }

    /**
     * It is its submitter's again, without a completion; for transports, of requests of their own.
     */
    public void recall()
    {
        state(RequestState.IDLE);
    }

    HostRequest command(final int newOpcode, final int nsid)
    {
        if (RequestState.IDLE != state)
        {
            throw new IllegalStateException("request is " + state + ", fill it when it is complete: " + this);
        }
        opcode = newOpcode;
        namespaceId = nsid;
        cdw10 = 0;
        cdw11 = 0;
        cdw12 = 0;
        cdw13 = 0;
        cdw14 = 0;
        cdw15 = 0;
        direction = DataTransfer.of(IoOpcode.FABRICS == newOpcode ? nsid : newOpcode);
        payload.clear();
        parked = false;
        next = null;
        return this;
    }

    HostRequest data(final long bufferAddress, final int bufferBytes)
    {
        payload.set(bufferAddress, bufferBytes);
        return this;
    }

    HostRequest data(final Segments segments)
    {
        payload.copyFrom(segments);
        return this;
    }

    private HostRequest blocks(final int newOpcode, final int nsid, final long lba, final int blocks)
    {
        command(newOpcode, nsid);
        cdw10 = (int)lba;
        cdw11 = (int)(lba >>> 32);
        cdw12 = blocks - 1;
        return this;
    }

    /**
     * {@return whether it has a payload that goes to the controller}
     */
    public boolean sendsData()
    {
        return DataTransfer.HOST_TO_CONTROLLER == direction && payload.totalBytes() > 0;
    }

    /**
     * {@return whether it has a payload that comes from the controller}
     */
    public boolean receivesData()
    {
        return DataTransfer.CONTROLLER_TO_HOST == direction && payload.totalBytes() > 0;
    }

    /**
     * Completes it; for transports, once {@link CommandTable#remove} has freed its slot.
     *
     * @param newStatus of the answer.
     * @param nowNs     clock when the answer had been received.
     */
    public void complete(final int newStatus, final long nowNs)
    {
        state(RequestState.IDLE);
        commandId = -1;
        status = newStatus;
        completeNs = nowNs;
        listener.onComplete(this);
    }

    /**
     * {@return whose slot this is}
     */
    public Object owner()
    {
        return owner;
    }

    /**
     * {@return how it went, once complete: status code in bits 7:0, its type in 10:8, retry delay in 12:11, more in 13,
     * do not retry in 14; 0 is success}
     */
    public int status()
    {
        return status;
    }

    /**
     * {@return whether it went well, once complete}
     */
    public boolean isSuccess()
    {
        return 0 == status;
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
     * {@return first block of a command that has one}
     */
    public long lba()
    {
        return cdw10 & 0xFFFF_FFFFL | (long)cdw11 << 32;
    }

    /**
     * {@return memory that it sends or receives; empty when none. For transports}
     */
    public Segments payload()
    {
        return payload;
    }

    /**
     * {@return length of the payload in bytes}
     */
    public int lengthBytes()
    {
        return payload.totalBytes();
    }

    /**
     * {@return when it was submitted, on the clock of its reactor; reconnecting does not change it}
     */
    public long startNs()
    {
        return startNs;
    }

    /**
     * {@return when its answer had been received, on the clock of its reactor}
     */
    public long completeNs()
    {
        return completeNs;
    }

    @Override
    public String toString()
    {
        return "opcode=0x" + Integer.toHexString(opcode) + " nsid=" + namespaceId + " lba=" + lba() +
            " bytes=" + payload.totalBytes() + " status=0x" + Integer.toHexString(status);
    }
}
