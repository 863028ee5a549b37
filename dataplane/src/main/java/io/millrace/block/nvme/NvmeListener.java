package io.millrace.block.nvme;

/**
 * Receives the events of a drive: resets, health, namespaces. Called on the controller's own thread, which must not be
 * blocked.
 */
@FunctionalInterface
public interface NvmeListener
{
    /** Tells nobody. */
    NvmeListener NONE = (address, sentence) ->
    {
    };

    /**
     * Something happened.
     *
     * @param address  of the drive's PCI function.
     * @param sentence that says it all.
     */
    void onEvent(String address, String sentence);
}
