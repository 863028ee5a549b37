package io.millrace.block.spdk;

/**
 * A bdev that SPDK's configuration or a method of its JSON-RPC made. It stays when the device is closed.
 *
 * @param bdevName name or alias of the bdev.
 */
public record ExistingBdev(String bdevName) implements BdevSource
{
    @Override
    public String remedyWhenMissing()
    {
        return "make it in SPDK's configuration or with 'millrace spdk rpc', which lists them with bdev_get_bdevs";
    }

    @Override
    public boolean grow(final long sizeBytes)
    {
        return false;
    }

    @Override
    public void release()
    {
        // Whoever made it deletes it.
    }
}
