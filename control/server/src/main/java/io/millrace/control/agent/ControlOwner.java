package io.millrace.control.agent;

/**
 * The process around a {@link ControlAgent}. Called on the agent's thread; must not block.
 */
public interface ControlOwner
{
    /**
     * {@return version of the program}
     */
    String version();

    /**
     * A client that may do so wants the data plane to stop: the owner closes agent and data plane, on another thread.
     */
    void onStop();

    /**
     * Something went wrong that no client can be told.
     *
     * @param message one line.
     */
    void onError(String message);
}
