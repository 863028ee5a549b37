package io.millrace.rdma.endpoint;

/**
 * Notified of the devices of a {@link ConnectionManager}. Called on the reactor's thread.
 */
public interface DeviceListener
{
    /**
     * A port of a device in use has come up or gone down. Connections by a port that is down end when their retries are
     * exhausted.
     *
     * @param device   the kernel's name of the device.
     * @param port     number, from 1.
     * @param isActive whether it is up.
     */
    void onPort(String device, int port, boolean isActive);

    /**
     * A device in use, or one that only listeners are on, was removed, or has failed. Its connections have ended, and
     * the connection manager no longer listens at addresses of that device alone; it does at unspecified ones, also by
     * the device when that comes back.
     *
     * @param device the kernel's name of the device.
     */
    void onRemoved(String device);
}
