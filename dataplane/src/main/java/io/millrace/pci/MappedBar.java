package io.millrace.pci;

/**
 * The registers of a PCI function, mapped into this process: one range of addresses, to be read and written 32 or 64
 * bits at a time with the ordered accessors of {@link io.millrace.bindings.NativeMemory}, which neither tear nor are
 * moved by the compiler. Valid until the function is closed. Immutable; any thread.
 *
 * @param address     of the first register; a multiple of the page size.
 * @param lengthBytes of the range; positive.
 */
public record MappedBar(long address, long lengthBytes)
{
    /**
     * Checks the range.
     */
    public MappedBar
    {
        if (address <= 0 || lengthBytes <= 0)
        {
            throw new IllegalArgumentException(
                "registers at " + address + ", " + lengthBytes + " bytes: both must be positive");
        }
    }
}
