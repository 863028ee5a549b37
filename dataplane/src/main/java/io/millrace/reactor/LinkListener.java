package io.millrace.reactor;

/**
 * Takes the messages of a {@link ReactorLink}. Called on the consuming reactor's thread only.
 */
@FunctionalInterface
public interface LinkListener
{
    /**
     * A message has come.
     *
     * @param type        what it says; positive, agreed between both sides.
     * @param slot        index of a request or another preallocated thing.
     * @param address     of the payload, which stays where it is, or 0.
     * @param lengthBytes of the payload.
     * @param word0       for the type's own use.
     * @param word1       for the type's own use.
     */
    void onMessage(int type, int slot, long address, int lengthBytes, long word0, long word1);
}
