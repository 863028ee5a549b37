package io.millrace.dataplane;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The devices of a data plane by their names, in the order they were made. Changed by operations, which hold their
 * lock while they wait for devices; looked at by any thread. Its own lock is held for moments, so whoever looks does
 * not wait for operations.
 */
final class DeviceTable
{
    private final Map<String, ManagedDevice> devices = new LinkedHashMap<>();
    /** Names that devices are going to get. */
    private final Set<String> reserved = new HashSet<>();

    synchronized void add(final ManagedDevice device)
    {
        devices.put(device.name(), device);
    }

    /** {@return whether a device has a name, or is going to get it} */
    synchronized boolean isTaken(final String name)
    {
        return devices.containsKey(name) || reserved.contains(name);
    }

    /** No other device gets a name. */
    synchronized void reserve(final String name)
    {
        reserved.add(name);
    }

    /** A device that was going to get a name has it, or does not get it. */
    synchronized void release(final String name)
    {
        reserved.remove(name);
    }

    /**
     * A device has another name, and its place in the order.
     *
     * @param name that it had.
     * @param take gives the device its new name.
     */
    synchronized void rename(final String name, final Consumer<ManagedDevice> take)
    {
        take.accept(devices.get(name));
        final List<ManagedDevice> all = List.copyOf(devices.values());
        devices.clear();
        all.forEach(this::add);
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
