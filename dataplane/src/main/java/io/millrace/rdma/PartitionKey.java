package io.millrace.rdma;

import java.util.HexFormat;

/**
 * A partition that a port is a member of. Immutable; any thread.
 *
 * @param index in the port's table.
 * @param value 16 bits; the highest says full member.
 */
public record PartitionKey(int index, int value)
{
    /**
     * {@return the value as the kernel writes it, such as {@code 0xffff}}
     */
    @Override
    public String toString()
    {
        return "0x" + HexFormat.of().toHexDigits((short)value);
    }
}
