package io.millrace.jfr;

/**
 * The bound of slow requests: reactors look at it for each answer. Made and set by the recorder.
 */
final class SlowRequestSetting extends LatencySetting
{
    /**
     * Called by the recorder.
     */
    SlowRequestSetting()
    {
    }

    @Override
    public void setValue(final String newValue)
    {
        super.setValue(newValue);
        FlightEvents.onSlowRequestSetting(ns());
    }
}
