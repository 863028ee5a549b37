package io.millrace.spdk;

/**
 * Notified of a bdev that was opened on a {@link SpdkReactor}. On its reactor's thread only.
 */
public interface SpdkBdevListener
{
    /**
     * A request is done: SPDK does not use its memory any more.
     *
     * @param slot   of the request.
     * @param status of NVMe: status code type shifted left by 8, and status code; 0: success.
     * @param errno  of the kernel where there is one; else 0.
     */
    void onCompletion(int slot, int status, int errno);

    /** The bdev goes away: its requests end with errors, and it is to be closed when they have. */
    void onRemoved();

    /**
     * All paths of the bdev lead to another namespace than the one that it was opened with, which gets no request, or
     * one leads to that again. Of bdevs of SPDK's NVMe driver, opened on the application thread.
     *
     * @param isRefused whether no path can be used.
     */
    void onRefused(boolean isRefused);

    /**
     * The bdev has another size.
     *
     * @param blockCount now.
     */
    void onResized(long blockCount);
}
