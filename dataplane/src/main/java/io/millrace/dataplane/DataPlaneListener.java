package io.millrace.dataplane;

/**
 * Receives the events of a data plane.
 */
@FunctionalInterface
public interface DataPlaneListener
{
    /** Tells nobody. */
    DataPlaneListener NONE = (event) ->
    {
    };

    /**
     * Something happened. Called on the thread where it did: that of an operation, or a reactor's for hosts that
     * connect, disconnect and are refused; concurrently from several. Must return at once without blocking, such as by
     * putting the event in a queue; an exception is passed to the thread's handler of uncaught ones and to nobody else.
     *
     * @param event that happened.
     */
    void onEvent(DataPlaneEvent event);
}
