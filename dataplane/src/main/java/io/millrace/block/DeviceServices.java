package io.millrace.block;

/**
 * Services of the process for a device that was added to it; see {@link BlockDevice#start}. Any thread; no call blocks.
 */
public interface DeviceServices
{
    /** Of a device that was not added to a data plane: notifies nobody and has no reactors. */
    DeviceServices NONE = new DeviceServices()
    {
        @Override
        public void onStatusChanged()
        {
            // Who opened the device asks for its status.
        }

        @Override
        public boolean run(final BackgroundWork work)
        {
            return false;
        }
    };

    /**
     * The device's {@link BlockDevice#status()} has changed. It is asked for it soon, on another thread; changes in
     * between may be seen as one. Not for each I/O.
     */
    void onStatusChanged();

    /**
     * Begins work of the device's own on the reactor that has the least of it. The work goes on until it is done, or is
     * stopped because the device is to be closed.
     *
     * @param work to do.
     * @return false when the device is being closed: nothing of the work was called.
     */
    boolean run(BackgroundWork work);

    /**
     * Something happened that an operator should know, and that the status does not say. Not for each I/O.
     *
     * @param sentence  without the name of the device.
     * @param isFailure whether the operator has to do something about it.
     */
    default void onEvent(final String sentence, final boolean isFailure)
    {
        // Who opened the device asks for its status.
    }

    /**
     * The device is an array that lacks a member and has no spare of its own: it may be given a shared one.
     */
    default void onSpareWanted()
    {
        // Who opened the device has none.
    }

    /**
     * The device does not use another device any more: that is not among its {@link BlockDevice#members()}, and no
     * channel to it is open.
     *
     * @param member that was one of them.
     */
    default void onReleased(final BlockDevice member)
    {
        // Who opened the device keeps no account of them.
    }
}
