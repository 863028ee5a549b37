package io.millrace.block.spdk;

import io.millrace.spdk.SpdkRuntime;

/**
 * A namespace of a controller that SPDK's NVMe driver has. Its bdev is there while the controller is attached.
 */
public final class NvmeNamespace implements BdevSource
{
    private final NvmeControllers controllers;
    private final SpdkRuntime runtime;
    private final String controller;
    private final int nsid;

    NvmeNamespace(
        final NvmeControllers controllers, final SpdkRuntime runtime, final String controller, final int nsid)
    {
        this.controllers = controllers;
        this.runtime = runtime;
        this.controller = controller;
        this.nsid = nsid;
    }

    @Override
    public String bdevName()
    {
        return controller + 'n' + nsid;
    }

    @Override
    public String remedyWhenMissing()
    {
        return "controller " + controller + " has no active namespace " + nsid + ", or one that SPDK makes no bdev " +
            "of: name another nsid";
    }

    /** {@inheritDoc} A namespace changes by itself. */
    @Override
    public boolean grow(final long sizeBytes)
    {
        return false;
    }

    @Override
    public void release()
    {
        controllers.release(runtime, controller);
    }
}
