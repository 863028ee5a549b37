package io.millrace.control.agent;

/**
 * The process that owns a {@link ControlAgent}. Called on the agent's thread; must not block.
 */
public interface ControlOwner
{
    /**
     * {@return version of the program}
     */
    String version();

    /**
     * An authorized client stops the data plane: the owner closes agent and data plane on another thread.
     */
    void onStop();

    /**
     * Reports an event that is no error.
     *
     * @param message one line.
     */
    void onNote(String message);

    /**
     * Reports an error that cannot be returned to a client.
     *
     * @param message one line.
     */
    void onError(String message);
}
