package io.millrace.memory;

/**
 * A listener that counts the bytes it holds and refuses more than it may have.
 */
public final class RefusingListener implements MemoryListener
{
    private long heldBytes;
    private long bytesMax = Long.MAX_VALUE;
    private boolean holdsOn;

    /** Refuses memory beyond that. */
    public void bytesMax(final long value)
    {
        bytesMax = value;
    }

    /** Whether it lets go of nothing. */
    public void holdsOn(final boolean value)
    {
        holdsOn = value;
    }

    public long heldBytes()
    {
        return heldBytes;
    }

    @Override
    public String name()
    {
        return "nic0";
    }

    @Override
    public void onMapped(final MemoryRegion region)
    {
        take(region.lengthBytes());
    }

    @Override
    public void onGrown(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        take(addedBytes);
    }

    private void take(final long lengthBytes)
    {
        if (heldBytes + lengthBytes > bytesMax)
        {
            throw new IllegalStateException("it takes up to " + bytesMax + " bytes");
        }
        heldBytes += lengthBytes;
    }

    @Override
    public void onGrowthRevoked(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        heldBytes -= addedBytes;
    }

    @Override
    public void onUnmapped(final MemoryRegion region)
    {
        if (holdsOn)
        {
            throw new IllegalStateException("it is in use");
        }
        heldBytes -= region.lengthBytes();
    }
}
