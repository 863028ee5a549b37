package io.millrace.spdk;

/**
 * A device that SPDK has as a bdev ({@link SpdkExports}), as what opens it on reactors.
 */
@FunctionalInterface
public interface SpdkExportSource
{
    /**
     * Opens the device on a reactor, whose first request for it has come. On that reactor's thread; does not block.
     *
     * @param spdkReactor that requests come from.
     * @return who is notified of them, from now on.
     */
    SpdkExportChannel open(SpdkReactor spdkReactor);
}
