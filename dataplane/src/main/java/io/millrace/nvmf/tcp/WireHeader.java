package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvmf.tcp.pdu.CommonHeader;

/**
 * Fields of the common header by absolute address, for the parser that looks at every PDU before it knows which
 * flyweight to wrap. Stateless; any thread.
 */
final class WireHeader
{
    private WireHeader()
    {
    }

    static int type(final long address)
    {
        return NativeMemory.getByte(address + CommonHeader.TYPE_OFFSET) & 0xFF;
    }

    static int flags(final long address)
    {
        return NativeMemory.getByte(address + CommonHeader.FLAGS_OFFSET) & 0xFF;
    }

    static int headerLength(final long address)
    {
        return NativeMemory.getByte(address + CommonHeader.HEADER_LENGTH_OFFSET) & 0xFF;
    }

    static int dataOffset(final long address)
    {
        return NativeMemory.getByte(address + CommonHeader.DATA_OFFSET_OFFSET) & 0xFF;
    }

    static int pduLength(final long address)
    {
        return NativeMemory.getInt(address + CommonHeader.PDU_LENGTH_OFFSET);
    }
}
