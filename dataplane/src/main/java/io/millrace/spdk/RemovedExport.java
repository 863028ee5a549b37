package io.millrace.spdk;

/**
 * In place of a device that has left while something in SPDK still has its bdev open: requests end as those of a
 * namespace that is not ready. The reactor's thread only.
 *
 * @param spdkReactor that requests come from.
 */
record RemovedExport(SpdkReactor spdkReactor) implements SpdkExportChannel
{
    /** Generic command status of NVMe. */
    private static final int NAMESPACE_NOT_READY = 0x82;

    @Override
    public void onRequest(final int slot, final long io)
    {
        spdkReactor.complete(slot, io, NAMESPACE_NOT_READY);
    }

    @Override
    public void close(final Runnable listener)
    {
        listener.run();
    }
}
