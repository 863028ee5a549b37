package io.millrace.block.fault;

/** With a write cache that is often full. */
class SmallWriteCacheDurabilityTest extends WriteCacheDurabilityTest
{
    @Override
    long cacheBytes()
    {
        return 12 * BLOCK;
    }
}
