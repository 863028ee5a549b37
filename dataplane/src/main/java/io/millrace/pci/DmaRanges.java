package io.millrace.pci;

/**
 * Checks ranges to be mapped. Stateless.
 */
final class DmaRanges
{
    private DmaRanges()
    {
    }

    static void check(final long address, final long lengthBytes, final long pageBytes)
    {
        if (lengthBytes <= 0 || 0 != (address | lengthBytes) % pageBytes)
        {
            throw new PciException(lengthBytes + " bytes at 0x" + Long.toHexString(address) +
                " cannot be mapped: address and length must be multiples of " + pageBytes +
                " bytes, and the length positive");
        }
    }
}
