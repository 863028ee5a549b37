package io.millrace.nvmf.transport;

import io.millrace.nvme.NvmeStatus;

/**
 * Where the data of a command is at its host: the one SGL descriptor of its submission queue entry (NVM Express Base
 * 2.0, sections 4.1.2 and 3.3.3.1), as its transport's {@link DataPointerFormat} has parsed it when the capsule came.
 * Made once with its request; its reactor only.
 */
public final class DataPointer
{
    private static final int NOT_PARSED = NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;

    /** How data moves. */
    public enum Kind
    {
        /** The descriptor is none that the transport takes. */
        NONE,
        /** With the command, in its capsule. */
        IN_CAPSULE,
        /** By messages of the transport, which needs no address of the host's memory: NVMe/TCP. */
        TRANSPORT,
        /** From or to memory of the host that the transport reaches by address and key: RDMA. */
        KEYED
    }

    private Kind kind = Kind.NONE;
    private int status = NOT_PARSED;
    private long address;
    private int lengthBytes;
    private int key;
    private boolean invalidatesKey;

    /**
     * Points to nothing until a command is parsed.
     */
    public DataPointer()
    {
    }

    /** Another command has its request. */
    public void forget()
    {
        kind = Kind.NONE;
        status = NOT_PARSED;
    }

    /**
     * The descriptor is one that the transport does not take.
     *
     * @param refusal status that the command ends with if it moves data.
     */
    void refuse(final int refusal)
    {
        kind = Kind.NONE;
        status = refusal;
        lengthBytes = 0;
    }

    /**
     * The data moves with the capsule or by messages of the transport.
     *
     * @param how      {@link Kind#IN_CAPSULE} or {@link Kind#TRANSPORT}.
     * @param refusal  status that the command ends with if it moves data; 0 when the descriptor is right.
     * @param offset   of data in the capsule, behind the entry; of no meaning else.
     * @param newBytes unsigned length.
     */
    void set(final Kind how, final int refusal, final long offset, final int newBytes)
    {
        kind = how;
        status = refusal;
        address = offset;
        lengthBytes = newBytes;
    }

    /**
     * The data is in memory of the host.
     *
     * @param remote      address there.
     * @param newBytes    length, 24 bits.
     * @param remoteKey   of the memory.
     * @param invalidates whether the answer invalidates the key.
     */
    void setKeyed(final long remote, final int newBytes, final int remoteKey, final boolean invalidates)
    {
        kind = Kind.KEYED;
        status = NvmeStatus.SUCCESS;
        address = remote;
        lengthBytes = newBytes;
        key = remoteKey;
        invalidatesKey = invalidates;
    }

    /**
     * {@return how the data moves}
     */
    public Kind kind()
    {
        return kind;
    }

    /**
     * {@return the address in the host's memory of {@link Kind#KEYED} data; the offset behind the entry of
     * {@link Kind#IN_CAPSULE} data}
     */
    public long address()
    {
        return address;
    }

    /**
     * {@return length in bytes that the descriptor gives, unsigned}
     */
    public int lengthBytes()
    {
        return lengthBytes;
    }

    /**
     * {@return key of the host's memory, 32 bits; only of {@link Kind#KEYED} data}
     */
    public int key()
    {
        return key;
    }

    /**
     * {@return whether the answer has to invalidate the key; only of {@link Kind#KEYED} data}
     */
    public boolean invalidatesKey()
    {
        return invalidatesKey;
    }

    /**
     * {@return whether the data came with the capsule}
     */
    public boolean isInCapsule()
    {
        return Kind.IN_CAPSULE == kind;
    }

    /**
     * Checks the descriptor for data that goes to the host.
     *
     * @param neededBytes that the command transfers.
     * @return status; 0 when it is right.
     */
    public int checkToHost(final int neededBytes)
    {
        if (Kind.IN_CAPSULE == kind)
        {
            return NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID | NvmeStatus.DO_NOT_RETRY;
        }
        return checkFromHost(neededBytes, neededBytes);
    }

    /**
     * Checks the descriptor for data that comes from the host.
     *
     * @param bytesMin that the command needs.
     * @param bytesMax that the descriptor may have.
     * @return status; 0 when it is right.
     */
    public int checkFromHost(final int bytesMin, final int bytesMax)
    {
        if (NvmeStatus.SUCCESS != status)
        {
            return status;
        }
        // Unsigned: beyond 2 GiB it is negative here, and below any minimum.
        return lengthBytes < bytesMin || lengthBytes > bytesMax ?
            NvmeStatus.DATA_SGL_LENGTH_INVALID | NvmeStatus.DO_NOT_RETRY : NvmeStatus.SUCCESS;
    }
}
