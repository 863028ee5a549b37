package io.millrace.spdk;

/**
 * Notified of what SPDK has to say, a sentence each, on the reactor of its application thread.
 */
@FunctionalInterface
public interface SpdkMessageListener
{
    /**
     * Something has failed.
     *
     * @param sentence with its subject.
     */
    void onError(String sentence);

    /**
     * Something is worth knowing, such as a deprecated setting. As of an error, where both are one.
     *
     * @param sentence with its subject.
     */
    default void onWarning(final String sentence)
    {
        onError(sentence);
    }
}
