package io.millrace.memory;

/**
 * Somebody who has to prepare memory before payload in it can be transferred, such as by pinning its pages or mapping
 * it in an IOMMU. Added to a {@link MemoryRegistry}.
 * <p>
 * Called on set-up threads, never a reactor's, by one thread at a time; a call may block, for instance until reactors
 * have taken a change over. A call must not use the registry, nor grow or close memory that is in it: the registry
 * refuses that.
 * <p>
 * A listener that cannot do without a region throws: the region, or its growth, is then refused to its owner, with the
 * reason. A listener that can do without writes its own note and returns; it is notified of the region's growth and
 * unmapping nevertheless.
 */
public interface MemoryListener
{
    /**
     * {@return its name, for messages}
     */
    String name();

    /**
     * A region may have payload in it from now on. Regions that were there before the listener are mapped for it when
     * it is added.
     *
     * @param region whole.
     * @throws RuntimeException when the listener cannot do without the region; it holds nothing of the region then.
     */
    void onMapped(MemoryRegion region);

    /**
     * A region gets longer at its end.
     *
     * @param region       still has its former length.
     * @param addedAddress where the added memory begins: the region's former end.
     * @param addedBytes   length of the added memory.
     * @throws RuntimeException when the listener cannot do without the addition; it holds nothing of the addition then.
     */
    void onGrown(MemoryRegion region, long addedAddress, long addedBytes);

    /**
     * Another listener has refused a growth that this one took: the addition goes away again. No payload has been in
     * it.
     *
     * @param region       has its former length.
     * @param addedAddress as in {@link #onGrown}.
     * @param addedBytes   as in {@link #onGrown}.
     * @throws RuntimeException when the listener still holds the addition; it stays mapped then, and the region never
     *                          grows again.
     */
    void onGrowthRevoked(MemoryRegion region, long addedAddress, long addedBytes);

    /**
     * A region goes away as soon as this returns, or the listener has been removed. No payload is in it any more.
     *
     * @param region whole.
     * @throws RuntimeException when the listener still holds some of the region: it stays mapped then, and the listener
     *                          is asked again when the owner tries again.
     */
    void onUnmapped(MemoryRegion region);
}
