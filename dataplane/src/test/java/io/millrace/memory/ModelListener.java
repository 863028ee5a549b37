package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.bindings.NativeMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A provider that only counts: what it holds, what it was called with. It refuses what it is told to, and touches all
 * memory that it is called with, so that what is not mapped ends the process.
 */
final class ModelListener implements MemoryListener
{
    /** What a listener is called for. */
    enum Call
    {
        MAPPED,
        GROWN,
        REVOKED,
        UNMAPPED
    }

    private static final int PAGE_BYTES = 4096;

    private final String name;
    private final List<String> shared;
    final Map<MemoryRegion, Long> held = new HashMap<>();
    final List<String> calls = new ArrayList<>();
    private final List<Call> refusals = new ArrayList<>();
    private Runnable onCall = () ->
    {
    };

    ModelListener(final String name, final List<String> shared)
    {
        this.name = name;
        this.shared = shared;
    }

    ModelListener(final String name)
    {
        this(name, new ArrayList<>());
    }

    /** Refuses the next call of a kind; several times refuses as many. */
    void refuseNext(final Call call)
    {
        refusals.add(call);
    }

    void acceptAll()
    {
        refusals.clear();
    }

    void onCall(final Runnable action)
    {
        onCall = action;
    }

    long heldBytes()
    {
        return held.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public void onMapped(final MemoryRegion region)
    {
        note(Call.MAPPED, region, region.address(), region.lengthBytes());
        assertNull(held.put(region, region.lengthBytes()), "mapped twice");
    }

    @Override
    public void onGrown(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        note(Call.GROWN, region, addedAddress, addedBytes);
        assertEquals(region.lengthBytes(), held.get(region));
        assertEquals(region.address() + region.lengthBytes(), addedAddress);
        held.merge(region, addedBytes, Long::sum);
    }

    @Override
    public void onGrowthRevoked(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        note(Call.REVOKED, region, addedAddress, addedBytes);
        assertEquals(region.lengthBytes() + addedBytes, held.get(region));
        held.merge(region, -addedBytes, Long::sum);
    }

    @Override
    public void onUnmapped(final MemoryRegion region)
    {
        note(Call.UNMAPPED, region, region.address(), region.lengthBytes());
        assertNotNull(held.remove(region), "unmapped what is not held");
    }

    private void note(final Call call, final MemoryRegion region, final long address, final long lengthBytes)
    {
        if (region.isHostAddressable())
        {
            for (long offset = 0; offset < lengthBytes; offset += PAGE_BYTES)
            {
                NativeMemory.putByte(address + offset, (byte)1);
            }
        }
        calls.add(call + " " + lengthBytes);
        shared.add(name + ' ' + call);
        onCall.run();
        if (refusals.remove(call))
        {
            throw new IllegalStateException("no more of " + lengthBytes + " bytes");
        }
    }
}
