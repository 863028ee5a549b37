package io.millrace.nvme.identify;

import io.millrace.nvme.Flyweight;
import java.nio.ByteOrder;

/**
 * Atomic units and preferred sizes of writes within the Identify Namespace data structure (NVM Command Set 1.0,
 * sections 2.1.4 and 4.1.5.1). Wraps the whole structure. Which of them are given is in
 * {@link IdentifyNamespace#features}.
 */
public final class IdentifyNamespaceWriteUnits extends Flyweight
{
    /** Size of the whole structure in bytes. */
    public static final int SIZE_BYTES = IdentifyNamespace.SIZE_BYTES;

    private static final int ATOMIC_WRITE_UNIT_OFFSET = 34;
    private static final int ATOMIC_WRITE_UNIT_POWER_FAIL_OFFSET = 36;
    private static final int ATOMIC_BOUNDARY_OFFSET = 40;
    private static final int ATOMIC_BOUNDARY_POWER_FAIL_OFFSET = 44;
    private static final int OPTIMAL_IO_BOUNDARY_OFFSET = 46;
    private static final int PREFERRED_WRITE_GRANULARITY_OFFSET = 64;
    private static final int PREFERRED_WRITE_ALIGNMENT_OFFSET = 66;
    private static final int OPTIMAL_WRITE_SIZE_OFFSET = 72;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public IdentifyNamespaceWriteUnits()
    {
    }

    /**
     * {@return atomic write unit in blocks less one (NAWUN)}
     */
    public int atomicWriteUnit()
    {
        return buffer.getShort(offset + ATOMIC_WRITE_UNIT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets atomic write unit in blocks less one (NAWUN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespaceWriteUnits atomicWriteUnit(final int value)
    {
        buffer.putShort(offset + ATOMIC_WRITE_UNIT_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return atomic write unit at power failure in blocks less one (NAWUPF)}
     */
    public int atomicWriteUnitPowerFail()
    {
        return buffer.getShort(offset + ATOMIC_WRITE_UNIT_POWER_FAIL_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets atomic write unit at power failure in blocks less one (NAWUPF).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespaceWriteUnits atomicWriteUnitPowerFail(final int value)
    {
        buffer.putShort(offset + ATOMIC_WRITE_UNIT_POWER_FAIL_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return boundary that atomic writes do not cross in blocks less one; 0 for none (NABSN)}
     */
    public int atomicBoundary()
    {
        return buffer.getShort(offset + ATOMIC_BOUNDARY_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets boundary that atomic writes do not cross in blocks less one; 0 for none (NABSN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespaceWriteUnits atomicBoundary(final int value)
    {
        buffer.putShort(offset + ATOMIC_BOUNDARY_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return boundary at power failure that atomic writes do not cross in blocks less one; 0 for none (NABSPF)}
     */
    public int atomicBoundaryPowerFail()
    {
        return buffer.getShort(offset + ATOMIC_BOUNDARY_POWER_FAIL_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets boundary at power failure that atomic writes do not cross in blocks less one; 0 for none (NABSPF).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespaceWriteUnits atomicBoundaryPowerFail(final int value)
    {
        buffer.putShort(offset + ATOMIC_BOUNDARY_POWER_FAIL_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return optimal I/O boundary in blocks (NOIOB)}
     */
    public int optimalIoBoundary()
    {
        return buffer.getShort(offset + OPTIMAL_IO_BOUNDARY_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets optimal I/O boundary in blocks (NOIOB).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespaceWriteUnits optimalIoBoundary(final int value)
    {
        buffer.putShort(offset + OPTIMAL_IO_BOUNDARY_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return preferred write granularity in blocks less one (NPWG)}
     */
    public int preferredWriteGranularity()
    {
        return buffer.getShort(offset + PREFERRED_WRITE_GRANULARITY_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets preferred write granularity in blocks less one (NPWG).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespaceWriteUnits preferredWriteGranularity(final int value)
    {
        buffer.putShort(offset + PREFERRED_WRITE_GRANULARITY_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return preferred write alignment in blocks less one (NPWA)}
     */
    public int preferredWriteAlignment()
    {
        return buffer.getShort(offset + PREFERRED_WRITE_ALIGNMENT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets preferred write alignment in blocks less one (NPWA).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespaceWriteUnits preferredWriteAlignment(final int value)
    {
        buffer.putShort(offset + PREFERRED_WRITE_ALIGNMENT_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return optimal write size in blocks less one (NOWS)}
     */
    public int optimalWriteSize()
    {
        return buffer.getShort(offset + OPTIMAL_WRITE_SIZE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets optimal write size in blocks less one (NOWS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespaceWriteUnits optimalWriteSize(final int value)
    {
        buffer.putShort(offset + OPTIMAL_WRITE_SIZE_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
