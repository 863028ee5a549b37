package io.millrace.dataplane;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The devices of a data plane by their names, in the order they were made. Changed by operations, which hold their
 * lock while they wait for devices; looked at by any thread. Its own lock is held for moments, so whoever looks does
 * not wait for operations.
 */
final class DeviceTable
{
    private final Map<String, ManagedDevice> devices = new LinkedHashMap<>();

    synchronized void add(final ManagedDevice device)
    {
        devices.put(device.name(), device);
    }

    synchronized void remove(final String name)
    {
        devices.remove(name);
    }

    /** {@return all, which are no longer in it} */
    synchronized List<ManagedDevice> removeAll()
    {
        final List<ManagedDevice> removed = List.copyOf(devices.values());
        devices.clear();
        return removed;
    }

    /** {@return a device; null: there is none} */
    synchronized ManagedDevice get(final String name)
    {
        return devices.get(name);
    }

    /** {@return all, as of now} */
    synchronized List<ManagedDevice> all()
    {
        return List.copyOf(devices.values());
    }

    /** {@return their names, as of now} */
    synchronized List<String> names()
    {
        return List.copyOf(devices.keySet());
    }
}
