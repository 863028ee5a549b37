package io.millrace.spdk;

/**
 * Requests of SPDK to a device, on one reactor.
 */
public interface SpdkExportChannel
{
    /**
     * A request has come, which {@link SpdkReactor#complete} ends. On the reactor's thread; allocates nothing once each
     * slot was used.
     *
     * @param slot of the request, below {@link SpdkReactor#EXPORTED_MAX}; no other request of the reactor has it.
     * @param io   address of the request, as {@link io.millrace.bindings.spdk.SpdkIo} reads it.
     */
    void onRequest(int slot, long io);

    /**
     * Closes the device on the reactor: SPDK has no request to it any more. On the reactor's thread, once.
     *
     * @param listener run when it has closed, maybe before this returns.
     */
    void close(Runnable listener);
}
