package io.millrace.block.file;

/** Where the emulation writes zeroes in parts. */
class EmulatedZeroesDurabilityTest extends FileDurabilityTest
{
    @Override
    FileCapabilities capabilities(final FileCapabilities found)
    {
        return new FileCapabilities(true, 128 << 10, ZeroStrategy.NONE, DeallocateStrategy.NONE);
    }
}
