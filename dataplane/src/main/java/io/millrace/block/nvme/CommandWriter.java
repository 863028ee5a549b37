package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockRequest;
import io.millrace.block.nvme.queue.DataPointer;
import io.millrace.block.nvme.queue.QueuePair;
import io.millrace.nvme.CopyRange;
import io.millrace.nvme.DatasetRange;
import io.millrace.nvme.IoOpcode;

/**
 * Writes submission queue entries of I/O commands (NVM Command Set 1.0, section 3) in whole words. Single-threaded.
 */
final class CommandWriter
{
    private static final int METADATA_POINTER_OFFSET = 16;
    private static final int STARTING_LBA_OFFSET = 40;
    private static final int DWORD12_OFFSET = 48;
    private static final int DWORD14_OFFSET = 56;
    private static final int COMMAND_ID_SHIFT = 16;
    private static final long INT_MASK = 0xFFFF_FFFFL;

    /** Dword 12: force unit access. */
    private static final int FORCE_UNIT_ACCESS = 1 << 30;
    /** Dword 12: the controller makes and takes away protection information (PRACT). */
    private static final int PROTECTION_ACTION = 1 << 29;
    /** Dword 12: it checks the guard. */
    private static final int CHECK_GUARD = 1 << 28;
    /** Dword 12: it checks the reference tag. */
    private static final int CHECK_REFERENCE = 1 << 26;
    /** Type of protection information whose reference tags are not checked. */
    private static final int PROTECTION_TYPE_3 = 3;

    private final QueuePair queuePair;
    private final DataPointer pointer;
    private final int blockShift;
    private final long namespaceBits;
    private final int protectionBits;
    private final boolean hasReferenceTags;
    private final long readMetadataIova;
    private final long writeMetadataIova;

    /**
     * For the commands of a channel.
     *
     * @param namespace of its commands.
     * @param queuePair they go to.
     * @param memory    of the channel.
     * @param pointer   to their data.
     */
    CommandWriter(
        final DriveNamespace namespace,
        final QueuePair queuePair,
        final ChannelMemory memory,
        final DataPointer pointer)
    {
        this.queuePair = queuePair;
        this.pointer = pointer;
        blockShift = namespace.info().blockShift();
        namespaceBits = (long)namespace.info().nsid() << 32;
        final boolean isProtected = MetadataMode.PROTECTION == namespace.metadata();
        hasReferenceTags = isProtected && PROTECTION_TYPE_3 != namespace.info().protectionType();
        protectionBits = isProtected ?
            PROTECTION_ACTION | CHECK_GUARD | (hasReferenceTags ? CHECK_REFERENCE : 0) : 0;
        final boolean isSeparate = MetadataMode.SEPARATE == namespace.metadata();
        readMetadataIova = isSeparate ? memory.sinkIova() : 0;
        writeMetadataIova = isSeparate ? memory.zeroesIova() : 0;
    }

    /**
     * Writes a command that does the request's own operation.
     *
     * @param entry     to fill.
     * @param commandId command identifier.
     * @param slot      the command's slot.
     * @param request   the command's request.
     * @param offset    blocks of the request before the command's.
     * @param blocks    of the command.
     * @return false when the payload is not mapped for the controller.
     */
    boolean put(
        final long entry,
        final int commandId,
        final int slot,
        final BlockRequest request,
        final int offset,
        final int blocks)
    {
        return switch (request.operation())
        {
            case READ -> transfer(entry, IoOpcode.READ, commandId, slot, request, offset, blocks, readMetadataIova);
            case WRITE -> transfer(entry, IoOpcode.WRITE, commandId, slot, request, offset, blocks, writeMetadataIova);
            case COMPARE -> transfer(entry, IoOpcode.COMPARE, commandId, slot, request, offset, blocks, 0);
            case WRITE_ZEROES ->
            {
                range(entry, IoOpcode.WRITE_ZEROES, commandId, request, offset, blocks, 0);
                noData(entry);
                yield true;
            }
            case VERIFY ->
            {
                range(entry, IoOpcode.VERIFY, commandId, request, offset, blocks, 0);
                noData(entry);
                yield true;
            }
            case DEALLOCATE ->
            {
                deallocate(entry, commandId, slot, request, offset, blocks);
                yield true;
            }
            case FLUSH ->
            {
                flush(entry, commandId);
                yield true;
            }
            case COPY ->
            {
                copy(entry, commandId, slot, request, offset, blocks);
                yield true;
            }
        };
    }

    /**
     * Writes a Flush of the namespace.
     *
     * @param entry     to fill.
     * @param commandId command identifier.
     */
    void flush(final long entry, final int commandId)
    {
        NativeMemory.putLong(entry, IoOpcode.FLUSH | (long)commandId << COMMAND_ID_SHIFT | namespaceBits);
        NativeMemory.putLong(entry + Long.BYTES, 0);
        NativeMemory.putLong(entry + METADATA_POINTER_OFFSET, 0);
        noData(entry);
        NativeMemory.putLong(entry + STARTING_LBA_OFFSET, 0);
        NativeMemory.putLong(entry + DWORD12_OFFSET, 0);
        NativeMemory.putLong(entry + DWORD14_OFFSET, 0);
    }

    private boolean transfer(
        final long entry,
        final int opcode,
        final int commandId,
        final int slot,
        final BlockRequest request,
        final int offset,
        final int blocks,
        final long metadataIova)
    {
        range(entry, opcode, commandId, request, offset, blocks, metadataIova);
        return pointer.put(entry, request, offset << blockShift, blocks << blockShift, queuePair.listAddress(slot),
            listIova(slot));
    }

    /** Everything but the data pointer. */
    private void range(
        final long entry,
        final int opcode,
        final int commandId,
        final BlockRequest request,
        final int offset,
        final int blocks,
        final long metadataIova)
    {
        final long lba = request.lba() + offset;
        int dword12 = blocks - 1 | protectionBits(opcode);
        if (request.forceUnitAccess())
        {
            dword12 |= FORCE_UNIT_ACCESS;
        }
        NativeMemory.putLong(entry, opcode | (long)commandId << COMMAND_ID_SHIFT | namespaceBits);
        NativeMemory.putLong(entry + Long.BYTES, 0);
        NativeMemory.putLong(entry + METADATA_POINTER_OFFSET, metadataIova);
        NativeMemory.putLong(entry + STARTING_LBA_OFFSET, lba);
        NativeMemory.putLong(entry + DWORD12_OFFSET, dword12 & INT_MASK);
        NativeMemory.putLong(entry + DWORD14_OFFSET, hasReferenceTags ? lba & INT_MASK : 0);
    }

    private int protectionBits(final int opcode)
    {
        return switch (opcode)
        {
            // Transfers no data to check, and is refused when it requests a check.
            case IoOpcode.WRITE_ZEROES -> protectionBits & PROTECTION_ACTION;
            // Strips nothing: it is refused when it requests that.
            case IoOpcode.VERIFY -> protectionBits & ~PROTECTION_ACTION;
            default -> protectionBits;
        };
    }

    private void deallocate(
        final long entry,
        final int commandId,
        final int slot,
        final BlockRequest request,
        final int offset,
        final int blocks)
    {
        flush(entry, commandId);
        NativeMemory.putByte(entry, (byte)IoOpcode.DATASET_MANAGEMENT);
        // Dword 10 counts ranges from 0.
        NativeMemory.putLong(entry + STARTING_LBA_OFFSET, (long)DatasetRange.DEALLOCATE << 32);
        final long list = queuePair.listAddress(slot);
        NativeMemory.putLong(list, (long)blocks << 32);
        NativeMemory.putLong(list + Long.BYTES, request.lba() + offset);
        pointer.putRun(entry, listIova(slot), DatasetRange.SIZE_BYTES, list, listIova(slot));
    }

    /** One source range, in descriptor format 0. */
    private void copy(
        final long entry,
        final int commandId,
        final int slot,
        final BlockRequest request,
        final int offset,
        final int blocks)
    {
        flush(entry, commandId);
        NativeMemory.putByte(entry, (byte)IoOpcode.COPY);
        NativeMemory.putLong(entry + STARTING_LBA_OFFSET, request.lba() + offset);
        NativeMemory.putLong(entry + DWORD12_OFFSET, request.forceUnitAccess() ? FORCE_UNIT_ACCESS : 0);
        final long list = queuePair.listAddress(slot);
        NativeMemory.putLong(list, 0);
        NativeMemory.putLong(list + Long.BYTES, request.sourceLba() + offset);
        // Counted from 0, in 16 bits; without protection information.
        NativeMemory.putLong(list + 2 * Long.BYTES, blocks - 1);
        NativeMemory.putLong(list + 3 * Long.BYTES, 0);
        pointer.putRun(entry, listIova(slot), CopyRange.SIZE_BYTES, list, listIova(slot));
    }

    private static void noData(final long entry)
    {
        NativeMemory.putLong(entry + METADATA_POINTER_OFFSET + Long.BYTES, 0);
        NativeMemory.putLong(entry + METADATA_POINTER_OFFSET + 2 * Long.BYTES, 0);
    }

    private long listIova(final int slot)
    {
        return queuePair.memory().iova(queuePair.listAddress(slot));
    }
}
